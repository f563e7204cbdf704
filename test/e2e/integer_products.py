#!/usr/bin/env python3
"""Are ONNX's operators on integers what integers give?  integer_products.py HEDDLE TARGET...

One ONNX model holds MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv and DynamicQuantizeLinear with bytes of all signs, zero points at the ends
of their ranges, for each column and computed by the call, depths that kernels take in fours and others, and sums that wrap around. Sums must equal
NumPy's bit for bit, requantized results the sums that are scaled and rounded in f32, in the order of the operator's inputs. onnxruntime must give
the same, requantized results one step away in at most one of a thousand values.
"""

import pathlib
import sys
import tempfile

import numpy as np
from onnx import helper

from quantized_weights import F, Model, RANDOM, channels, differing, differing_from_onnxruntime, values

U8, I8 = np.uint8, np.int8


def ends(dtype):
    limits = np.iinfo(dtype)
    return dtype(limits.min), dtype(limits.max)


def wrapped(sums) -> np.ndarray:
    """Sums of 64 bits as 32 bits hold them."""
    return sums.astype(np.uint64).astype(np.uint32).view(np.int32)


def less(operand, zero, axis=-1) -> np.ndarray:
    """The difference to a zero point, or to one for each index of the axis."""
    zero = np.asarray(zero, np.int64)
    if zero.ndim:
        zero = zero.reshape([-1 if i == axis % operand.ndim else 1 for i in range(operand.ndim)])
    return operand.astype(np.int64) - zero


