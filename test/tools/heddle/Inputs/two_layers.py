"""Writes an ONNX model of two matrix products: two_layers.py FILE"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)
weights = [numpy_helper.from_array(random.standard_normal(shape, dtype=np.float32), name) for name, shape in (("first", (64, 128)), ("second", (128, 32)))]
nodes = [helper.make_node("MatMul", ["x", "first"], ["wide"]), helper.make_node("Relu", ["wide"], ["positive"]),
         helper.make_node("MatMul", ["positive", "second"], ["y"])]
graph = helper.make_graph(nodes, "two_layers", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 64])],
                          [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 32])], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
