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


def expectation(value, expected, tensor):
    return [f"%e_{value} = stablehlo.constant dense<{expected}> : {tensor}",
            f"stablehlo.custom_call @check.expect_eq(%{value}, %e_{value}) {{has_side_effect = true}} : ({tensor}, {tensor}) -> ()"]


def elements_program(name):
    width, signed = TYPES[name]
    low = -(1 << (width - 1)) if signed else 0
    numbers = range(low, low + (1 << width))
    pairs = [(a, b) for a in numbers for b in numbers]
    n = len(pairs)
    tensor = f"tensor<{n}x{name}>"
    lines = [f"%a = stablehlo.constant dense<{[a for a, _ in pairs]}> : {tensor}",
             f"%b = stablehlo.constant dense<{[b for _, b in pairs]}> : {tensor}"]

    def expect(value, expected, kind, count=n):
        lines.extend(expectation(value, expected, f"tensor<{count}x{kind}>"))

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
    return function(lines)


def region(name, combine):
    """Two scalars and what is made of them."""
    scalar = f"tensor<{name}>"
    line, kind = f"%r = stablehlo.{combine} %p, %q : {scalar}", scalar
    if combine.startswith("compare"):
        sign = "SIGNED" if TYPES[name][1] else "UNSIGNED"
        line, kind = f"%r = stablehlo.{combine}, %p, %q, {sign} : ({scalar}, {scalar}) -> tensor<i1>", "tensor<i1>"
    return f"{{ ^bb0(%p: {scalar}, %q: {scalar}): {line} stablehlo.return %r : {kind} }}"


