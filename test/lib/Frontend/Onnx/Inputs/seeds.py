"""Writes small models that between them reach every part of the reader and most operators: seeds for damage.

usage: seeds.py FOLDER
"""
import pathlib, sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper

F, I = TensorProto.FLOAT, TensorProto.INT64


def info(name, shape, kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


def save(folder, name, nodes, inputs, outputs, initializers=(), functions=(), opset=18):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(f.domain, 1) for f in functions]
    onnx.save(helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=10), folder / f"{name}.onnx")


def weights(name, *shape):
    return numpy_helper.from_array(np.random.default_rng(len(name)).standard_normal(shape, dtype=np.float32), name)


def ints(name, *values):
    return helper.make_tensor(name, I, [len(values)], values)


def transformer(folder):
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Gather", ["s", "zero"], ["b"]),
        helper.make_node("Concat", ["b", "rest"], ["shape"], axis=0),
        helper.make_node("LayerNormalization", ["x", "scale", "bias"], ["n"]),
        helper.make_node("MatMul", ["n", "wq"], ["q"]), helper.make_node("MatMul", ["n", "wk"], ["k"]),
        helper.make_node("Reshape", ["q", "shape"], ["q4"]), helper.make_node("Reshape", ["k", "shape"], ["k4"]),
        helper.make_node("Transpose", ["k4"], ["kt"], perm=[0, 2, 3, 1]),
        helper.make_node("Transpose", ["q4"], ["qt"], perm=[0, 2, 1, 3]),
        helper.make_node("MatMul", ["qt", "kt"], ["scores"]), helper.make_node("Trilu", ["scores"], ["causal"], upper=0),
        helper.make_node("Softmax", ["causal"], ["p"], axis=-1), helper.make_node("Erf", ["p"], ["e"]),
        helper.make_node("Einsum", ["e", "qt"], ["y"], equation="bhij,bhjd->bihd"),
        helper.make_node("Slice", ["y", "zero", "end"], ["z"]), helper.make_node("Split", ["z"], ["u", "v"], axis=3, num_outputs=2),
        helper.make_node("Where", ["mask", "u", "v"], ["w"]), helper.make_node("TopK", ["w", "two"], ["t", "i"]),
        helper.make_node("GatherElements", ["w", "i"], ["o"], axis=3)]
    save(folder, "transformer", nodes, [info("x", [2, 4, 8])], [info("o", None), info("t", None)],
         [weights("wq", 8, 8), weights("wk", 8, 8), weights("scale", 8), weights("bias", 8), ints("zero", 0), ints("rest", 4, 2, 4),
          ints("end", 9), ints("two", 2), helper.make_tensor("mask", TensorProto.BOOL, [1], [1])])


def convolutional(folder):
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1], strides=[2, 2], group=2, kernel_shape=[3, 3]),
        helper.make_node("BatchNormalization", ["c", "v", "v", "v", "v"], ["n"]), helper.make_node("Clip", ["n", "low", ""], ["r"]),
        helper.make_node("MaxPool", ["r"], ["m"], kernel_shape=[2, 2], ceil_mode=1),
        helper.make_node("AveragePool", ["m"], ["a"], kernel_shape=[2, 2], auto_pad="SAME_UPPER", count_include_pad=1),
        helper.make_node("Resize", ["a", "", "scales"], ["z"], mode="linear"),
        helper.make_node("ConvTranspose", ["z", "wt"], ["t"], strides=[2, 2], output_padding=[1, 1]),
        helper.make_node("Pad", ["t", "pads"], ["p"], mode="reflect"), helper.make_node("ReduceMean", ["p", "axes"], ["g"], keepdims=0),
        helper.make_node("Gemm", ["g", "fc", "one"], ["y"], transB=1, alpha=0.5)]
    save(folder, "convolutional", nodes, [info("x", [1, 4, 9, 9])], [info("y", [1, 3])],
         [weights("w", 4, 2, 3, 3), weights("v", 4), weights("wt", 4, 2, 3, 3), weights("fc", 3, 2), weights("one", 1),
          helper.make_tensor("low", F, [], [0.0]), helper.make_tensor("scales", F, [4], [1, 1, 2, 2]),
          ints("pads", 0, 0, 1, 1, 0, 0, 1, 1), ints("axes", 2, 3)])