def windows_times(moved, weight, stride, groups) -> np.ndarray:
    """A padded image [b, i, h, w] times a filter [o, i / groups, k, k]."""
    windows = np.lib.stride_tricks.sliding_window_view(moved, weight.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    parts = [np.einsum("bihwyx,oiyx->bohw", image, part) for image, part in zip(np.split(windows, groups, 1), np.split(weight, groups))]
    return np.concatenate(parts, 1)


class Integers(Model):
    """`zeros` of both sides may be missing; what is in `given` is an input of the model, the rest is constant."""

    def operand(self, name, value, given) -> str:
        if not given:
            return self.constant(value)
        self.inputs[name] = np.asarray(value)
        return name

    def give(self, name, wanted):
        self.outputs.append(name)
        self.wanted[name] = wanted

    def matmul(self, name, lhs, weight, zeros=(), given=("x",)):
        names = [self.operand(part + name, value, part in given) for part, value in zip(("x", "w", "l", "r"), (lhs, weight, *zeros))]
        self.node("MatMulInteger", names, name)
        left, right = (*zeros, 0, 0)[:2]
        self.give(name, wrapped(less(lhs, left) @ less(weight, right)))

    def convolve(self, name, lhs, weight, zeros=(0, 0), stride=1, padding=0, groups=1, given=("x",)):
        zeros = lhs.dtype.type(zeros[0]), np.asarray(zeros[1], weight.dtype)
        names = [self.operand(part + name, value, part in given) for part, value in zip(("x", "w", "l", "r"), (lhs, weight, *zeros))]
        self.node("ConvInteger", names, name, strides=[stride] * 2, pads=[padding] * 4, group=groups)
        self.give(name, wrapped(self.sums(lhs, weight, zeros, stride, padding, groups)))

    @staticmethod
    def sums(lhs, weight, zeros, stride, padding, groups) -> np.ndarray:
        moved = np.pad(less(lhs, zeros[0]), [(0, 0), (0, 0), (padding,) * 2, (padding,) * 2])
        return windows_times(moved, less(weight, zeros[1], 0), stride, groups)

    def requantized(self, name, kind, lhs, weight, sums, scales, zeros, step, axis, bias=None, **attributes):
        """Sums in units of both scales, quantized by `step` to the zero point 7."""
        self.inputs["x" + name] = lhs
        scales = F(scales[0]), np.asarray(scales[1], F)
        zero = lhs.dtype.type(7)
        parameters = [self.constant(v) for v in (scales[0], lhs.dtype.type(zeros[0]), weight, scales[1],
                                                 np.broadcast_to(np.asarray(zeros[1], weight.dtype), scales[1].shape), F(step), zero)]
        self.node(kind, ["x" + name, *parameters, *([] if bias is None else [self.constant(bias)])], name, **attributes)
        beside = scales[1].reshape([-1 if i == axis % sums.ndim else 1 for i in range(sums.ndim)]) if scales[1].ndim else scales[1]
        real = wrapped(sums).astype(F) * scales[0] * beside
        limits = np.iinfo(lhs.dtype)
        self.give(name, np.clip(np.rint(real / F(step)) + zero, limits.min, limits.max).astype(lhs.dtype))

    def qlinear_matmul(self, name, lhs, weight, scales, zeros, step):
        self.requantized(name, "QLinearMatMul", lhs, weight, less(lhs, zeros[0]) @ less(weight, zeros[1]), scales, zeros, step, -1)

    def qlinear_conv(self, name, lhs, weight, scales, zeros, step, bias, stride=1, padding=0, groups=1):
        sums = self.sums(lhs, weight, zeros, stride, padding, groups) + bias.reshape(-1, 1, 1)
        self.requantized(name, "QLinearConv", lhs, weight, sums, scales, zeros, step, 1, bias, strides=[stride] * 2, pads=[padding] * 4, group=groups)

    def dynamic(self, name, x, weight):
        """A dynamic quantization, its scale and zero point, and the product of what it stores."""
        self.inputs["x" + name] = x
        stored, scale, zero, sums = (part + name for part in ("q", "s", "z", "p"))
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", ["x" + name], [stored, scale, zero]))
        self.node("MatMulInteger", [stored, self.constant(weight), zero], sums)
        least, largest = min(x.min(), F(0)), max(x.max(), F(0))
        step = (largest - least) / F(255)
        point = U8(np.rint(np.clip(-least / step, 0, 255)))
        integers = np.clip(np.rint(x / step) + F(point), 0, 255).astype(U8)
        for output, wanted in ((stored, integers), (scale, step), (zero, point), (sums, wrapped(less(integers, point) @ weight.astype(np.int64)))):
            self.give(output, np.asarray(wanted))


def add_sums(model):
    for left in (U8, I8):
        for right in (U8, I8):
            signs = f"{left.__name__}_{right.__name__}"
            for end, (lhs_zero, rhs_zero) in enumerate(zip(ends(left), ends(right))):
                model.matmul(f"{signs}_{end}", values((7, 36), left), values((36, 45), right), (lhs_zero, rhs_zero))
            model.matmul(signs + "_plain", values((5, 20), left), values((20, 33), right))
            model.matmul(signs + "_columns", values((2, 5, 64), left), values((64, 70), right), (ends(left)[1], values((70,), right)))
    model.matmul("vector", values((1, 64), U8), values((64, 33), I8), (U8(255), I8(0)))
    model.matmul("computed", values((7, 36), U8), values((36, 45), I8), (U8(201), I8(0)), given=("x", "l"))
    model.matmul("both_computed", values((7, 36), I8), values((36, 45), I8), (I8(-77), I8(13)), given=("x", "l", "r"))
    model.matmul("two_activations", values((2, 7, 36), U8), values((2, 36, 45), I8), (U8(3), I8(-4)), given=("x", "w"))
    # Terms that are no multiple of four; one column; sums that 32 bits do not hold.
    model.matmul("odd", values((7, 38), U8), values((38, 45), I8), (U8(255), values((45,), I8)))
    model.matmul("column", values((9, 16), U8), values((16, 1), I8), (U8(9), I8(1)))
    model.matmul("low", np.full((3, 33024), 255, U8), np.full((33024, 33), -128, I8), (U8(0), I8(127)))
    model.matmul("wraps", np.full((3, 40000), 255, U8), np.full((40000, 33), 0, U8), (U8(0), U8(255)))
    model.dynamic("positive", RANDOM.random((6, 32), F), values((32, 40), I8))
    model.dynamic("negative", -RANDOM.random((6, 32), F) * 3, values((32, 40), I8))
    model.dynamic("both", RANDOM.standard_normal((30, 68)).astype(F), values((68, 40), I8))
    model.dynamic("halves", (np.arange(-300, 212).reshape(16, 32) / 2).astype(F), values((32, 40), I8))


def add_convolutions(model):
    for left in (U8, I8):
        for right in (U8, I8):
            signs = f"conv_{left.__name__}_{right.__name__}"
            for end, zeros in enumerate(zip(ends(left), ends(right))):
                model.convolve(f"{signs}_{end}", values((1, 8, 9, 7), left), values((12, 8, 3, 3), right), zeros, padding=1)
    model.convolve("conv_plain", values((1, 8, 9, 17), U8), values((40, 8, 3, 3), I8), padding=1)
    model.convolve("conv_strided", values((2, 12, 10, 15), U8), values((33, 12, 3, 3), I8), (9, 0), stride=2, padding=1)
    model.convolve("conv_pointwise", values((1, 64, 7, 7), U8), values((70, 64, 1, 1), I8), (9, -3))
    model.convolve("conv_grouped", values((1, 16, 6, 7), U8), values((48, 8, 3, 3), I8), (3, 5), padding=1, groups=2)
    model.convolve("conv_depthwise", values((1, 16, 6, 7), U8), values((16, 1, 3, 3), I8), (3, 0), padding=1, groups=16)
    model.convolve("conv_three", values((1, 3, 12, 14), U8), values((10, 3, 3, 3), I8), (200, 1), stride=2, padding=1)
    model.convolve("conv_computed", values((1, 8, 9, 10), U8), values((40, 8, 3, 3), U8), (131, 120), padding=1, given=("x", "l"))


def add_requantized(model):
    for left, right in ((U8, I8), (U8, U8), (I8, I8)):
        signs = f"{left.__name__}_{right.__name__}"
        zeros = ends(left)[1], 0 if right is I8 else 128
        model.qlinear_matmul(f"qlinear_{signs}", values((7, 36), left), values((36, 45), right), (0.02, channels(45)), zeros, 0.2)
        bias = RANDOM.integers(-30000, 30000, 40).astype(np.int32)
        model.qlinear_conv(f"qconv_{signs}", values((1, 8, 9, 10), left), values((40, 8, 3, 3), right), (0.02, channels(40)), zeros, 0.4, bias, padding=1)
    bias = RANDOM.integers(-3000, 3000, 16).astype(np.int32)
    model.qlinear_conv("qconv_depthwise", values((1, 16, 9, 10), U8), values((16, 1, 3, 3), I8), (0.02, channels(16)), (7, 0), 0.1, bias, padding=1, groups=16)
    model.qlinear_conv("qconv_three", values((1, 3, 9, 10), U8), values((16, 3, 3, 3), I8), (0.02, 0.003), (7, 0), 0.1, bias, stride=2, padding=1)


def main() -> int:
    heddle, targets = sys.argv[1], sys.argv[2:]
    model = Integers()
    add_sums(model)
    add_convolutions(model)
    add_requantized(model)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        failed = differing(heddle, targets, model, folder, "results")
        failed += differing_from_onnxruntime(model, folder, is_exact=lambda name: not name.startswith(("qlinear", "qconv")))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
