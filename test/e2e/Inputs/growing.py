"""Writes a program of many operations that are alike: growing.py KIND COUNT.

weights: a chain of products with a weight of its own each. buffers: values that all are alive at once. outputs: all values are results.
products: sums and products of many values, each read far from where it is made.
rows: layers of a softmax, a product and a residual sum, which dispatch joins into kernels by rows.
readers: one row-wise quotient with very many readers, more than a kernel may have results.
loops: loops of three rounds, one after the other.
nested: the same loops in the body of one loop.
equals: sums with constants of which many are equal.
derived: values that are read, each computed from the one before it and all from one constant.
folded: constants of which others are folded, all of one name.
calls: calls of registered functions that differ in a number.
"""

import random
import struct
import sys

TYPE = "tensor<4x4xf32>"
# More than the bytes of a constant that is held in the text.
LARGER = "tensor<17x17xf32>"


def product(result: str, lhs: str, rhs: str) -> str:
    return f"  %{result} = stablehlo.dot_general %{lhs}, %{rhs}, contracting_dims = [1] x [0] : ({TYPE}, {TYPE}) -> {TYPE}"


def weights(count: int):
    numbers = random.Random(1)
    for i in range(count):
        data = struct.pack("<16f", *(numbers.uniform(-0.5, 0.5) for _ in range(16))).hex().upper()
        yield f'  %w{i} = stablehlo.constant dense<"0x{data}"> : {TYPE}'
        yield product(f"x{i + 1}", f"x{i}", f"w{i}")
    yield f"  return %x{count} : {TYPE}"


def buffers(count: int):
    half = count // 2
    for i in range(half):
        yield product(f"x{i + 1}", f"x{i}", "y")
    yield product(f"s{half}", f"x{half}", "y")
    for i in reversed(range(half)):
        yield product(f"s{i}", f"s{i + 1}", f"x{i}")
    yield f"  return %s0 : {TYPE}"


def outputs(count: int):
    for i in range(count):
        yield product(f"x{i + 1}", f"x{i}", "y")
    yield "  return " + ", ".join(f"%x{i + 1}" for i in range(count)) + " : " + ", ".join([TYPE] * count)


def products(count: int):
    third = count // 3
    for i in range(third):
        yield f"  %x{i + 1} = stablehlo.add %x{i}, %y : {TYPE}"
        yield product(f"z{i}", f"x{i + 1}", "y")
    yield f"  %s0 = stablehlo.add %z0, %y : {TYPE}"
    for i in range(1, third):
        yield f"  %s{i} = stablehlo.multiply %s{i - 1}, %z{i} : {TYPE}"
    yield f"  return %s{third - 1} : {TYPE}"


def rows(count: int):
    row = "tensor<4xf32>"
    yield "  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>"
    yield "  %zero = stablehlo.constant dense<0.0> : tensor<f32>"
    layers = count // 9
    for i in range(layers):
        yield f"  %m{i} = stablehlo.reduce(%x{i} init: %least) applies stablehlo.maximum across dimensions = [1] : ({TYPE}, tensor<f32>) -> {row}"
        yield f"  %n{i} = stablehlo.broadcast_in_dim %m{i}, dims = [0] : ({row}) -> {TYPE}"
        yield f"  %d{i} = stablehlo.subtract %x{i}, %n{i} : {TYPE}"
        yield f"  %e{i} = stablehlo.exponential %d{i} : {TYPE}"
        yield f"  %s{i} = stablehlo.reduce(%e{i} init: %zero) applies stablehlo.add across dimensions = [1] : ({TYPE}, tensor<f32>) -> {row}"
        yield f"  %t{i} = stablehlo.broadcast_in_dim %s{i}, dims = [0] : ({row}) -> {TYPE}"
        yield f"  %q{i} = stablehlo.divide %e{i}, %t{i} : {TYPE}"
        yield product(f"p{i}", f"q{i}", "y")
        yield f"  %x{i + 1} = stablehlo.add %p{i}, %x{i} : {TYPE}"
    yield f"  return %x{layers} : {TYPE}"


def readers(count: int):
    row = "tensor<4xf32>"
    yield "  %zero = stablehlo.constant dense<0.0> : tensor<f32>"
    yield f"  %s = stablehlo.reduce(%x0 init: %zero) applies stablehlo.add across dimensions = [1] : ({TYPE}, tensor<f32>) -> {row}"
    yield f"  %t = stablehlo.broadcast_in_dim %s, dims = [0] : ({row}) -> {TYPE}"
    yield f"  %q = stablehlo.divide %x0, %t : {TYPE}"
    third = count // 3
    for i in range(third):
        yield f"  %c{i} = stablehlo.constant dense<{i}.5> : {TYPE}"
        yield f"  %d{i} = stablehlo.multiply %q, %c{i} : {TYPE}"
        yield product(f"p{i}", f"d{i}", f"p{i - 1}" if i else "y")
    yield f"  return %p{third - 1} : {TYPE}"


