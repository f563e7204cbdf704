#!/usr/bin/env python3
"""Every operation on every format against a golden model that is exact.

    format_operations.py HEDDLE floats|halves|singles|integers|quantization|casts [PAIRS]

`floats`: formats of 8 bits and less, every pair of their values. `halves`: f16 and bf16, all values, and of pairs a grid of borders and PAIRS random ones.
`singles`: f32 and f64, pairs of borders, random ones, and random ones of like size. `integers`: i8 and ui8, every pair, and wider ones, pairs of borders and
random ones. `quantization`: prec.quantize of all values of f16 and bf16, and of borders of f32 and f64, to every storage, by every rounding, into whole ranges
and parts of them, and prec.dequantize of all that is stored. `casts`: ONNX's Cast and QuantizeLinear to floats of a byte, saturating and not, of all numbers
of f16 and bf16 and the ties of each format in f32.

Golden numbers of narrow formats come from f64, in which sums and products of these formats are exact or, like quotients and roots, round on to the right
number (53 bits are more than twice the format's and two), and are rounded to the format once; those of f32 and f64 from numpy, of integers from Python, and
of quantization from quotients that are rounded in the format as prec.quantize says. Programs run compiled and interpreted. NaN counts as NaN, whatever its
bits; formats without NaN are not asked for one.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

from conversions import FLOATS, has_nan, rounded
from narrow_floats import sources as narrow_sources
from narrow_integers import operations as integer_operations, wrapped

NARROW = [kind for kind in FLOATS if int(re.search(r"\d+", kind)[0]) <= 8]
HALVES = ["f16", "bf16"]


class Program:
    """Inputs, lines and results of a program; of each result what it must be and where that is asked."""

    def __init__(self):
        self.arguments, self.arrays, self.lines, self.returned, self.types, self.expected = [], [], [], [], [], []

    def argument(self, array, name) -> str:
        self.arguments.append(f"%x{len(self.arrays)}: tensor<{array.size}x{name}>")
        self.arrays.append(array)
        return f"x{len(self.arrays) - 1}"

    def line(self, text) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"%{name} = {text}")
        return name

    def result(self, what, value, count, name, golden, asked=True):
        self.returned.append(f"%{value}")
        self.types.append(f"tensor<{count}x{name}>")
        self.expected.append((what, golden, np.broadcast_to(asked, golden.shape)))

    def text(self) -> str:
        types = ", ".join(self.types)
        return "\n  ".join([f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{", *self.lines,
                            f"return {', '.join(self.returned)} : {types}"]) + "\n}\n"


# --- floats -------------------------------------------------------------------------------------------------------------------------------


def width(kind) -> int:
    return int(re.search(r"\d+", kind)[0])


def every(kind) -> np.ndarray:
    """All values, as bits."""
    return np.arange(1 << width(kind), dtype=np.uint8 if width(kind) <= 8 else np.uint16)


def number(bits, kind) -> np.ndarray:
    with np.errstate(all="ignore"):
        return bits.view(FLOATS[kind]).astype(np.float64)


def both_zero(a, b):
    return (a == 0) & (b == 0)


def maximum(a, b):
    """Of two zeros the positive one."""
    return np.where(both_zero(a, b), np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0), np.maximum(a, b))


def remainder(a, b):
    with np.errstate(all="ignore"):
        return np.fmod(a, b)


def away(a):
    # A half is not added: just below one half that rounds up to one.
    whole = np.floor(np.abs(a))
    with np.errstate(all="ignore"):
        return np.copysign(whole + (np.abs(a) - whole >= 0.5), a)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "remainder": remainder, "maximum": maximum,
          "minimum": lambda a, b: -maximum(-a, -b)}
UNARY = {"negate": np.negative, "abs": np.abs, "sqrt": np.sqrt, "ceil": np.ceil, "floor": np.floor, "round_nearest_even": np.rint,
         "round_nearest_afz": away, "sign": lambda a: np.where((a == 0) | np.isnan(a), a, np.sign(a))}
COMPARED = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}


def enter(program, bits, kind) -> str:
    """The format's values of an argument of bits: those of less than a byte by way of f32, which holds them."""
    if width(kind) < 8:
        value = program.argument(bits.view(FLOATS[kind]).astype(np.float32), "f32")
        return program.line(f"stablehlo.convert %{value} : (tensor<{bits.size}xf32>) -> tensor<{bits.size}x{kind}>")
    carrier = f"ui{width(kind)}"
    value = program.argument(bits, carrier)
    return program.line(f"stablehlo.bitcast_convert %{value} : (tensor<{bits.size}x{carrier}>) -> tensor<{bits.size}x{kind}>")


