"""Every elementwise operation at every element type it takes, compiled against interpreted.

usage: element_operations.py [TYPE...]

Operands hold what is special: zeros of both signs, infinities, NaN, limits of integers, shifts past the width, numbers that no
integer type holds. The interpreter's results come from the same program over constants, which the compiler evaluates with it.
Prints what differs, and `N operations, N differ`. Functions may differ by 3 units in the last place, the rest by nothing.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np

INTEGERS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
TYPES = ["i1"] + INTEGERS + FLOATS
COUNT = 64
MANTISSA = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
LEAST = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}

ANY = {"add": "stablehlo", "multiply": "stablehlo", "maximum": "stablehlo", "minimum": "stablehlo"}
NUMBERS = ["subtract", "divide", "remainder"]
BITS = ["count_leading_zeros", "popcnt"]
SHIFTS = ["shift_left", "shift_right_arithmetic", "shift_right_logical"]
EXACT = ["ceil", "floor", "round_nearest_afz", "round_nearest_even", "sqrt"]
FUNCTIONS = ["exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "cbrt", "tanh"]
SPECIAL = ["lgamma", "digamma", "erf_inv", "bessel_i1e", "erf", "erfc"]
FORMATS = [(5, 10), (8, 7), (8, 23), (5, 2), (4, 3), (3, 0), (1, 5), (11, 52), (8, 0), (2, 1)]


def width(kind):
    return 8 if kind == "i1" else int("".join(c for c in kind if c.isdigit()))


def carrier(kind):
    """The unsigned integer with the type's bits."""
    return f"ui{width(kind)}"


def values(kind, random):
    bits = width(kind)
    dtype = f"u{bits // 8}"
    if kind == "i1":
        return random.integers(0, 2, COUNT).astype(dtype)
    if kind in INTEGERS:
        one = 1 << (bits - 1)
        numbers = [0, 1, 2, 3, bits - 1, bits, bits + 1, 2 * one - 1, 2 * one - 2, one, one - 1, one + 1, 5, 7]
        numbers += [int(random.integers(0, 1 << min(bits, 62))) >> int(random.integers(0, bits))
                    for _ in range(COUNT - len(numbers))]
        random.shuffle(numbers)
        return np.array([n % (2 * one) for n in numbers], np.uint64).astype(dtype)
    numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 3e9, -3e9, 1e20, -1e20, 127.5, 128,
               255.9, 256, -0.9, -128.5, 65504, 32768, 65535.5, 3e38, 1e-30, 1e-8]
    numbers += list(random.normal(size=COUNT - len(numbers)) * 3)
    random.shuffle(numbers)
    with np.errstate(all="ignore"):
        if kind == "bf16":
            words = np.array(numbers).astype(np.float32).view(np.uint32)
            return ((words + 0x7FFF + ((words >> 16) & 1)) >> 16).astype(np.uint16)
        return np.array(numbers).astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).view(dtype)


def operations(kind):
    """(name, text after `=`, result's type, units in the last place that may differ)."""
    tensor = f"tensor<{COUNT}x{kind}>"
    yes = f"tensor<{COUNT}xi1>"
    is_float, is_integer = kind in FLOATS, kind in INTEGERS
    unary, binary = [], [(name, 0) for name in ANY]
    if not is_float:
        unary += [("not", 0)]
        binary += [(name, 0) for name in ("and", "or", "xor")]
    if is_integer:
        unary += [(name, 0) for name in BITS]
        binary += [(name, 0) for name in SHIFTS]
    if is_float or is_integer:
        unary += [("negate", 0)]
        binary += [(name, 0) for name in NUMBERS]
        if not kind.startswith("u"):
            unary += [("abs", 0), ("sign", 0)]
    if is_integer:
        binary += [("power", 0)]
    if is_float:
        unary += [(name, 0) for name in EXACT] + [(name, 3) for name in FUNCTIONS]
        binary += [("atan2", 3)]
    for name, units in unary:
        yield name, f"stablehlo.{name} %a : {tensor}", kind, units
    for name, units in binary:
        yield name, f"stablehlo.{name} %a, %b : {tensor}", kind, units
    if is_float:
        for name in SPECIAL:
            yield name, f"chlo.{name} %a : {tensor} -> {tensor}", kind, 3
        yield "next_after", f"chlo.next_after %a, %b : {tensor}, {tensor} -> {tensor}", kind, 0
        yield "is_finite", f"stablehlo.is_finite %a : ({tensor}) -> {yes}", "i1", 0
        for exponent, mantissa in FORMATS:
            name = f"e{exponent}m{mantissa}"
            yield name, f"stablehlo.reduce_precision %a, format = {name} : {tensor}", kind, 0
    if is_integer:
        yield "mulhi", f"chlo.mulhi %a, %b : {tensor}, {tensor} -> {tensor}", kind, 0
    orders = ["FLOAT", "TOTALORDER"] if is_float else ["UNSIGNED" if kind[0] == "u" or kind == "i1" else "SIGNED"]
    for direction in ("EQ", "NE", "GE", "GT", "LE", "LT"):
        for order in orders:
            yield (f"{direction} {order}", f"stablehlo.compare {direction}, %a, %b, {order} : ({tensor}, {tensor}) -> {yes}",
                   "i1", 0)
    yield "clamp", f"stablehlo.clamp %b, %a, %c : {tensor}", kind, 0
    for to in TYPES:
        yield f"convert to {to}", f"stablehlo.convert %a : ({tensor}) -> tensor<{COUNT}x{to}>", to, 0


