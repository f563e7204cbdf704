#!/usr/bin/env python3
"""Are products of quantized activations and weights what integers give?  quantized_weights.py HEDDLE TARGET...

One ONNX model holds products and convolutions between DequantizeLinear and QuantizeLinear, of sizes that divide no tile, of all signs, with zero
points and with scales by channel, and of bytes whose products saturate sums of 16 bits. Each target's results must equal, bit for bit, exact sums
that are scaled and rounded once in f32; where a kernel multiplies floats, scales are powers of two, for which these are exact. onnxruntime's results,
computed in floats, may differ by one step in at most one of a thousand values.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F = np.float32
RANDOM = np.random.default_rng(0)
TYPES = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8, np.int32: TensorProto.INT32, F: TensorProto.FLOAT}


def values(shape, dtype) -> np.ndarray:
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max + 1, shape).astype(dtype)


class Model:
    """Nodes, constants, inputs and what the outputs must be."""

    def __init__(self):
        self.nodes, self.constants, self.inputs, self.outputs, self.wanted = [], [], {}, [], {}

    def constant(self, value) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, inputs, output=None, **attributes) -> str:
        output = output or f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def dequantized(self, name, scale, zero, axis) -> str:
        return self.node("DequantizeLinear", [name, self.constant(scale), self.constant(zero)], axis=axis)

    def finish(self, name, product, exact, scale, bias, channel_axis, step, relu):
        """Behind a product: a bias, max(x, 0), and a quantization by `step` to zero point 5."""
        # [channels] beside the result.
        def beside(vector):
            vector = np.asarray(vector, F)
            return vector.reshape([-1 if i == channel_axis else 1 for i in range(exact.ndim)]) if vector.ndim else vector
        assert np.abs(exact).max(initial=0) < 2**31
        real = exact.astype(F) * beside(scale)
        if bias is not None:
            product = self.node("Add", [product, self.constant(beside(bias))])
            real = real + beside(bias)
        if relu:
            product = self.node("Relu", [product])
            real = np.maximum(real, F(0))
        if step:
            zero = np.uint8(5)
            self.node("QuantizeLinear", [product, self.constant(F(step)), self.constant(zero)], name)
            real = np.clip(np.rint(real / F(step)) + zero, 0, 255).astype(np.uint8)
        else:
            self.node("Identity", [product], name)
        self.outputs.append(name)
        self.wanted[name] = real

    def product(self, name, lhs, weight, scales, zeros=(0, 0), bias=None, step=None, relu=False):
        """lhs [..., k] times weight [k, n]; scales and zero points of both sides."""
        self.inputs["x" + name] = lhs
        left = self.dequantized("x" + name, F(scales[0]), lhs.dtype.type(zeros[0]), 0)
        channels = np.shape(scales[1])
        right_zero = np.full(channels, zeros[1], weight.dtype)
        right = self.dequantized(self.constant(weight), np.asarray(scales[1], F), right_zero, 1)
        exact = (lhs.astype(np.int64) - zeros[0]) @ (weight.astype(np.int64) - zeros[1])
        scale = F(scales[0]) * np.asarray(scales[1], F)
        self.finish(name, self.node("MatMul", [left, right]), exact, scale, bias, exact.ndim - 1, step, relu)

    def convolution(self, name, lhs, weight, scales, zero=0, stride=1, padding=0, groups=1, step=None, relu=False):
        """lhs [1, i, h, w], weight [o, i / groups, k, k], scales of both sides."""
        self.inputs["x" + name] = lhs
        left = self.dequantized("x" + name, F(scales[0]), lhs.dtype.type(zero), 0)
        right = self.dequantized(self.constant(weight), np.asarray(scales[1], F), np.zeros(np.shape(scales[1]), weight.dtype), 0)
        product = self.node("Conv", [left, right], strides=[stride] * 2, pads=[padding] * 4, group=groups)
        moved = np.pad(lhs.astype(np.int64) - zero, [(0, 0), (0, 0), (padding,) * 2, (padding,) * 2])
        windows = np.lib.stride_tricks.sliding_window_view(moved, weight.shape[2:], (2, 3))[:, :, ::stride, ::stride]
        parts = [np.einsum("bihwyx,oiyx->bohw", i, o) for i, o in
                 zip(np.split(windows, groups, 1), np.split(weight.astype(np.int64), groups))]
        scale = F(scales[0]) * np.asarray(scales[1], F)
        self.finish(name, product, np.concatenate(parts, 1), scale, None, 1, step, relu)

    def save(self, path):
        info = helper.make_tensor_value_info
        kinds = {name: TYPES[value.dtype.type] for name, value in [*self.inputs.items(), *self.wanted.items()]}
        graph = helper.make_graph(self.nodes, "quantized", [info(name, kinds[name], value.shape) for name, value in self.inputs.items()],
                                  [info(name, kinds[name], self.wanted[name].shape) for name in self.outputs], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def channels(count) -> np.ndarray:
    return (RANDOM.random(count) / 500 + 1e-3).astype(F)


def build() -> Model:
    u8, i8 = np.uint8, np.int8
    model = Model()
    model.product("requantized", values((7, 36), u8), values((36, 45), i8), (0.021, channels(45)), (3, 0), channels(45) * 90, 0.17, relu=True)
    model.product("vector", values((1, 64), u8), values((64, 33), i8), (0.02, 0.003))
    model.product("deep", values((1, 1024), u8), values((1024, 100), i8), (0.02, channels(100)), (255, 0), step=0.5)
    model.product("batch", values((2, 5, 36), u8), values((36, 45), i8), (0.013, channels(45)), (128, 0))
    model.product("moved", values((9, 20), u8), values((20, 31), i8), (0.02, 0.003), (7, -9))
    model.product("low", np.full((3, 33024), 255, u8), np.full((33024, 33), -128, i8), (0.5, 0.25))
    model.product("high", np.full((3, 33024), 255, u8), np.full((33024, 33), 127, i8), (0.5, 0.25))
    model.product("signed", values((7, 36), i8), values((36, 45), i8), (0.02, channels(45)), (-3, 0))
    model.product("unsigned", values((7, 36), u8), values((36, 45), u8), (0.02, channels(45)), (3, 120))
    # Scales and zero points that stay in the file.
    model.product("wide", values((2, 8), u8), values((8, 1100), i8), (0.02, channels(1100)), (3, 0))
    # What kernels multiply as floats: terms that are no multiple of four.
    model.product("odd", values((7, 38), u8), values((38, 45), i8), (0.5, 0.25), (3, 0))
    model.convolution("padded", values((1, 8, 9, 17), u8), values((40, 8, 3, 3), i8), (0.02, channels(40)), padding=1, step=0.4, relu=True)
    model.convolution("strided", values((1, 12, 10, 15), u8), values((33, 12, 3, 3), i8), (0.02, channels(33)), stride=2, padding=1)
    model.convolution("pointwise", values((1, 64, 7, 7), u8), values((70, 64, 1, 1), i8), (0.02, channels(70)), zero=9)
    model.convolution("grouped", values((1, 16, 6, 7), u8), values((48, 8, 3, 3), i8), (0.02, 0.003), padding=1, groups=2)
    model.convolution("shifted", values((1, 4, 6, 7), u8), values((10, 4, 3, 3), i8), (0.02, 0.003), zero=200)
    model.convolution("moved_border", values((1, 4, 6, 7), u8), values((10, 4, 3, 3), i8), (0.5, 0.25), zero=200, padding=1)
    # Enough channels for products of matrices: copied with a border, by steps, by groups, and read where the border was put around before.
    model.convolution("many_channels", values((1, 64, 14, 13), u8), values((40, 64, 3, 3), i8), (0.02, channels(40)), padding=1, step=2, relu=True)
    model.convolution("many_strided", values((1, 64, 15, 12), u8), values((33, 64, 3, 3), i8), (0.02, channels(33)), stride=2, padding=1, step=2)
    model.convolution("many_grouped", values((1, 64, 9, 11), u8), values((96, 32, 3, 3), i8), (0.02, 0.003), padding=1, groups=2, step=1)
    model.convolution("many_moved", values((1, 32, 10, 9), u8), values((33, 32, 3, 3), i8), (0.02, channels(33)), zero=77, padding=1, step=1)
    model.convolution("three_channels", values((1, 3, 6, 7), u8), values((10, 3, 3, 3), i8), (0.5, 0.25), padding=1)
    return model


def equals(name, result, wanted) -> bool:
    if result.dtype == wanted.dtype and result.tobytes() == wanted.tobytes():
        return True
    print(f"  {name}: {np.count_nonzero(result != wanted)} of {wanted.size} values differ")
    return False


def compiled(heddle, target, model, folder) -> dict[str, np.ndarray]:
    """The results of the model in the folder, compiled for the target."""
    subprocess.run([heddle, "compile", "-q", folder / "model.onnx", "-t", target, "-o", folder / "model.heddle"], check=True)
    run = subprocess.run([heddle, "run", folder / "model.heddle", "--inputs", folder / "inputs.npz", "--output", folder / "out", "--json"],
                         check=True, stdout=subprocess.PIPE)
    return {output["name"]: np.load(output["file"]) for output in json.loads(run.stdout)["outputs"]}


def by_onnxruntime(model, folder) -> dict[str, np.ndarray]:
    """Those of onnxruntime, without its fusions."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    return dict(zip(model.outputs, session.run(model.outputs, model.inputs)))