def float_result(program, kind, what, value, exact):
    """A result in the format, given back as f32."""
    golden = rounded(exact, kind).astype(np.float32)
    back = program.line(f"stablehlo.convert %{value} : (tensor<{exact.size}x{kind}>) -> tensor<{exact.size}xf32>")
    # What NaN and infinity become in a format without them is nobody's rule.
    program.result(f"{kind} {what}", back, exact.size, "f32", golden, True if has_nan(kind) else np.isfinite(exact))


def add_pairs(program, kind, left, right):
    a, b = enter(program, left, kind), enter(program, right, kind)
    x, y, count = number(left, kind), number(right, kind), left.size
    with np.errstate(all="ignore"):
        for op, golden in BINARY.items():
            value = program.line(f"stablehlo.{op} %{a}, %{b} : tensor<{count}x{kind}>")
            float_result(program, kind, op, value, golden(x, y))
        for direction, golden in COMPARED.items():
            value = program.line(f"stablehlo.compare {direction}, %{a}, %{b}, FLOAT : (tensor<{count}x{kind}>, tensor<{count}x{kind}>) -> tensor<{count}xi1>")
            program.result(f"{kind} {direction}", value, count, "i1", golden(x, y))


def add_each(program, kind):
    bits = every(kind)
    a, x = enter(program, bits, kind), number(bits, kind)
    with np.errstate(all="ignore"):
        for op, golden in UNARY.items():
            value = program.line(f"stablehlo.{op} %{a} : tensor<{bits.size}x{kind}>")
            float_result(program, kind, op, value, golden(x))
        value = program.line(f"stablehlo.is_finite %{a} : (tensor<{bits.size}x{kind}>) -> tensor<{bits.size}xi1>")
        program.result(f"{kind} is_finite", value, bits.size, "i1", np.isfinite(x))


def float_programs(_):
    for kind in NARROW:
        program = Program()
        bits = every(kind)
        add_each(program, kind)
        add_pairs(program, kind, np.repeat(bits, bits.size), np.tile(bits, bits.size))
        yield program


