"""Writes sharded programs whose weights are constants, and what each device should read of them.

usage: models_with_weights.py FOLDER

`mlp.mlir` and `block.mlir` (a transformer block), each with weights cut over axis "model" of a mesh data x model, and `uneven.mlir` with uneven parts. `bytes.json`
says for each how many bytes of weights are cut along "model", and how many each device has whole; of uneven parts also the bytes of a row.
"""

import json
import pathlib
import sys

import numpy as np

RANDOM = np.random.default_rng(11)


class Program:
    """StableHLO text whose constants are handles."""

    def __init__(self) -> None:
        self.resources: dict[str, np.ndarray] = {}
        self.lines: list[str] = []

    def weight(self, name: str, shape: list[int], cut: int | None) -> str:
        """A constant of random numbers, cut along dimension `cut`."""
        self.resources[name] = RANDOM.uniform(-0.3, 0.3, shape).astype(np.float32)
        axes = ", ".join('{"model"}' if dim == cut else "{}" for dim in range(len(shape)))
        said = "" if cut is None else f"{{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{axes}]>]>}} "
        self.lines.append(f"%{name} = stablehlo.constant {said}dense_resource<{name}> : {kind(shape)}")
        return name

    def text(self, signature: str, result: str, order: str = "") -> str:
        def blob(values: np.ndarray) -> str:
            return "0x04000000" + values.tobytes().hex().upper()

        data = ",\n".join(f'      {name}: "{blob(values)}"' for name, values in self.resources.items())
        body = "\n  ".join(self.lines)
        return (
            f'sdy.mesh @mesh = <["data"=2, "model"=2]{order}>\nfunc.func @main({signature}) -> {result} {{\n  {body}\n}}\n'
            f"{{-#\n  dialect_resources: {{\n    builtin: {{\n{data}\n    }}\n  }}\n#-}}\n"
        )


def kind(shape: list[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def dot(program: Program, name: str, left: str, a: list[int], right: str, b: list[int]) -> list[int]:
    result = [a[0], b[1]]
    program.lines.append(
        f'%{name} = stablehlo.dot_general %{left}, %{right}, contracting_dims = [1] x [0] : ({kind(a)}, {kind(b)}) -> {kind(result)} loc("{name}")'
    )
    return result


def add_bias(program: Program, name: str, value: str, shape: list[int], bias: str) -> None:
    program.lines.append(f"%{name}_b = stablehlo.broadcast_in_dim %{bias}, dims = [1] : ({kind(shape[1:])}) -> {kind(shape)}")
    program.lines.append(f"%{name} = stablehlo.add %{value}, %{name}_b : {kind(shape)}")


def mlp(rows: int, wide: int, hidden: int) -> tuple[str, dict]:
    program = Program()
    program.weight("w", [wide, hidden], 1)
    program.weight("b", [hidden], 0)
    program.weight("v", [hidden, wide], 0)
    program.weight("c", [wide], None)
    shape = dot(program, "h0", "x", [rows, wide], "w", [wide, hidden])
    add_bias(program, "h1", "h0", shape, "b")
    program.lines.append(f"%h2 = stablehlo.tanh %h1 : {kind(shape)}")
    out = dot(program, "y0", "h2", shape, "v", [hidden, wide])
    add_bias(program, "y", "y0", out, "c")
    program.lines.append(f"return %y : {kind(out)}")
    said = f'%x: {kind([rows, wide])} {{sdy.sharding = #sdy.sharding<@mesh, [{{"data"}}, {{}}]>}}'
    cut, whole = 2 * wide * hidden + hidden, wide
    return program.text(said, kind(out)), {"cut": 4 * cut, "whole": 4 * whole}


def block(rows: int, wide: int, heads: int) -> tuple[str, dict]:
    """Attention and a perceptron with residuals, cut over heads and hidden units."""
    program, size = Program(), wide // heads
    lines = program.lines
    for name in "qkv":
        program.weight(f"w{name}", [wide, wide], 1)
    program.weight("wo", [wide, wide], 0)
    program.weight("w1", [wide, 4 * wide], 1)
    program.weight("b1", [4 * wide], 0)
    program.weight("w2", [4 * wide, wide], 0)
    program.weight("b2", [wide], None)
    flat, split = [rows, wide], [rows, heads, size]
    for name in "qkv":
        dot(program, name, "x", flat, f"w{name}", [wide, wide])
        lines.append(f"%{name}s = stablehlo.reshape %{name} : ({kind(flat)}) -> {kind(split)}")
    scores = [heads, rows, rows]
    lines.append(
        f"%s = stablehlo.dot_general %qs, %ks, batching_dims = [1] x [1], contracting_dims = [2] x [2] : ({kind(split)}, {kind(split)}) -> {kind(scores)}"
    )
    lines.append(f"%p = stablehlo.logistic %s : {kind(scores)}")
    mixed = [heads, rows, size]
    lines.append(
        f"%m = stablehlo.dot_general %p, %vs, batching_dims = [0] x [1], contracting_dims = [2] x [0] : ({kind(scores)}, {kind(split)}) -> {kind(mixed)}"
    )
    lines.append(f"%mt = stablehlo.transpose %m, dims = [1, 0, 2] : ({kind(mixed)}) -> {kind(split)}")
    lines.append(f"%mr = stablehlo.reshape %mt : ({kind(split)}) -> {kind(flat)}")
    dot(program, "o", "mr", flat, "wo", [wide, wide])
    lines.append(f"%r = stablehlo.add %x, %o : {kind(flat)}")
    hidden = dot(program, "f0", "r", flat, "w1", [wide, 4 * wide])
    add_bias(program, "f1", "f0", hidden, "b1")
    lines.append(f"%f2 = stablehlo.tanh %f1 : {kind(hidden)}")
    dot(program, "g0", "f2", hidden, "w2", [4 * wide, wide])
    add_bias(program, "g", "g0", flat, "b2")
    lines.append(f"%z = stablehlo.add %r, %g : {kind(flat)}")
    lines.append(f"return %z : {kind(flat)}")
    cut, whole = 12 * wide * wide + 4 * wide, wide
    # No argument says where it lies; the devices of two times two are in an order of their own.
    return program.text(f"%x: {kind(flat)}", kind(flat), ", device_ids=[3, 1, 0, 2]"), {"cut": 4 * cut, "whole": 4 * whole}


def uneven(rows: int, columns: int) -> tuple[str, dict]:
    """The product with a table whose rows no number of devices divides: parts are rounded up. A device has the numbers of its rows, too (i32): the sum
    leaves out those that are none of the table.
    """
    program = Program()
    program.weight("t", [rows, columns], 0)
    out = dot(program, "y", "x", [6, rows], "t", [rows, columns])
    program.lines.append(f"return %y : {kind(out)}")
    return program.text(f"%x: {kind([6, rows])}", kind(out)), {"cut": 4 * rows * columns, "whole": 0, "row": 4 * columns}


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Panels of 32 columns hold the widths without rest on each device, and no result is so small that what is added to it is folded: what is stored
    # is what the formulas say.
    programs = {"mlp": mlp(24, 64, 256), "block": block(16, 128, 4), "uneven": uneven(7, 32)}
    for name, (text, _) in programs.items():
        (folder / f"{name}.mlir").write_text(text)
    (folder / "bytes.json").write_text(json.dumps({name: said for name, (_, said) in programs.items()}))


if __name__ == "__main__":
    main()
