"""Writes a program of many operations that are alike: growing.py KIND COUNT.

weights: a chain of products with a weight of its own each. buffers: values that all are alive at once. outputs: all values are results.
products: sums and products of many values, each read far from where it is made.
"""

import random
import struct
import sys

TYPE = "tensor<4x4xf32>"


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


def main(kind: str, count: int) -> None:
    results = ", ".join([TYPE] * (count if kind == "outputs" else 1))
    print(f"func.func @main(%x0: {TYPE}, %y: {TYPE}) -> ({results}) {{")
    for line in {"weights": weights, "buffers": buffers, "outputs": outputs, "products": products}[kind](count):
        print(line)
    print("}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
