"""Writes OUT.onnx, a branch whose result is as large as its data says, and OUT-loop.onnx, a loop of such.

usage: computed_branches.py OUT
"""
import sys
import onnx
from onnx import TensorProto, helper

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, kind, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "g", inputs, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


positions = helper.make_node("NonZero", ["x"], ["p"], name="positions")
shape = helper.make_node("Shape", ["x"], ["q"], name="shape")
branch = lambda node, result: helper.make_graph([node], result, [], [info(result, I64)])
choice = helper.make_node("If", ["flag"], ["y"], name="choice", then_branch=branch(positions, "p"), else_branch=branch(shape, "q"))
save(sys.argv[1] + ".onnx", [choice], [info("x", F32, [6]), info("flag", BOOL, [])], [info("y", I64)])
body = helper.make_graph(
    [helper.make_node("Range", ["zero", "i", "one"], ["r"], name="counting"), helper.make_node("ReduceSum", ["r"], ["s"], keepdims=0),
     helper.make_node("Add", ["a", "s"], ["b"]), helper.make_node("Identity", ["c"], ["d"])],
    "body", [info("i", I64, []), info("c", BOOL, []), info("a", I64, [])], [info("d", BOOL, []), info("b", I64, [])])
loop = helper.make_node("Loop", ["n", "", "zero"], ["y"], name="loop", body=body)
constants = [helper.make_node("Constant", [], [name], value_int=value) for name, value in (("zero", 0), ("one", 1))]
save(sys.argv[1] + "-loop.onnx", [*constants, loop], [info("n", I64, [])], [info("y", I64)])