def program(kind, listed, constants):
    """The module; over `constants` if there are some, else over arguments."""
    bits = carrier(kind)
    stored = ["i1" if to == "i1" else carrier(to) for _, _, to, _ in listed]
    types = ", ".join(f"tensor<{COUNT}x{to}>" for to in stored)
    lines = []
    if constants:
        for name, array in zip("xyz", constants):
            numbers = ", ".join(str(int(n)) for n in array)
            lines.append(f"%{name} = stablehlo.constant dense<[{numbers}]> : tensor<{COUNT}x{bits}>")
        head = f"func.func @main() -> ({types}) {{"
    else:
        arguments = ", ".join(f"%{name}: tensor<{COUNT}x{bits}>" for name in "xyz")
        head = f"func.func @main({arguments}) -> ({types}) {{"
    for name, source in zip("abc", "xyz"):
        if kind == "i1":
            lines.append(f"%{name}0 = stablehlo.constant dense<0> : tensor<{COUNT}xui8>")
            lines.append(f"%{name} = stablehlo.compare NE, %{source}, %{name}0 : (tensor<{COUNT}xui8>, tensor<{COUNT}xui8>) -> "
                         f"tensor<{COUNT}xi1>")
        else:
            lines.append(f"%{name} = stablehlo.bitcast_convert %{source} : (tensor<{COUNT}x{bits}>) -> tensor<{COUNT}x{kind}>")
    results = []
    for i, (_, text, to, _) in enumerate(listed):
        lines.append(f"%r{i} = {text}")
        results.append(f"%r{i}")
        if to not in ("i1", carrier(to)):
            lines.append(f"%s{i} = stablehlo.bitcast_convert %r{i} : (tensor<{COUNT}x{to}>) -> tensor<{COUNT}x{carrier(to)}>")
            results[-1] = f"%s{i}"
    return "\n  ".join([head] + lines + [f"return {', '.join(results)} : {types}"]) + "\n}\n"


def as_floats(bits, kind):
    bits = np.ascontiguousarray(bits)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return bits.view({"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]).astype(np.float64)


def differs(found, wanted, kind, units):
    if kind not in FLOATS:
        return found != wanted
    found, wanted = as_floats(found, kind), as_floats(wanted, kind)
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log2(np.maximum(np.abs(wanted), 2.0 ** LEAST[kind])))
        distance = np.abs(found - wanted) / 2.0 ** (exponent - MANTISSA[kind])
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    return ~same & ~(distance <= units)


def run(folder, text, arrays, name):
    path = folder / f"{name}.mlir"
    path.write_text(text)
    inputs = []
    for i, array in enumerate(arrays):
        np.save(folder / f"{name}{i}.npy", array)
        inputs += ["--input", f"{i}=@{folder}/{name}{i}.npy"]
    subprocess.run(["heddle", "run", "-q", str(path), "--output", str(folder / name), *inputs], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / name


def main():
    count = bad = 0
    for kind in sys.argv[1:] or TYPES:
        listed = list(operations(kind))
        random = np.random.default_rng(len(kind))
        operands = [values(kind, random) for _ in range(3)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = run(folder, program(kind, listed, None), operands, "compiled")
            wanted = run(folder, program(kind, listed, operands), [], "interpreted")
            for i, (label, _, to, units) in enumerate(listed):
                x, y = (np.load(f / f"out{i}.npy") for f in (found, wanted))
                wrong = differs(x, y, to, units)
                count += 1
                if wrong.any():
                    bad += 1
                    at = int(wrong.argmax())
                    bits = ", ".join(hex(int(o[at])) for o in operands)
                    print(f"{kind} {label}: of the bits {bits} {hex(int(x[at]))}, wanted {hex(int(y[at]))}")
    print(f"{count} operations, {bad} differ")
    return 1 if bad else 0


sys.exit(main())
