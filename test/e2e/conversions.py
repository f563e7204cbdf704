#!/usr/bin/env python3
"""Conversions between all pairs of element types: compiled against interpreted, and against numbers made here.

    conversions.py HEDDLE

All values of types of 16 bits and less, and of wider ones those where something changes: limits of each type, their neighbours, ties
between neighbouring floats, NaN, infinities, subnormal numbers. Expected numbers come from exact arithmetic on Python's integers and
fractions. Where the specification leaves it to the implementation: floats beyond an integer type's limits become the nearest limit, NaN
becomes 0, and complex numbers lose their imaginary part.

Types that files of numpy lack travel as a type that holds all of their values. Prints what differs, and `N pairs, N differ`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

INTEGERS = {"i1": (1, False), "i2": (2, True), "i4": (4, True), "i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True),
            "ui2": (2, False), "ui4": (4, False), "ui8": (8, False), "ui16": (16, False), "ui32": (32, False), "ui64": (64, False)}
FLOATS = {"f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
          "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
          "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
          "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64}
COMPLEX = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
TYPES = [*INTEGERS, *FLOATS, *COMPLEX]
GROUPS = [["i1", "i2", "i4", "i8", "i16"], ["ui2", "ui4", "ui8", "ui16"], ["i32", "i64", "ui32", "ui64"], list(FLOATS)[:10], ["bf16", "f16"],
          ["f32", "f64", *COMPLEX]]


def limits(kind):
    width, signed = INTEGERS[kind]
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def is_narrow(kind):
    """Whether numpy's own types lack this float."""
    return kind in FLOATS and kind not in ("f16", "f32", "f64")


# --- how values travel: the type of the file, and text that makes `%r` of type `kind` of `%f` of the file's, and back --------------------


def carrier(kind):
    """numpy's type in files, and heddle's name for it."""
    if kind in INTEGERS:
        width, signed = INTEGERS[kind]
        if kind == "i1":
            return np.uint8, "ui8"
        width = max(width, 8)
        return np.dtype(f"{'i' if signed else 'u'}{width // 8}").type, f"{'' if signed else 'u'}i{width}"
    if is_narrow(kind):
        return np.float32, "f32"
    return (FLOATS | COMPLEX)[kind], kind


def crossing(kind, count, inward):
    """The operation between the file's type and the type itself; none where they are the same."""
    name = carrier(kind)[1]
    if name == kind:
        return ""
    source, target = (name, kind) if inward else (kind, name)
    return f"stablehlo.convert %{{}} : (tensor<{count}x{source}>) -> tensor<{count}x{target}>"


# --- values -------------------------------------------------------------------------------------------------------------------------------


def edges():
    """Numbers at which conversions change, as Python's integers and floats."""
    whole = {0, 1, 2, 3, 5, 7, 10, 100}
    for bits in range(1, 66):
        for off in (-2, -1, 0, 1, 2):
            whole.add((1 << bits) + off)
    for mantissa in (3, 4, 8, 11, 24, 53):  # ties, and what is just beside them
        for bits in (mantissa, mantissa + 3, mantissa + 9, 30, 31, 63):
            for step in (1, 3):
                tie = (1 << bits) + (step << max(bits - mantissa, 0))
                whole |= {tie - 1, tie, tie + 1}
    # Twice rounded, these go wrong: f32 takes them to a tie of a narrower type.
    whole |= {(1 << 60) + (1 << 52) + 1, (1 << 60) + (1 << 52) - 1, (1 << 62) + (1 << 51) + 1}
    whole = sorted(whole | {-value for value in whole})
    parts = [0.1, 0.5, 0.75, 0.999, 1.5, 2.5, 3.5, 126.5, 127.5, 128.5, 254.5, 255.5, 32767.5, 65503.9, 65519.9, 65520.0, 2147483647.5, 4294967295.5,
             9.2e18, 1.8e19, 1e20, 3e38, 3.5e38, 1e300, 1e-5, 6e-8, 3e-8, 2.9e-8, 1e-40, 1e-45, 1e-50, 5e-324, 1.18e-38]
    return whole, parts + [-part for part in parts] + [0.0, -0.0, np.inf, -np.inf, np.nan]


def values_of(kind):
    """All values, or the edges, in the type that files hold."""
    whole, parts = edges()
    if kind in INTEGERS:
        low, high = limits(kind)
        numbers = range(low, high + 1) if high - low < 1 << 16 else [value for value in whole if low <= value <= high]
        return np.array(list(numbers), carrier(kind)[0])
    with np.errstate(all="ignore"):
        if is_narrow(kind) or kind == "f16":
            width = int(re.search(r"\d+", kind)[0])
            bits = np.arange(1 << width, dtype=np.uint16 if width == 16 else np.uint8)
            return bits.view(FLOATS[kind]).astype(carrier(kind)[0])
        if kind in FLOATS:
            exact = np.array([float(value) for value in whole] + parts, np.float64)
            # Ties of the narrower types are numbers of this one.
            near = np.concatenate([exact, np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf)])
            return near.astype(FLOATS[kind])
        real = values_of("f32" if kind == "complex<f32>" else "f64")
        return (real + 1j * real[::-1]).astype(COMPLEX[kind])


# --- what a conversion is -----------------------------------------------------------------------------------------------------------------