def borders(kind) -> np.ndarray:
    """Bits of what is at the limits of a format of 16 bits: zeros, subnormal and least normal numbers, ones, the largest, infinity, NaN, and neighbours."""
    mantissa = 10 if kind == "f16" else 7
    exponents = (1 << (15 - mantissa)) - 1
    at = {0, 1, 2, 3, (1 << mantissa) - 1, 1 << mantissa, exponents << mantissa, (exponents << mantissa) | 1 << (mantissa - 1)}
    for exponent in (1, mantissa, exponents // 2 - mantissa, exponents // 2, exponents // 2 + 1, exponents // 2 + mantissa + 1, exponents - 1):
        at |= {(exponent << mantissa) + step for step in (-1, 0, 1, 1 << (mantissa - 1), (1 << mantissa) - 1)}
    at = np.array(sorted(value for value in at if 0 <= value < 1 << 15), np.uint16)
    return np.concatenate([at, at | 0x8000])


def half_programs(pairs):
    random = np.random.default_rng(16)
    for kind in HALVES:
        program, edge = Program(), borders(kind)
        add_each(program, kind)
        add_pairs(program, kind, np.repeat(edge, edge.size), np.tile(edge, edge.size))
        yield program
        # A million at once, so that nothing large is held.
        for begin in range(0, pairs, 1 << 20):
            program, count = Program(), min(1 << 20, pairs - begin)
            add_pairs(program, kind, *random.integers(0, 1 << 16, (2, count), dtype=np.uint16))
            yield program


def wide_borders(kind) -> np.ndarray:
    """Limits of f32 or f64, ones, ties and their neighbours, of both signs."""
    info = np.finfo(kind)
    values = [0, info.smallest_subnormal, info.smallest_normal, info.eps, 0.5, 1, 1.5, 2.5, 3, 1 / 3, 2.0**info.nmant, 2.0**(info.nmant + 1) + 2]
    values = np.array([*values, info.max, np.inf], kind)
    with np.errstate(all="ignore"):
        near = np.concatenate([values, np.nextafter(values, kind(np.inf)), np.nextafter(values, kind(0))])
    return np.unique(np.concatenate([near, -near, [kind(np.nan)]]).view(f"u{kind().itemsize}"))


def wide_programs(pairs):
    """numpy's own operations of f32 and f64 are the golden ones: processors round these as IEEE 754 says."""
    random = np.random.default_rng(16)
    for kind in ("f32", "f64"):
        dtype = FLOATS[kind]
        edge = wide_borders(dtype)
        some = random.integers(0, 1 << 64, (2, pairs), dtype=np.uint64).astype(edge.dtype)
        # Numbers of like size, so that digits meet.
        like = (some[0] & ~edge.dtype.type(0xFFFF)) | (some[1] & edge.dtype.type(0xFFFF))
        left = np.concatenate([np.repeat(edge, edge.size), some[0], some[0]])
        right = np.concatenate([np.tile(edge, edge.size), some[1], like])
        program, count = Program(), left.size
        a, b = (program.argument(bits.view(dtype), kind) for bits in (left, right))
        x, y = left.view(dtype), right.view(dtype)
        with np.errstate(all="ignore"):
            for op, golden in BINARY.items():
                value = program.line(f"stablehlo.{op} %{a}, %{b} : tensor<{count}x{kind}>")
                program.result(f"{kind} {op}", value, count, kind, golden(x, y).astype(dtype))
            for direction, golden in COMPARED.items():
                value = program.line(f"stablehlo.compare {direction}, %{a}, %{b}, FLOAT : (tensor<{count}x{kind}>, tensor<{count}x{kind}>) -> "
                                     f"tensor<{count}xi1>")
                program.result(f"{kind} {direction}", value, count, "i1", golden(x, y))
            for op, golden in UNARY.items():
                value = program.line(f"stablehlo.{op} %{a} : tensor<{count}x{kind}>")
                program.result(f"{kind} {op}", value, count, kind, golden(x).astype(dtype))
        yield program


# --- integers -----------------------------------------------------------------------------------------------------------------------------


def integer_borders(width, signed) -> np.ndarray:
    """Limits, their neighbours, powers of two, counts of bits: both signs."""
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    values = {least, most, 0, 1, 2, 3, 7, 10, width - 1, width, width + 1}
    values |= {(1 << at) + step for at in (3, width // 2 - 1, width // 2, width - 2, width - 1) for step in (-1, 0, 1)}
    return sorted(value for value in values | {-value for value in values} if least <= value <= most)


def integer_pairs(width, signed, pairs, random):
    """Every pair of eight bits; of more a grid of borders, and random ones of any number of digits."""
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if width == 8:
        return [(a, b) for a in range(least, most + 1) for b in range(least, most + 1)]
    edge = integer_borders(width, signed)
    some = random.integers(least, most + 1 if width < 64 else most, (pairs, 2), dtype=np.int64 if signed else np.uint64)
    digits = random.integers(0, width, (pairs, 2)).astype(some.dtype)
    return [(a, b) for a in edge for b in edge] + list(zip(*(side.tolist() for side in (some >> digits).T)))


def integer_programs(pairs):
    random = np.random.default_rng(16)
    for width in (8, 16, 32, 64):
        for signed in (True, False):
            program, kind = Program(), f"{'' if signed else 'u'}i{width}"
            dtype = np.dtype(f"{'i' if signed else 'u'}{width // 8}").type
            both = integer_pairs(width, signed, pairs // 8, random)
            a, b = (program.argument(np.array(side, dtype), kind) for side in zip(*both))
            binary, unary = integer_operations(width, signed)
            # What a power is modulo the width, without the digits that it loses.
            whole = binary["power"]
            binary["power"] = lambda x, y: pow(x, y, 1 << width) if y >= 0 else whole(x, y)
            count = len(both)
            for op, meaning in binary.items():
                value = program.line(f"stablehlo.{op} %{a}, %{b} : tensor<{count}x{kind}>")
                program.result(f"{kind} {op}", value, count, kind, np.array([wrapped(meaning(x, y), width, signed) for x, y in both], dtype))
            for op, meaning in unary.items():
                value = program.line(f"stablehlo.{op} %{a} : tensor<{count}x{kind}>")
                program.result(f"{kind} {op}", value, count, kind, np.array([wrapped(meaning(x), width, signed) for x, _ in both], dtype))
            yield program


# --- quantization -------------------------------------------------------------------------------------------------------------------------


STORAGES = {"i2": (2, True), "ui2": (2, False), "i4": (4, True), "ui4": (4, False), "i8": (8, True), "ui8": (8, False), "i16": (16, True),
            "ui16": (16, False)}
ROUNDINGS = {"nearest_even": np.rint, "nearest_away": away, "toward_zero": np.trunc}
SCALES = [0.5, 0.1, 3.0]


def limits(kind):
    bits, signed = STORAGES[kind]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def held(kind):
    """numpy's type in files for a storage."""
    bits, signed = STORAGES[kind]
    return np.dtype(f"{'i' if signed else 'u'}{max(bits, 8) // 8}").type


def border_numbers(dtype) -> np.ndarray:
    """Halves and what is beside them, times every scale; limits of storages; what no storage holds."""
    whole = np.concatenate([np.arange(-300, 301) / 2, [least + step for kind in STORAGES for least in limits(kind) for step in (-1, -0.5, 0, 0.5, 1)],
                            [65503.5, 1e10, 1e30, 2.0**31, 2.0**63]])
    values = np.concatenate([whole * scale for scale in SCALES]).astype(dtype)
    values = np.concatenate([values, -values, [dtype(x) for x in (0.0, -0.0, np.inf, -np.inf, np.nan)]])
    return np.concatenate([values, np.nextafter(values, dtype(np.inf)), np.nextafter(values, dtype(-np.inf))])


def as_kind(values, kind) -> np.ndarray:
    """Numbers of f64 rounded to a format, as numbers of f64."""
    return rounded(np.asarray(values, np.float64), kind).astype(np.float64)


def zero_points(kind):
    least, most = limits(kind)
    return sorted({least, 0, most // 2 + 1 if least == 0 else -1, most})


def add_quantize(program, real, x, values):
    for storage in STORAGES:
        least, most = limits(storage)
        for rounding, way in ROUNDINGS.items():
            for turn, scale in enumerate(SCALES):
                zero = zero_points(storage)[turn % len(zero_points(storage))]
                # The whole range, and a part of it as symmetric models have it.
                low, high = (least, most) if turn != 1 else (max(least, -most), most)
                scale_value = program.line(f"stablehlo.constant dense<{scale}> : tensor<{real}>")
                zero_value = program.line(f"stablehlo.constant dense<{zero}> : tensor<{storage}>")
                value = program.line(f"prec.quantize %{x}, %{scale_value}, %{zero_value} rounding {rounding} range {low} to {high} : "
                                     f"tensor<{values.size}x{real}>, tensor<{real}>, tensor<{storage}> -> tensor<{values.size}x{storage}>")
                with np.errstate(all="ignore"):
                    moved = way(as_kind(values / as_kind(scale, real), real)) + zero
                    golden = np.where(np.isnan(moved), min(max(0, low), high), np.clip(moved, low, high)).astype(held(storage))
                program.result(f"quantize {real} to {storage}, {rounding}, scale {scale}, zero point {zero}, {low} to {high}", value, values.size, storage,
                               golden)


def add_dequantize(program, storage, real, scale_kind):
    least, most = limits(storage)
    stored = np.arange(least, most + 1).astype(held(storage))
    # Files have no type for less than a byte: such numbers travel as their bits.
    x = program.argument(stored.view(np.uint8) if STORAGES[storage][0] < 8 else stored, storage)
    for scale in SCALES:
        for zero in zero_points(storage):
            scale_value = program.line(f"stablehlo.constant dense<{scale}> : tensor<{scale_kind}>")
            zero_value = program.line(f"stablehlo.constant dense<{zero}> : tensor<{storage}>")
            value = program.line(f"prec.dequantize %{x}, %{scale_value}, %{zero_value} : tensor<{stored.size}x{storage}>, tensor<{scale_kind}>, "
                                 f"tensor<{storage}> -> tensor<{stored.size}x{real}>")
            with np.errstate(all="ignore"):
                exact = (stored.astype(np.float64) - zero) * as_kind(scale, scale_kind)
                golden = rounded(exact, real)
            if real == "bf16":
                value = program.line(f"stablehlo.convert %{value} : (tensor<{stored.size}xbf16>) -> tensor<{stored.size}xf32>")
                golden = golden.astype(np.float32)
            program.result(f"dequantize {storage} to {real}, scale {scale} of {scale_kind}, zero point {zero}", value, stored.size,
                           "f32" if real == "bf16" else real, golden)


def quantization_programs(_):
    for real in ("f16", "bf16", "f32", "f64"):
        program = Program()
        if real in HALVES:
            bits = every(real)
            x, values = enter(program, bits, real), number(bits, real)
        else:
            values = border_numbers(np.float32 if real == "f32" else np.float64)
            x = program.argument(values, real)
            values = values.astype(np.float64)
        add_quantize(program, real, x, values)
        yield program
        # Weights of models in half precision may have scales of f32.
        for scale_kind in [real, "f32"] if real in HALVES else [real]:
            program = Program()
            for storage in STORAGES:
                add_dequantize(program, storage, real, scale_kind)
            yield program


# --- ONNX's casts -------------------------------------------------------------------------------------------------------------------------


def cast(exact, kind, saturates):
    """Rounded once; what is beyond the largest number becomes that, if it saturates."""
    largest = float(ml_dtypes.finfo(FLOATS[kind]).max)
    with np.errstate(all="ignore"):
        return rounded(np.clip(exact, -largest, largest) if saturates else exact, kind)


def cast_values(kind, source) -> np.ndarray:
    """All numbers of f16 and bf16, or of f32 those and the ties of the format with what is beside them."""
    if source in HALVES:
        return every(source).view(FLOATS[source])
    return narrow_sources(FLOATS[kind], every(kind).view(FLOATS[kind]))


def cast_model(folder, saturates):
    """A model, its inputs, and what its outputs must be: Cast from each float, and QuantizeLinear of f32."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    types = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16, "f8E4M3FN": TensorProto.FLOAT8E4M3FN,
             "f8E4M3FNUZ": TensorProto.FLOAT8E4M3FNUZ, "f8E5M2": TensorProto.FLOAT8E5M2, "f8E5M2FNUZ": TensorProto.FLOAT8E5M2FNUZ}
    nodes, inputs, outputs, constants, expected = [], {}, [], [], {}

    def back(name, golden):
        nodes.append(helper.make_node("Cast", [f"n{name}"], [name], to=TensorProto.FLOAT))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, golden.shape))
        expected[name] = golden.astype(np.float32)

    for kind in list(types)[3:]:
        for source in ("f32", "f16", "bf16"):
            values, name = cast_values(kind, source), f"{kind}_{source}"
            with np.errstate(all="ignore"):
                exact = values.astype(np.float64)
            # Files hold bf16 as f32.
            inputs[f"x{name}"] = values.astype(np.float32) if source == "bf16" else values
            value = f"x{name}"
            if source == "bf16":
                nodes.append(helper.make_node("Cast", [value], [f"b{name}"], to=TensorProto.BFLOAT16))
                value = f"b{name}"
            nodes.append(helper.make_node("Cast", [value], [f"n{name}"], to=types[kind], saturate=saturates))
            back(name, cast(exact, kind, saturates))
            if source != "f32":
                continue
            for scale in (0.5, 0.1):
                name = f"{kind}_quantized_{scale}"
                constants.append(numpy_helper.from_array(np.float32(scale), f"s{name}"))
                constants.append(helper.make_tensor(f"z{name}", types[kind], [], [0.0]))
                nodes.append(helper.make_node("QuantizeLinear", [value, f"s{name}", f"z{name}"], [f"n{name}"], saturate=saturates))
                with np.errstate(all="ignore"):
                    back(name, cast((values / np.float32(scale)).astype(np.float64), kind, saturates))
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT16 if value.dtype == np.float16 else TensorProto.FLOAT, value.shape)
             for name, value in inputs.items()]
    graph = helper.make_graph(nodes, "casts", infos, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), folder / "casts.onnx")
    np.savez(folder / "casts.npz", **inputs)
    return expected


def casts_differ(heddle, folder) -> tuple[int, int]:
    count = differ = 0
    for saturates in (1, 0):
        expected = cast_model(folder, saturates)
        told = run(heddle, "run", ["-q", folder / "casts.onnx", "--inputs", folder / "casts.npz", "--output", folder / "casts", "--json"])
        files = {output["name"]: output["file"] for output in json.loads(told)["outputs"]}
        for name, golden in expected.items():
            count += 1
            ours = np.load(files[name])
            wrong = np.flatnonzero(~same(ours, golden))
            differ += bool(len(wrong))
            if len(wrong):
                print(f"{name}, saturate {saturates}: number {wrong[0]} is {ours[wrong[0]]}, not {golden[wrong[0]]} ({len(wrong)} differ)")
    return count, differ


# --- comparison ---------------------------------------------------------------------------------------------------------------------------


def same(ours, golden):
    """Equal bits, one NaN for all."""
    if not np.issubdtype(golden.dtype, np.floating):
        return ours == golden.astype(ours.dtype)
    kind = f"u{golden.dtype.itemsize}"
    return (ours.view(kind) == np.ascontiguousarray(golden).view(kind)) | (np.isnan(ours) & np.isnan(golden))


def run(heddle, command, options):
    done = subprocess.run([heddle, command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode and not (command == "compare" and "WRONG" in done.stdout):
        sys.exit(f"heddle {command} failed:\n{done.stdout[-2000:]}")
    return done.stdout


def differing(heddle, program, folder) -> int:
    (folder / "program.mlir").write_text(program.text())
    inputs = []
    for i, array in enumerate(program.arrays):
        np.save(folder / f"in{i}.npy", array)
        inputs += ["--input", f"{i}=@{folder / f'in{i}.npy'}"]
    run(heddle, "run", ["-q", folder / "program.mlir", *inputs, "--output", folder / "out"])
    compared = run(heddle, "compare", ["-q", folder / "program.mlir", *inputs, "--rtol", "0", "--atol", "0"])
    differ = 0
    for i, (what, golden, asked) in enumerate(program.expected):
        ours = np.load(folder / "out" / f"out{i}.npy")
        assert ours.shape == golden.shape, (what, ours.shape, golden.shape)
        wrong = np.flatnonzero(~same(ours, golden) & asked)
        interpreted = re.search(rf"WRONG .*\bout{i}$", compared, re.MULTILINE)
        differ += bool(len(wrong) or interpreted)
        if len(wrong):
            print(f"{what}: number {wrong[0]} is {ours[wrong[0]]}, not {golden[wrong[0]]} ({len(wrong)} differ)")
        if interpreted:
            print(f"{what}: interpreted: {interpreted[0]}")
    return differ


def main():
    heddle, which = sys.argv[1], sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 16
    make = {"floats": float_programs, "halves": half_programs, "singles": wide_programs, "integers": integer_programs, "quantization": quantization_programs}
    count = differ = 0
    with tempfile.TemporaryDirectory() as folder:
        if which == "casts":
            count, differ = casts_differ(heddle, pathlib.Path(folder))
        else:
            for program in make[which](pairs):
                count += len(program.expected)
                differ += differing(heddle, program, pathlib.Path(folder))
    print(f"{count} operations, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
