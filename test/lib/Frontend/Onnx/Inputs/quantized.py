"""Writes a quantized model: a dynamic quantization, a product in integers, a convolution between QDQ pairs, blocks, and f8."""
import sys
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F, random = TensorProto.FLOAT, np.random.default_rng(0)


def array(name, values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


node = helper.make_node
nodes = [
    node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
    node("MatMulInteger", ["q", "w", "z", "wz"], ["sums"]),
    node("Cast", ["sums"], ["product"], to=F),
    node("QuantizeLinear", ["image", "is", "iz"], ["iq"]),
    node("DequantizeLinear", ["iq", "is", "iz"], ["id"]),
    node("DequantizeLinear", ["k", "ks", "kz"], ["kd"], axis=0),
    node("DequantizeLinear", ["b", "bs"], ["bd"], axis=0),
    node("Conv", ["id", "kd", "bd"], ["filtered"], pads=[1, 1, 1, 1]),
    node("DequantizeLinear", ["blocks", "blockscales"], ["unblocked"], axis=1, block_size=4),
    node("Add", ["x", "unblocked"], ["shifted"]),
    node("QuantizeLinear", ["x", "is", "fz"], ["narrow"]),
    node("DequantizeLinear", ["narrow", "is", "fz"], ["rounded"]),
]
info = helper.make_tensor_value_info
graph = helper.make_graph(
    nodes, "quantized", [info("x", F, [5, 10]), info("image", F, [1, 3, 6, 6])],
    [info(name, F, None) for name in ("product", "filtered", "shifted", "rounded")],
    # Weights of 7 bits: onnxruntime adds pairs of products in 16 bits on processors without VNNI, and larger ones saturate there.
    [array("w", random.integers(-64, 64, (10, 7)), np.int8), array("wz", range(7), np.int8),
     array("is", 0.02, np.float32), array("iz", 128, np.uint8),
     array("k", random.integers(-128, 128, (4, 3, 3, 3)), np.int8), array("ks", random.random(4) / 100, np.float32),
     array("kz", [0] * 4, np.int8), array("b", random.integers(-5000, 5000, 4), np.int32),
     array("bs", random.random(4) / 10000, np.float32), array("blocks", random.integers(-8, 8, (5, 10)), np.int8),
     array("blockscales", random.random((5, 3)), np.float32), helper.make_tensor("fz", TensorProto.FLOAT8E4M3FN, [], [0])])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), sys.argv[1])