def rounded(exact, kind):
    """f64 numbers as bits of a float type, rounded once."""
    if is_narrow(kind):
        # ml_dtypes goes by f32: what is lost on the way there is kept in the last bit, so that it does not round twice.
        single = exact.astype(np.float32)
        lost = np.isfinite(single) & (single.astype(np.float64) != exact)
        bits = single.view(np.int32).copy()
        away = lost & (np.abs(single.astype(np.float64)) > np.abs(exact))
        bits[away] -= 1
        bits[lost] |= 1
        return bits.view(np.float32).astype(FLOATS[kind])
    return exact.astype(FLOATS[kind])


def as_odd(value):
    """An integer as a double of 53 bits that rounds on as the integer itself does."""
    shift = max(abs(value).bit_length() - 53, 0)
    kept = abs(value) >> shift
    if kept << shift != abs(value):
        kept |= 1
    return (-1 if value < 0 else 1) * float(kept << shift)


def expected(values, source, target):
    """Values of the source's file type as the target's file type."""
    with np.errstate(all="ignore"):
        return converted(values, source, target)


def converted(values, source, target):
    if target in INTEGERS:
        width, signed = INTEGERS[target]
        low, high = limits(target)

        def whole(value):
            if source in INTEGERS:
                value = int(value)
                if target == "i1":
                    return int(value != 0)
                value &= (1 << width) - 1
                return value - (1 << width) if signed and value >> (width - 1) else value
            if target == "i1":
                return int(value != 0)
            if np.isnan(value):
                return 0
            return high if value >= high + 1 else low if value <= low - 1 else int(value)

        parts = values.real if source in COMPLEX and target != "i1" else values
        return np.array([whole(value) for value in parts.tolist()], carrier(target)[0])
    if target in COMPLEX:
        part = "f32" if target == "complex<f32>" else "f64"
        return values.astype(COMPLEX[target]) if source in COMPLEX else converted(values, source, part).astype(COMPLEX[target])
    if source in INTEGERS:
        exact = np.array([(float if target == "f64" else as_odd)(value) for value in values.tolist()])
    else:
        exact = (values.real if source in COMPLEX else values).astype(np.float64)
    return rounded(exact, target).astype(carrier(target)[0])


def bits_of(array):
    """What is compared: bits, one NaN for all."""
    if np.issubdtype(array.dtype, np.complexfloating):
        array = np.ascontiguousarray(array).view(array.real.dtype)
    if np.issubdtype(array.dtype, np.floating):
        array = np.where(np.isnan(array), array.dtype.type(np.nan), array)
        return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return array


def has_nan(kind):
    return kind not in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")


# --- programs -----------------------------------------------------------------------------------------------------------------------------


def program(sources, arrays):
    arguments, lines, returned, types = [], [], [], []
    for number, source in enumerate(sources):
        count = len(arrays[source])
        arguments.append(f"%in{number}: tensor<{count}x{carrier(source)[1]}>")
        value = f"in{number}"
        if text := crossing(source, count, True):
            lines.append(f"%s{number} = {text.format(value)}")
            value = f"s{number}"
        for target in TYPES:
            name = f"r{len(returned)}"
            lines.append(f"%{name} = stablehlo.convert %{value} : (tensor<{count}x{source}>) -> tensor<{count}x{target}>")
            if text := crossing(target, count, False):
                lines.append(f"%{name}c = {text.format(name)}")
                name += "c"
            returned.append(f"%{name}")
            types.append(f"tensor<{count}x{carrier(target)[1]}>")
    return "func.func @main({}) -> ({}) {{\n  {}\n  return {} : {}\n}}\n".format(
        ", ".join(arguments), ", ".join(types), "\n  ".join(lines), ", ".join(returned), ", ".join(types))


def run(heddle, command, options):
    done = subprocess.run([heddle, command, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode and not (command == "compare" and "WRONG" in done.stdout):
        sys.exit(f"heddle {command} failed:\n{done.stdout}")
    return done.stdout


def main():
    heddle = sys.argv[1]
    pairs = different = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for group, sources in enumerate(GROUPS):
            arrays = {source: values_of(source) for source in sources}
            file = folder / f"group{group}.mlir"
            file.write_text(program(sources, arrays))
            inputs = []
            for number, source in enumerate(sources):
                np.save(folder / f"in{number}.npy", arrays[source])
                inputs += ["--input", f"{number}=@{folder / f'in{number}.npy'}"]
            outputs = folder / f"out{group}"
            run(heddle, "run", [str(file), *inputs, "--output", str(outputs)])
            compared = run(heddle, "compare", ["-q", str(file), *inputs, "--rtol", "0", "--atol", "0"])
            names = [(source, target) for source in sources for target in TYPES]
            for number, (source, target) in enumerate(names):
                pairs += 1
                ours = bits_of(np.load(outputs / f"out{number}.npy"))
                theirs = bits_of(expected(arrays[source], source, target))
                assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (source, target, ours.dtype, theirs.dtype)
                asked = np.ones(len(ours), bool)
                if not has_nan(target) and source not in INTEGERS:  # what NaN and infinity become there is nobody's rule
                    asked = np.isfinite(arrays[source].real)
                wrong = np.flatnonzero((ours != theirs) & asked)
                interpreted = re.search(rf"WRONG .*\bout{number}$", compared, re.MULTILINE)
                if len(wrong) or interpreted:
                    different += 1
                if len(wrong):
                    at = wrong[0]
                    value = arrays[source][at] if target not in COMPLEX else arrays[source][at // 2]
                    print(f"{source} -> {target}: {value} becomes {ours[at]:#x}, not {theirs[at]:#x} ({len(wrong)} differ)")
                if interpreted:
                    print(f"{source} -> {target}: interpreted: {interpreted[0]}")
    print(f"{pairs} pairs, {different} differ")


if __name__ == "__main__":
    main()