def places_program(name):
    """What looks at elements by their place: sorts, windows, gathers and scatters, also with places of the type itself."""
    width, signed = TYPES[name]
    low = -(1 << (width - 1)) if signed else 0
    high = low + (1 << width) - 1
    data = [wrapped(7 * i * i + 3 * i + 1, width, signed) for i in range(12)]
    twelve, scalar = f"tensor<12x{name}>", f"tensor<{name}>"
    lines = [f"%x = stablehlo.constant dense<{data}> : {twelve}", f"%zero = stablehlo.constant dense<0> : {scalar}",
             f"%low = stablehlo.constant dense<{low}> : {scalar}", f"%one = stablehlo.constant dense<1> : {scalar}"]

    def expect(value, text, expected, kind=name, shape=None):
        tensor = f"tensor<{'x'.join(map(str, shape or [len(expected)]))}x{kind}>"
        lines.append(f"%{value} = {text} -> {tensor}")
        lines.extend(expectation(value, expected, tensor))

    expect("sorted", f'"stablehlo.sort"(%x) ({region(name, "compare LT")}) {{dimension = 0 : i64}} : ({twelve})', sorted(data))
    lines.append(f"%largest, %where = chlo.top_k(%x, k = 3) : {twelve} -> (tensor<3x{name}>, tensor<3xi32>)")
    order = sorted(range(12), key=lambda i: (-data[i], i))[:3]
    lines += expectation("largest", [data[i] for i in order], f"tensor<3x{name}>") + expectation("where", order, "tensor<3xi32>")

    # Windows of three with padding, whose sums wrap; and largest ones.
    def window(at, combine, start):
        value = start
        for i in range(at - 1, at + 2):
            value = wrapped(combine(value, data[i] if 0 <= i < 12 else start), width, signed)
        return value

    attributes = "{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}"
    for op, combine, init in (("add", lambda a, b: a + b, ("%one", 1)), ("maximum", max, ("%low", low)), ("add", lambda a, b: a + b, ("%zero", 0))):
        expect(f"window_{op}{init[1] & 1}", f'"stablehlo.reduce_window"(%x, {init[0]}) ({region(name, op)}) {attributes} : ({twelve}, {scalar})',
               [window(i, combine, init[1]) for i in range(12)])
    # Each window of three gives its first largest element a one, three where windows meet.
    chosen = [max(range(3 * w, 3 * w + 3), key=lambda i: data[i]) for w in range(4)]
    lines.append(f"%source = stablehlo.constant dense<{high}> : tensor<4x{name}>")
    expect("selected", f'"stablehlo.select_and_scatter"(%x, %source, %one) ({region(name, "compare GE")}, {region(name, "add")}) '
           f"{{window_dimensions = array<i64: 3>, window_strides = array<i64: 3>}} : ({twelve}, tensor<4x{name}>, {scalar})",
           [wrapped(1 + high, width, signed) if i in chosen else 1 for i in range(12)])

    # Places of the type: negative ones are before the begin, large ones of ui2 and ui4 far behind it.
    numbers = list(range(low, high + 1))
    count = len(numbers)
    lines.append(f"%places = stablehlo.constant dense<{[[number] for number in numbers]}> : tensor<{count}x1x{name}>")
    gather = ("{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
              "slice_sizes = array<i64: 1>}")
    expect("gathered", f'"stablehlo.gather"(%x, %places) {gather} : ({twelve}, tensor<{count}x1x{name}>)',
           [data[min(max(number, 0), 11)] for number in numbers])
    scattered = list(data)
    for number in numbers:
        if 0 <= number < 12:
            scattered[number] = wrapped(scattered[number] + number, width, signed)
    lines.append(f"%updates = stablehlo.constant dense<{numbers}> : tensor<{count}x{name}>")
    numbering = "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
    expect("scattered", f'"stablehlo.scatter"(%x, %places, %updates) ({region(name, "add")}) {{scatter_dimension_numbers = {numbering}}} : '
           f"({twelve}, tensor<{count}x1x{name}>, tensor<{count}x{name}>)", scattered)
    lines.append(f"%last = stablehlo.constant dense<{high}> : {scalar}")
    for value, place in (("last", high), ("low", low)):
        begin = min(max(place, 0), 10)
        expect(f"slice_{value}", f"stablehlo.dynamic_slice %x, %{value}, sizes = [2] : ({twelve}, {scalar})", data[begin:begin + 2])
        updated = list(data)
        updated[begin:begin + 2] = [1, 1]
        lines.append(f"%ones_{value} = stablehlo.constant dense<1> : tensor<2x{name}>")
        expect(f"updated_{value}", f"stablehlo.dynamic_update_slice %x, %ones_{value}, %{value} : ({twelve}, tensor<2x{name}>, {scalar})", updated)

    # A convolution with sums of 32 bits.
    lines.append(f"%filter = stablehlo.constant dense<{[[[1]], [[low or high]]]}> : tensor<2x1x1x{name}>")
    lines.append(f"%line = stablehlo.reshape %x : ({twelve}) -> tensor<1x12x1x{name}>")
    sums = [data[i] + data[i + 1] * (low or high) for i in range(11)]
    expect("convolved", "stablehlo.convolution(%line, %filter) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} "
           f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<1x12x1x{name}>, tensor<2x1x1x{name}>)",
           [[[value] for value in sums]], "i32", (1, 11, 1))

    # Several are the bits of a byte, the first the lowest.
    parts = 8 // width
    rows = [data[i:i + parts] for i in range(0, 12, parts)]
    lines.append(f"%rows = stablehlo.reshape %x : ({twelve}) -> tensor<{len(rows)}x{parts}x{name}>")
    whole = [sum((part & ((1 << width) - 1)) << (width * i) for i, part in enumerate(row)) for row in rows]
    expect("bytes", f"stablehlo.bitcast_convert %rows : (tensor<{len(rows)}x{parts}x{name}>)", whole, "ui8")
    expect("parts", f"stablehlo.bitcast_convert %bytes : (tensor<{len(rows)}xui8>)", rows, name, (len(rows), parts))
    return function(lines)


def function(lines):
    body = "\n  ".join(lines)
    return f"func.func @main() {{\n  {body}\n  return\n}}\n"


def main():
    heddle, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in TYPES:
            for kind, program in (("elements", elements_program), ("places", places_program)):
                files.append(f"{folder}/{name}-{kind}.mlir")
                with open(files[-1], "w") as file:
                    file.write(program(name))
        done = subprocess.run([heddle, "test", "--show-skipped", *options, *files], stdout=subprocess.PIPE, text=True)
        print(done.stdout.replace(folder + "/", ""), end="")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
