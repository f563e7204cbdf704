#!/usr/bin/env python3
"""Integers of two and four bits against Python's integers: every pair of numbers, every operation.

    narrow_integers.py HEDDLE [--interpret]

Operands are constants that `heddle test` makes arguments, results are compared in the type itself, so that a compiled
program takes and gives such tensors.
"""

import subprocess
import sys
import tempfile

TYPES = {"i2": (2, True), "ui2": (2, False), "i4": (4, True), "ui4": (4, False)}


def wrapped(value, width, signed):
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def quotient(a, b):
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def power(a, b):
    if b >= 0:
        return a**b
    return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)


def operations(width, signed):
    mask = (1 << width) - 1

    def shifted(a, b, far, near):
        return far if (b & mask) >= width else near(b & mask)

    def arithmetic(a, b):
        a = wrapped(a, width, True)
        return shifted(a, b, -1 if a < 0 else 0, lambda by: a >> by)

    binary = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": quotient,
        "remainder": lambda a, b: a if b == 0 else a - quotient(a, b) * b,
        "maximum": max,
        "minimum": min,
        "power": power,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "shift_left": lambda a, b: shifted(a, b, 0, lambda by: a << by),
        "shift_right_logical": lambda a, b: shifted(a, b, 0, lambda by: (a & mask) >> by),
        "shift_right_arithmetic": arithmetic,
    }
    unary = {
        "not": lambda a: ~a,
        "popcnt": lambda a: bin(a & mask).count("1"),
        "count_leading_zeros": lambda a: width - (a & mask).bit_length(),
    }
    if signed:
        unary |= {"negate": lambda a: -a, "abs": abs, "sign": lambda a: (a > 0) - (a < 0)}
    return binary, unary


def program(name):
    width, signed = TYPES[name]
    low = -(1 << (width - 1)) if signed else 0
    numbers = range(low, low + (1 << width))
    pairs = [(a, b) for a in numbers for b in numbers]
    n = len(pairs)
    tensor = f"tensor<{n}x{name}>"
    lines = [f"%a = stablehlo.constant dense<{[a for a, _ in pairs]}> : {tensor}",
             f"%b = stablehlo.constant dense<{[b for _, b in pairs]}> : {tensor}"]

    def expect(value, expected, kind, count=n):
        lines.append(f"%e_{value} = stablehlo.constant dense<{expected}> : tensor<{count}x{kind}>")
        lines.append(f"stablehlo.custom_call @check.expect_eq(%{value}, %e_{value}) {{has_side_effect = true}}"
                     f" : (tensor<{count}x{kind}>, tensor<{count}x{kind}>) -> ()")

    binary, unary = operations(width, signed)
    for op, meaning in binary.items():
        lines.append(f"%{op} = stablehlo.{op} %a, %b : {tensor}")
        expect(op, [wrapped(meaning(a, b), width, signed) for a, b in pairs], name)
    for op, meaning in unary.items():
        lines.append(f"%{op} = stablehlo.{op} %a : {tensor}")
        expect(op, [wrapped(meaning(a), width, signed) for a, _ in pairs], name)
    sign = "SIGNED" if signed else "UNSIGNED"
    lines.append(f"%less = stablehlo.compare LT, %a, %b, {sign} : ({tensor}, {tensor}) -> tensor<{n}xi1>")
    expect("less", str([a < b for a, b in pairs]).lower(), "i1")
    lines.append(f"%chosen = stablehlo.select %less, %a, %b : tensor<{n}xi1>, {tensor}")
    expect("chosen", [min(pair) for pair in pairs], name)
    # Into wider types and back.
    for kind in ("i8", "ui8", "i32", "i64"):
        unsigned = kind.startswith("u")
        lines.append(f"%to_{kind} = stablehlo.convert %a : ({tensor}) -> tensor<{n}x{kind}>")
        expect(f"to_{kind}", [a & 0xFF if unsigned else a for a, _ in pairs], kind)
    wide = list(range(-130, 130))
    lines.append(f"%wide = stablehlo.constant dense<{wide}> : tensor<{len(wide)}xi32>")
    lines.append(f"%narrowed = stablehlo.convert %wide : (tensor<{len(wide)}xi32>) -> tensor<{len(wide)}x{name}>")
    expect("narrowed", [wrapped(value, width, signed) for value in wide], name, len(wide))
    # Floats are cut off, and end at the limits.
    floats = [value / 4 for value in range(-80, 80)]
    lines.append(f"%floats = stablehlo.constant dense<{floats}> : tensor<{len(floats)}xf32>")
    lines.append(f"%cut = stablehlo.convert %floats : (tensor<{len(floats)}xf32>) -> tensor<{len(floats)}x{name}>")
    expect("cut", [min(max(int(value), numbers[0]), numbers[-1]) for value in floats], name, len(floats))
    lines.append(f"%as_float = stablehlo.convert %a : ({tensor}) -> tensor<{n}xf32>")
    expect("as_float", [float(a) for a, _ in pairs], "f32")
    # Sums, and products of matrices.
    size = 1 << width
    square = f"tensor<{size}x{size}x{name}>"
    lines.append(f"%rows = stablehlo.reshape %a : ({tensor}) -> {square}")
    lines.append(f"%columns = stablehlo.reshape %b : ({tensor}) -> {square}")
    lines.append(f"%zero = stablehlo.constant dense<0> : tensor<{name}>")
    lines.append(f"%sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1]"
                 f" : ({square}, tensor<{name}>) -> tensor<{size}x{name}>")
    expect("sum", [wrapped(a * size, width, signed) for a in numbers], name, size)
    lines.append(f"%dot = stablehlo.dot_general %rows, %columns, contracting_dims = [1] x [1] : ({square}, {square})"
                 f" -> tensor<{size}x{size}xi32>")
    lines.append(f"%flat = stablehlo.reshape %dot : (tensor<{size}x{size}xi32>) -> tensor<{n}xi32>")
    expect("flat", [a * sum(numbers) for a in numbers for _ in numbers], "i32")
    body = "\n  ".join(lines)
    return f"func.func @main() {{\n  {body}\n  return\n}}\n"


def main():
    heddle, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in TYPES:
            files.append(f"{folder}/{name}.mlir")
            with open(files[-1], "w") as file:
                file.write(program(name))
        done = subprocess.run([heddle, "test", "--show-skipped", *options, *files], stdout=subprocess.PIPE, text=True)
        print(done.stdout.replace(folder + "/", ""), end="")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