def functions(folder):
    inner = helper.make_function("f", "Twice", ["x"], ["y"], [helper.make_node("Add", ["x", "x"], ["y"])],
                                 [helper.make_opsetid("", 18)])
    leaky = helper.make_node("LeakyRelu", ["t"], ["y"])
    leaky.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
    outer = helper.make_function(
        "f", "Outer", ["x"], ["y"], [helper.make_node("Twice", ["x"], ["t"], domain="f"), leaky],
        [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)], ["slope"])
    nodes = [helper.make_node("Outer", ["x"], ["a"], domain="f", slope=0.5), helper.make_node("Outer", ["a"], ["y"], domain="f", slope=0.1)]
    save(folder, "functions", nodes, [info("x", [3])], [info("y", [3])], functions=[inner, outer])


def tensors(folder):
    kinds = [TensorProto.INT32, TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL, TensorProto.FLOAT16, TensorProto.BFLOAT16,
             TensorProto.DOUBLE, TensorProto.UINT64, TensorProto.UINT4, TensorProto.INT4, TensorProto.FLOAT8E5M2]
    initializers, nodes, outputs = [], [], []
    for kind in kinds:
        name = TensorProto.DataType.Name(kind).lower()
        initializers.append(helper.make_tensor(name, kind, [3], [1, 0, 1]))
        nodes.append(helper.make_node("Identity", [name], [name + "_out"]))
        outputs.append(info(name + "_out", [3], kind))
    nodes.append(helper.make_node("ScatterND", ["x", "at", "one"], ["y"], reduction="add"))
    nodes.append(helper.make_node("Constant", [], ["c"], value=helper.make_tensor("v", F, [2], [1, 2])))
    initializers += [helper.make_tensor("at", I, [1, 1], [1]), weights("one", 1)]
    save(folder, "tensors", nodes, [info("x", [3])], outputs + [info("y", [3]), info("c", [2])], initializers)


def control(folder):
    b, g = TensorProto.BOOL, helper.make_graph
    branch = lambda op: g([helper.make_node(op, ["x"], [op + "_x"])], op, [], [info(op + "_x", None)])
    body = g([helper.make_node("Add", ["h", "x"], ["next"]), helper.make_node("Identity", ["c"], ["again"])], "body",
             [info("i", [], I), info("c", [], b), info("h", [1, 2])], [info("again", [], b), info("next", None), info("next", None)])
    # As long as the state is below 100, at most `times` steps.
    growing = g([helper.make_node("Add", ["h", "x"], ["next"]), helper.make_node("ReduceMax", ["next"], ["top"], keepdims=0),
                 helper.make_node("Less", ["top", "hundred"], ["again"])], "growing",
                [info("i", [], I), info("c", [], b), info("h", [1, 2])], [info("again", [], b), info("next", None)])
    # Sums of columns, from the last to the first.
    sums = g([helper.make_node("Add", ["s", "column"], ["t"]), helper.make_node("Identity", ["t"], ["u"])], "sums",
             [info("s", [1]), info("column", [1])], [info("t", None), info("u", None)])
    nodes = [
        helper.make_node("Loop", ["times", "", "x"], ["grown"], body=growing),
        helper.make_node("Scan", ["zero", "wide"], ["sum", "sums"], body=sums, num_scan_inputs=1, scan_input_axes=[1],
                         scan_input_directions=[1], scan_output_axes=[-1], scan_output_directions=[1]),
        helper.make_node("If", ["flag"], ["a"], then_branch=branch("Relu"), else_branch=branch("Neg")),
        helper.make_node("If", ["yes"], ["d"], then_branch=branch("Abs"), else_branch=branch("Exp")),
        helper.make_node("Loop", ["three", "", "x"], ["last", "all"], body=body),
        helper.make_node("LSTM", ["all", "w", "r"], ["y", "h", "c"], hidden_size=2, direction="reverse"),
        helper.make_node("GRU", ["all", "w3", "r3", "b3"], ["y3"], hidden_size=2, linear_before_reset=1)]
    save(folder, "control", nodes, [info("x", [1, 2]), info("flag", [], b), info("times", [], I), info("wide", [1, 50])],
         [info("grown", None), info("sum", None), info("sums", None), info("a", None), info("d", None), info("last", None), info("y", None), info("y3", None)],
         [weights("w", 1, 8, 2), weights("r", 1, 8, 2), weights("w3", 1, 6, 2), weights("r3", 1, 6, 2), weights("b3", 1, 12),
          helper.make_tensor("yes", b, [], [1]), helper.make_tensor("three", I, [], [3]),
          helper.make_tensor("hundred", F, [], [100]), helper.make_tensor("zero", F, [1], [0])])


folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for write in (transformer, convolutional, functions, tensors, control):
    write(folder)