def equals(count: int):
    for i in range(count // 2):
        yield f"  %c{i} = stablehlo.constant dense<{i % 4}.5> : tensor<4xf32>"
        yield f"  %b{i} = stablehlo.broadcast_in_dim %c{i}, dims = [0] : (tensor<4xf32>) -> {TYPE}"
        yield f"  %x{i + 1} = stablehlo.add %x{i}, %b{i} : {TYPE}"
    yield f"  return %x{count // 2} : {TYPE}"


def loop(i: int, value: str, body):
    """A loop of three rounds from `value` on; `body` writes what computes %s{i} from %v{i}."""
    yield f"  %end{i}, %x{i + 1} = stablehlo.while(%c{i} = %zero, %v{i} = %{value}) : tensor<i32>, {TYPE}"
    yield f"  cond {{ %goes{i} = stablehlo.compare LT, %c{i}, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>"
    yield f"    stablehlo.return %goes{i} : tensor<i1> }} do {{ %n{i} = stablehlo.add %c{i}, %one : tensor<i32>"
    yield from body
    yield f"    stablehlo.return %n{i}, %s{i} : tensor<i32>, {TYPE} }}"


def numbers_of_loops():
    for name, number in (("zero", 0), ("one", 1), ("three", 3)):
        yield f"  %{name} = stablehlo.constant dense<{number}> : tensor<i32>"


def loops(count: int):
    yield from numbers_of_loops()
    sixth = count // 6
    for i in range(sixth):
        yield from loop(i, f"x{i}", [f"    %s{i} = stablehlo.cosine %v{i} : {TYPE}"])
    yield f"  return %x{sixth} : {TYPE}"


def nested(count: int):
    yield from numbers_of_loops()
    sixth = count // 6

    def inner():
        for i in range(sixth):
            yield from loop(i, f"x{i}" if i else f"v{sixth}", [f"    %s{i} = stablehlo.cosine %v{i} : {TYPE}"])
        yield f"    %s{sixth} = stablehlo.cosine %x{sixth} : {TYPE}"

    yield from loop(sixth, "x0", inner())
    yield f"  return %x{sixth + 1} : {TYPE}"


def larger_constant(result: str, numbers: random.Random) -> str:
    data = struct.pack("<289f", *(numbers.uniform(-0.5, 0.5) for _ in range(289))).hex().upper()
    return f'  %{result} = stablehlo.constant dense<"0x{data}"> : {LARGER}'


def derived(count: int):
    # Padding is not folded, as it makes the constant larger. The columns move to the left and back to the right.
    padded = "tensor<17x18xf32>"
    yield larger_constant("v0", random.Random(1))
    yield "  %one = stablehlo.constant dense<1.0> : tensor<f32>"
    third = count // 3
    for i in range(third):
        left = (i + 1) % 2
        yield f"  %p{i} = stablehlo.pad %v{i}, %one, low = [0, {1 - left}], high = [0, {left}], interior = [0, 0] : ({LARGER}, tensor<f32>) -> {padded}"
        yield f"  %v{i + 1} = stablehlo.slice %p{i} [0:17, {left}:{17 + left}] : ({padded}) -> {LARGER}"
        yield f"  %x{i + 1} = stablehlo.add %x{i}, %v{i + 1} : {LARGER}"
    yield f"  return %x{third} : {LARGER}"


def folded(count: int):
    numbers = random.Random(1)
    third = count // 3
    for i in range(third):
        yield larger_constant(f"c{i}", numbers)
        yield f"  %f{i} = stablehlo.cosine %c{i} : {LARGER}"
        yield f"  %x{i + 1} = stablehlo.add %x{i}, %f{i} : {LARGER}"
    yield f"  return %x{third} : {LARGER}"


def calls(count: int):
    for i in range(count):
        yield f"  %x{i + 1} = stablehlo.custom_call @f(%x{i}) {{api_version = 4 : i32, backend_config = {{n = {i} : i32}}}} : ({TYPE}) -> {TYPE}"
    yield f"  return %x{count} : {TYPE}"


KINDS = {
    kind.__name__: kind
    for kind in (weights, buffers, outputs, products, rows, readers, loops, nested, equals, derived, folded, calls)
}


def main(kind: str, count: int) -> None:
    tensor = LARGER if kind in ("derived", "folded") else TYPE
    results = ", ".join([tensor] * (count if kind == "outputs" else 1))
    print(f"func.func @main(%x0: {tensor}, %y: {tensor}) -> ({results}) {{")
    for line in KINDS[kind](count):
        print(line)
    print("}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
