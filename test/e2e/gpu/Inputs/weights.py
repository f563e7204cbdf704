"""Writes programs with weights that processors store in layouts of their own, and inputs; all numbers are small integers, so that sums are exact
in any order.

usage: weights.py FOLDER
"""

import json
import math
import pathlib
import random
import struct
import sys

NUMBERS = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]


def raw(element: str, count: int, seed: str) -> bytes:
    """So many numbers of type f16, bf16 or f32."""
    values = random.Random(seed).choices(NUMBERS, k=count)
    if element == "f16":
        return struct.pack(f"<{count}e", *values)
    words = struct.pack(f"<{count}f", *values)
    # The high half of an f32.
    return words if element == "f32" else b"".join(words[i + 2 : i + 4] for i in range(0, len(words), 4))


def tensor(shape: list[int], element: str) -> str:
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Program:
    """A function of one input, line by line."""

    def __init__(self, name: str, element: str, shape: list[int]):
        self.name, self.element, self.shape = name, element, shape
        self.lines, self.results = [], []

    def type(self, shape: list[int]) -> str:
        return tensor(shape, self.element)

    def weight(self, name: str, shape: list[int]) -> str:
        data = raw(self.element, math.prod(shape), f"{self.name} {name}").hex()
        self.lines.append(f'%{name} = stablehlo.constant dense<"0x{data}"> : {self.type(shape)}')
        return f"%{name}"

    def product(self, name: str, weight: str, shape: list[int], over: tuple[list[int], list[int]], out: list[int], lhs="%x", lhs_shape=None):
        lhs_type = self.type(lhs_shape or self.shape)
        self.lines.append(f"%{name} = stablehlo.dot_general {lhs}, {weight}, contracting_dims = {over[0]} x {over[1]} : "
                          f"({lhs_type}, {self.type(shape)}) -> {self.type(out)} loc(\"{name}\")")
        return f"%{name}"

    def result(self, value: str, shape: list[int]):
        self.results.append((value, self.type(shape)))

    def write(self, folder: pathlib.Path):
        types = ", ".join(kind for _, kind in self.results)
        values = ", ".join(value for value, _ in self.results)
        body = "\n  ".join(self.lines + [f"return {values} : {types}"])
        text = f"func.func @main(%x: {self.type(self.shape)}) -> ({types}) {{\n  {body}\n}}\n"
        (folder / f"{self.name}.mlir").write_text(text)
        # The same with a size that calls choose.
        (folder / f"{self.name}-open.mlir").write_text(text.replace(f"tensor<{self.shape[0]}x", "tensor<?x"))
        data = raw(self.element, math.prod(self.shape), self.name)
        header = json.dumps({"0": {"dtype": self.element.upper(), "shape": self.shape, "data_offsets": [0, len(data)]}}).encode()
        (folder / f"{self.name}.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)


def products(name: str, element: str) -> Program:
    """Panels that are full and not, weights that lie the other way round, of several dimensions, and one that is read twice."""
    program = Program(name, element, [5, 48])
    w = program.weight("w", [48, 70])
    program.result(program.product("plain", w, [48, 70], ([1], [0]), [5, 70]), [5, 70])
    turned = program.weight("t", [64, 48])
    program.result(program.product("turned", turned, [64, 48], ([1], [1]), [5, 64]), [5, 64])
    heads = program.weight("h", [48, 3, 33])
    many = program.product("heads", heads, [48, 3, 33], ([1], [0]), [5, 3, 33])
    joined = program.weight("j", [3, 33, 50])
    program.result(program.product("joined", joined, [3, 33, 50], ([1, 2], [0, 1]), [5, 50], many, [5, 3, 33]), [5, 50])
    back = program.product("back", w, [48, 70], ([1], [1]), [5, 48], "%plain", [5, 70])
    program.result(back, [5, 48])
    return program


def beside(name: str) -> Program:
    """Three products of one operand, which a processor may make one, and a weight that the processor beside the device reads, too: it has the
    remainders of numbers."""
    program = Program(name, "f32", [40, 40])
    for part in "qkv":
        w = program.weight(part, [40, 40])
        program.result(program.product(f"{part}_out", w, [40, 40], ([1], [0]), [40, 40]), [40, 40])
    program.lines.append(f"%rest = stablehlo.remainder %x, %v : {program.type([40, 40])} loc(\"rest\")")
    program.result("%rest", [40, 40])
    return program


def scaled(name: str) -> Program:
    """Integers of 4 and 8 bits, with and without a sign, in units of scales by blocks, columns and as a whole, from zero points of their own."""
    program = Program(name, "f32", [4, 64])
    drawn = random.Random(name)

    def constant(value: str, kind: str, shape: list[int], numbers: list[float]):
        rows = str([numbers[i : i + shape[-1]] for i in range(0, len(numbers), shape[-1])]) if len(shape) == 2 else str(numbers)
        program.lines.append(f"%{value} = stablehlo.constant dense<{rows if shape else numbers[0]}> : {tensor(shape, kind) if shape else f'tensor<{kind}>'}")

    for kind, least, most, parameters, how in (("ui8", 0, 255, [2, 48], "axis 0 block 32"), ("ui4", 0, 15, [2, 48], "axis 0 block 32"),
                                               ("i4", -8, 7, [2, 48], "axis 0 block 32"), ("i8", -128, 127, [48], "axis 1"), ("ui8", 0, 255, [], "")):
        x = f"{kind}{len(parameters)}"
        count = math.prod(parameters)
        constant(f"q_{x}", kind, [64, 48], drawn.choices(range(least, most + 1), k=64 * 48))
        constant(f"s_{x}", "f32", parameters, drawn.choices([0.25, 0.5, 1.0, 2.0], k=count))
        constant(f"z_{x}", kind, parameters, drawn.choices(range(least, most + 1), k=count))
        types = [tensor(shape, element) if shape else f"tensor<{element}>" for shape, element in (([64, 48], kind), (parameters, "f32"), (parameters, kind))]
        program.lines.append(f"%w_{x} = prec.dequantize %q_{x}, %s_{x}, %z_{x} {how} : {', '.join(types)} -> {tensor([64, 48], 'f32')}")
        program.result(program.product(f"y_{x}", f"%w_{x}", [64, 48], ([1], [0]), [4, 48]), [4, 48])
    return program


def convolution(name: str, groups: int) -> Program:
    program = Program(name, "f32", [1, 6, 7, 16])
    out = 40 * groups if groups > 1 else 40
    shape = [3, 3, 16 // groups, out]
    w = program.weight("w", shape)
    program.lines.append(f"%y = stablehlo.convolution(%x, {w}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} "
                         f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : "
                         f"({program.type(program.shape)}, {program.type(shape)}) -> {program.type([1, 6, 7, out])}")
    program.result("%y", [1, 6, 7, out])
    return program


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for program in (products("products", "f32"), products("products-bf16", "bf16"), products("products-f16", "f16"),
                    convolution("convolution", 1), convolution("grouped", 2), beside("beside"), scaled("scaled")):
        program.write(folder)
