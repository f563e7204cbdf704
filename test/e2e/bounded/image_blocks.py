"""Writes a model of what U-Nets are made of, for images of any number, height and width: a group norm, a convolution that halves the image, a sum with
a value per channel, images twice as large beside another one (one of them by a transposed convolution), and halves of channels of which one gates the other.

    image_blocks.py MODEL.onnx
"""

import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

CHANNELS, GROUPS = 16, 4


def main():
    random = np.random.default_rng(0)
    nodes, constants = [], []

    def constant(name, value):
        constants.append(numpy_helper.from_array(value, name))
        return name

    def weight(name, *shape):
        return constant(name, random.standard_normal(shape, dtype=np.float32) / 4)

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolve(x, name, inputs, outputs, stride=1):
        return node("Conv", [x, weight(f"{name}_w", outputs, inputs, 3, 3)], name, pads=[1, 1, 1, 1], strides=[stride, stride])

    x = convolve("x", "first", 3, CHANNELS)
    shape = node("Shape", [x], "shape")
    rows = node("Reshape", [x, constant("rows", np.array([0, GROUPS, -1]))], "grouped")
    normal = node("InstanceNormalization", [rows, weight("scale", GROUPS), weight("bias", GROUPS)], "normal")
    large = node("Reshape", [normal, shape], "large")
    half = convolve(large, "half", CHANNELS, CHANNELS, stride=2)
    value = node("Unsqueeze", ["t", constant("axes", np.array([2, 3]))], "value")
    shifted = node("Add", [half, value], "shifted")
    twice = constant("twice", np.array([1, 1, 2, 2], np.float32))
    up = node("Resize", [shifted, "", twice], "up", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    kernel = weight("grown_w", CHANNELS, CHANNELS, 3, 3)
    grown = node("ConvTranspose", [shifted, kernel], "grown", pads=[1, 1, 1, 1], strides=[2, 2], output_padding=[1, 1])
    both = node("Concat", [up, large, grown], "both", axis=1)
    merged = convolve(both, "merged", 3 * CHANNELS, CHANNELS)
    flat = node("Reshape", [merged, constant("columns", np.array([0, CHANNELS, -1]))], "flat")
    tokens = node("Transpose", [flat], "tokens", perm=[0, 2, 1])
    wide = node("MatMul", [tokens, weight("wide_w", CHANNELS, 2 * CHANNELS)], "wide")
    nodes.append(helper.make_node("Split", [wide], ["gated", "gate"], axis=2, num_outputs=2))
    node("Mul", ["gated", node("Sigmoid", ["gate"], "open")], "y")

    def tensor(name, *dims):
        return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)

    inputs = [tensor("x", "batch", 3, "height", "width"), tensor("t", "batch", CHANNELS)]
    # A view of another shape, and what follows from all.
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("up", "y")]
    graph = helper.make_graph(nodes, "blocks", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), sys.argv[1])


if __name__ == "__main__":
    main()
