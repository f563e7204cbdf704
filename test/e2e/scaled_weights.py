#!/usr/bin/env python3
"""Are products with weights in units of scales by blocks what the scales say?  scaled_weights.py HEDDLE TARGET...

One ONNX model holds MatMulNBits and DequantizeLinear before MatMul: 4 and 8 bits, signed and not, blocks of 16 to 256 terms, a scale for each column and
for all, depths that they do not divide, columns that fill no panel, one row, few and many, zero points that are none, packed, floats, a bias, and
activations and scales of f16. The weights are dequantized here by NumPy, from packed bytes, and multiplied in f64; where activations are small integers
and scales powers of two, results must be these bits, elsewhere as near as f32's sums in chains must be. Levels that fuse products into sums must agree
to the bit.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from quantized_weights import F, Model, RANDOM, by_onnxruntime, compiled
from onnx import TensorProto, helper, numpy_helper

U8, I8, F16 = np.uint8, np.int8, np.float16
# The longest sum that is scaled by itself.
LONGEST_CHAIN = 128


class ScaledModel(Model):
    """Of each result: its value in f64, the sum of its terms' magnitudes, how many roundings it has; none where it is exact."""

    def __init__(self):
        super().__init__()
        self.bounds = {}

    def narrow(self, values, kind) -> str:
        """A constant of int4 or uint4."""
        name = f"c{len(self.constants)}"
        self.constants.append(helper.make_tensor(name, kind, values.shape, values.flatten().tolist()))
        return name

    def want(self, name, x, real, block, exact, bias=None):
        """The result has the type of `x`."""
        real = real.astype(np.float64)
        result = x.astype(np.float64) @ real
        size = np.abs(x.astype(np.float64)) @ np.abs(real)
        if bias is not None:
            result, size = result + bias, size + np.abs(bias)
        self.outputs.append(name)
        self.wanted[name] = result.astype(x.dtype)
        chains = -(-real.shape[0] // min(block, LONGEST_CHAIN))
        roundings = min(block, LONGEST_CHAIN) + 2 * chains + 4
        # The last rounding is to the result's type.
        self.bounds[name] = None if exact else size * roundings * 2.0**-24 + np.abs(result) * np.finfo(x.dtype).eps / 2

    def scales(self, shape, exact) -> np.ndarray:
        return (2.0 ** RANDOM.integers(-3, 2, shape) if exact else RANDOM.random(shape) / 8 + 0.01).astype(F)

    def rows(self, shape, exact) -> np.ndarray:
        return RANDOM.integers(-4, 5, shape).astype(F) if exact else RANDOM.standard_normal(shape).astype(F)

    def n_bits(self, name, rows, depth, columns, bits, block, zeros=None, bias=False, exact=False, kind=F):
        """MatMulNBits of activations and scales of `kind`; `zeros` is "packed", "float" or nothing."""
        blocks = -(-depth // block)
        packed = RANDOM.integers(0, 256, (columns, blocks, block * bits // 8)).astype(U8)
        scale = self.scales((columns, blocks), exact).astype(kind)
        # Low bits first.
        numbers = packed if bits == 8 else np.stack([packed & 15, packed >> 4], -1)
        numbers = numbers.reshape(columns, blocks, block).astype(np.int64)
        inputs = ["x" + name, self.constant(packed), self.constant(scale.reshape(-1))]
        if zeros == "packed":
            width = -(-blocks * bits // 8)
            bytes_ = RANDOM.integers(0, 256, (columns, width)).astype(U8)
            each = bytes_ if bits == 8 else np.stack([bytes_ & 15, bytes_ >> 4], -1).reshape(columns, -1)
            zero = each[:, :blocks].astype(np.float64)
            inputs.append(self.constant(bytes_.reshape(-1)))
        elif zeros == "float":
            zero = RANDOM.integers(0, 2**bits, (columns, blocks)).astype(F) + F(0.5)
            inputs.append(self.constant(zero.reshape(-1)))
        else:
            zero = np.full((columns, blocks), 2.0 ** (bits - 1))
        real = (numbers - zero[..., None]) * scale[..., None].astype(np.float64)
        real = real.reshape(columns, -1)[:, :depth].T
        added = None
        if bias:
            added = self.rows(columns, exact)
            inputs += [""] * (5 - len(inputs)) + [self.constant(added)]
        self.inputs["x" + name] = self.rows((*rows, depth), exact).astype(kind)
        self.nodes.append(helper.make_node("MatMulNBits", inputs, [name], domain="com.microsoft", K=depth, N=columns, bits=bits, block_size=block))
        self.want(name, self.inputs["x" + name], real, block, exact, added)

    def dequantized(self, name, rows, depth, columns, kind, block, zeros=False, transposed=False, exact=False):
        """DequantizeLinear by blocks of rows, or of columns of what is transposed then. Without blocks it has a scale for each column, or, where `block` is
        "all", one."""
        least, most = {"int4": (-8, 7), "uint4": (0, 15), "int8": (-128, 127), "uint8": (0, 255)}[kind]
        length = block if isinstance(block, int) else depth
        blocks, parameters = -(-depth // length), 1 if block == "all" else columns
        numbers = RANDOM.integers(least, most + 1, (depth, columns))
        scale = self.scales((blocks, parameters), exact)
        zero = RANDOM.integers(least, most + 1, (blocks, parameters)) if zeros else np.zeros((blocks, parameters), np.int64)
        each = np.repeat(np.arange(blocks), length)[:depth]
        real = (numbers - zero[each]) * scale[each].astype(np.float64)
        way = {}
        if isinstance(block, int):
            way = {"axis": 1 if transposed else 0, "block_size": block}
        else:
            scale, zero = (value.reshape(() if block == "all" else -1) for value in (scale, zero))
            way = {} if block == "all" else {"axis": 0 if transposed else 1}

        def stored(values):
            values = values.T if transposed else values
            if kind.endswith("4"):
                return self.narrow(values, TensorProto.INT4 if kind == "int4" else TensorProto.UINT4)
            return self.constant(values.astype(I8 if kind == "int8" else U8))
        inputs = [stored(numbers), self.constant(scale.T.copy() if transposed else scale)] + ([stored(zero)] if zeros else [])
        weight = self.node("DequantizeLinear", inputs, **way)
        if transposed:
            weight = self.node("Transpose", [weight], perm=[1, 0])
        self.inputs["x" + name] = self.rows((*rows, depth), exact)
        self.node("MatMul", ["x" + name, weight], name)
        self.want(name, self.inputs["x" + name], real, length, exact)

    def save(self, path):
        import onnx
        def info(name, value):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT16 if value.dtype == F16 else TensorProto.FLOAT, value.shape)
        graph = helper.make_graph(self.nodes, "scaled", [info(name, value) for name, value in self.inputs.items()],
                                  [info(name, self.wanted[name]) for name in self.outputs], self.constants)
        domains = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=domains, ir_version=10), path)


def build() -> ScaledModel:
    model = ScaledModel()
    for exact in (True, False):
        way = "exact_" if exact else ""
        model.n_bits(way + "row", (1,), 256, 200, 4, 32, exact=exact)
        model.n_bits(way + "packed", (3,), 192, 70, 4, 16, "packed", exact=exact)
        model.n_bits(way + "bias", (2, 5), 128, 33, 4, 64, "packed", bias=True, exact=exact)
        model.n_bits(way + "ragged", (1,), 200, 40, 4, 32, exact=exact)
        model.n_bits(way + "long", (7,), 512, 64, 4, 256, exact=exact)
        model.n_bits(way + "bytes", (1,), 256, 200, 8, 32, exact=exact)
        model.n_bits(way + "bytes_packed", (9,), 160, 50, 8, 128, "packed", exact=exact)
        model.n_bits(way + "many", (45,), 1056, 96, 4, 32, "packed", exact=exact)
        model.dequantized(way + "signed", (4,), 96, 40, "int4", 32, exact=exact)
        model.dequantized(way + "unsigned", (1,), 96, 129, "uint4", 16, zeros=True, exact=exact)
        model.dequantized(way + "transposed", (3,), 104, 40, "int8", 32, transposed=True, exact=exact)
        model.dequantized(way + "column", (1,), 200, 70, "int8", "column", exact=exact)
        model.dequantized(way + "columns_moved", (5,), 131, 40, "uint8", "column", zeros=True, transposed=True, exact=exact)
        model.dequantized(way + "column_nibbles", (3,), 264, 40, "int4", "column", exact=exact)
        model.dequantized(way + "one_scale", (2,), 96, 40, "uint8", "all", zeros=True, exact=exact)
        model.n_bits(way + "half", (1,), 256, 200, 4, 32, exact=exact, kind=F16)
        model.n_bits(way + "half_packed", (3,), 96, 40, 4, 32, "packed", exact=exact, kind=F16)
    model.dequantized("odd", (3,), 39, 40, "uint8", 16, zeros=True)
    # What is dequantized when compiling: zero points that are floats, terms that no word holds.
    model.n_bits("floats", (3,), 64, 40, 4, 32, "float")
    model.dequantized("odd_nibbles", (3,), 39, 40, "uint4", 16, zeros=True)
    return model


def differs(model, name, result) -> bool:
    wanted, bound = model.wanted[name], model.bounds[name]
    bad = result != wanted if bound is None else np.abs(result.astype(np.float64) - wanted) > bound
    if result.dtype != wanted.dtype or result.shape != wanted.shape or bad.any():
        print(f"  {name}: {np.count_nonzero(bad)} of {wanted.size} values differ")
        return True
    return False


def most_growth(heddle, folder) -> float:
    """The largest quotient of the bytes that an artifact's weights have and those that the model's numbers, scales and zero points have."""
    quotients = []
    for bits, block, zeros in [(4, 32, "packed"), (4, 32, None), (8, 64, "packed")]:
        model = ScaledModel()
        model.n_bits("y", (1,), 512, 512, bits, block, zeros)
        model.save(folder / "size.onnx")
        subprocess.run([heddle, "compile", "-q", "--force", folder / "size.onnx", "-t", "x86-64-v3", "-o", folder / "size.heddle"], check=True)
        shown = subprocess.run([heddle, "inspect", folder / "size.heddle", "--json"], check=True, stdout=subprocess.PIPE)
        given = sum(numpy_helper.to_array(constant).nbytes for constant in model.constants)
        quotients.append(json.loads(shown.stdout)["weight_bytes"] / given)
    return max(quotients)


def main() -> int:
    heddle, targets = sys.argv[1], sys.argv[2:]
    model, failed, fused = build(), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model.save(folder / "model.onnx")
        np.savez(folder / "inputs.npz", **model.inputs)
        for target in targets:
            results = compiled(heddle, target, model, folder)
            count = sum(differs(model, name, results[name]) for name in model.outputs)
            print(f"{target}: {len(model.outputs)} results, {count} differ from NumPy")
            failed += count
            if target != "x86-64-v2":
                fused[target] = results
        theirs = by_onnxruntime(model, folder)
        count = 0
        for name in model.outputs:
            limit = (1e-2 if theirs[name].dtype == F16 else 1e-4) * np.abs(model.wanted[name].astype(np.float64)).max()
            if np.abs(theirs[name].astype(np.float64) - model.wanted[name]).max() > limit:
                print(f"  {name}: onnxruntime computes something else")
                count += 1
        print(f"onnxruntime: {len(model.outputs)} results, {count} differ")
        failed += count
        growth = most_growth(heddle, folder)
        print(f"weights take at most {growth:.3f} of the model's bytes: {'ok' if growth <= 1.05 else 'WRONG'}")
        failed += growth > 1.05
    first, *others = fused.values()
    count = sum(first[name].tobytes() != other[name].tobytes() for other in others for name in model.outputs)
    print(f"bits: {count} results of levels with fused sums differ")
    return 1 if failed + count else 0


if __name__ == "__main__":
    sys.exit(main())
