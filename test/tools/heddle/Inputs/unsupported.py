"""Writes a model with two operators that nobody knows."""

import sys

import onnx
from onnx import TensorProto, helper

nodes = [helper.make_node("Mystery", ["x"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="known"),
         helper.make_node("Riddle", ["b"], ["y"], name="second")]
value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
graph = helper.make_graph(nodes, "unsupported", value[:1], value[1:])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), sys.argv[1])
