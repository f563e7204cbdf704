"""A decoder's step as ONNX with caches as inputs and outputs: two layers of attention, whose keys and values are those of earlier tokens and
of TOKENS new ones: one, if it is not given; a name is a size. With "first" there are no earlier ones, and no caches as inputs.

    decode_step.py FILE [TOKENS [first]]
"""

import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

BATCH, HEADS, DEPTH, LAYERS, WORDS = 2, 3, 16, 2, 50
WIDTH = HEADS * DEPTH


def main():
    tokens = sys.argv[2] if len(sys.argv) > 2 else "1"
    tokens = int(tokens) if tokens.isdigit() else tokens
    count = tokens if isinstance(tokens, int) else -1
    is_first = len(sys.argv) > 3
    random = np.random.default_rng(0)
    nodes, weights, inputs, outputs = [], [], [], []

    def weight(name, value):
        weights.append(numpy_helper.from_array(value, name))
        return name

    def matrix(name, *shape):
        return weight(name, (random.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32))

    def node(kind, *operands, **attributes):
        result = f"value{len(nodes)}"
        nodes.append(helper.make_node(kind, operands, [result], **attributes))
        return result

    heads = weight("heads", np.array([BATCH, count, HEADS, DEPTH]))
    row = weight("row", np.array([BATCH, count, WIDTH]))
    scale = weight("scale", np.float32(DEPTH**-0.5))
    inputs.append(helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, [BATCH, tokens]))
    x = node("Gather", matrix("words", WORDS, WIDTH), "ids", axis=0)
    for layer in range(LAYERS):

        def projected(what):
            product = node("MatMul", x, matrix(f"{what}{layer}", WIDTH, WIDTH))
            return node("Transpose", node("Reshape", product, heads), perm=[0, 2, 1, 3])

        def appended(what):
            past, present = f"past_{what}{layer}", f"present_{what}{layer}"
            total = tokens if is_first else "total"
            outputs.append(helper.make_tensor_value_info(present, onnx.TensorProto.FLOAT, [BATCH, HEADS, total, DEPTH]))
            if is_first:
                nodes.append(helper.make_node("Identity", [projected(what)], [present]))
                return present
            inputs.append(helper.make_tensor_value_info(past, onnx.TensorProto.FLOAT, [BATCH, HEADS, "past", DEPTH]))
            nodes.append(helper.make_node("Concat", [past, projected(what)], [present], axis=2))
            return present

        query, keys, values = projected("q"), appended("k"), appended("v")
        scores = node("Mul", node("MatMul", query, node("Transpose", keys, perm=[0, 1, 3, 2])), scale)
        mixed = node("Transpose", node("MatMul", node("Softmax", scores, axis=-1), values), perm=[0, 2, 1, 3])
        x = node("Add", x, node("MatMul", node("Reshape", mixed, row), matrix(f"o{layer}", WIDTH, WIDTH)))
    logits = node("MatMul", x, matrix("head", WIDTH, WORDS))
    outputs.insert(0, helper.make_tensor_value_info(logits, onnx.TensorProto.FLOAT, [BATCH, tokens, WORDS]))
    graph = helper.make_graph(nodes, "decode", inputs, outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])


if __name__ == "__main__":
    main()