def differing(heddle, targets, model, folder, what) -> int:
    """Puts the model and its inputs into the folder, and counts results of all targets that are not the wanted bits."""
    model.save(folder / "model.onnx")
    np.savez(folder / "inputs.npz", **model.inputs)
    failed = 0
    for target in targets:
        results = compiled(heddle, target, model, folder)
        equal = [equals(name, results[name], wanted) for name, wanted in model.wanted.items()]
        print(f"{target}: {len(equal)} {what}, {equal.count(False)} differ")
        failed += equal.count(False)
    return failed


def differing_from_onnxruntime(model, folder, is_exact=lambda name: False) -> int:
    """Counts results that onnxruntime has others for: exact ones by their bits, other integers by more than one step, or by one step at more than
    one value of a thousand."""
    failed = steps = count = 0
    for name, theirs in by_onnxruntime(model, folder).items():
        wanted = model.wanted[name]
        if is_exact(name):
            failed += not equals(f"onnxruntime's {name}", theirs, wanted)
            continue
        if wanted.dtype == F:
            good = np.allclose(theirs, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
        else:
            difference = np.abs(theirs.astype(np.int64) - wanted.astype(np.int64))
            steps, count, good = steps + np.count_nonzero(difference), count + wanted.size, difference.max(initial=0) <= 1
        if not good:
            print(f"  {name}: onnxruntime computes something else")
            failed += 1
    print(f"onnxruntime: {steps} of {count} values one step away")
    return failed + (steps > count / 1000)


def main() -> int:
    heddle, targets = sys.argv[1], sys.argv[2:]
    model = build()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        failed = differing(heddle, targets, model, folder, "products")
        failed += differing_from_onnxruntime(model, folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
