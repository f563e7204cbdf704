#!/usr/bin/env python3
"""Are weights what `--precision w8a16` and `w4a16` say?  weight_policies.py HEDDLE TARGET...

One program multiplies by matrices whose terms are rows or columns, of sizes that fill no panel and no block, by a table that is read row by row, too,
and by what stays f32: few columns, terms that words of 4 bits do not hold, sums that the model wants exact. Weights become integers and scales here by
NumPy, as docs/decisions/quantization.md defines them, and are multiplied in f64. Weights that are integers in units of powers of two come out as they
are: with small integers for activations, results must be these bits.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

F = np.float32
RANDOM = np.random.default_rng(0)
BLOCK = 32


def to_bf16(values: np.ndarray) -> np.ndarray:
    """Rounded once, to nearest even: 8 bits behind the point of a mantissa below one."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(mantissa * 256) / 256, exponent)


def quantized(weight: np.ndarray, bits: int) -> np.ndarray:
    """What is stored for [terms, columns], in f64."""
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    real = np.empty(weight.shape, np.float64)
    for first in range(0, weight.shape[0], BLOCK):
        part = weight[first:first + BLOCK]
        low, high = part.min(0), part.max(0)
        extreme = np.where(high >= -low, high, low).astype(np.float64)
        extreme[~np.isfinite(part).all(0)] = np.nan
        scale = to_bf16(extreme / (least if bits == 4 else most))
        with np.errstate(invalid="ignore"):
            quotient = part / scale.astype(F)
        numbers = np.clip(np.rint(np.nan_to_num(quotient)), least, most)
        real[first:first + BLOCK] = numbers * scale
    return real


class Program:
    """StableHLO of products, what is bound and passed to it, and what the results must be of each number of bits."""

    def __init__(self):
        self.arguments, self.lines, self.weights, self.inputs, self.results, self.wanted = [], [], {}, {}, [], {}

    def argument(self, name, value, into):
        into[name] = value
        self.arguments.append(f'%{name}: tensor<{"x".join(map(str, value.shape))}xf32> {{heddle.name = "{name}"}}')

    def product(self, name, x, weight, transposed=False, attributes="", stored=(8, 4), exact=None):
        """`weight`, [terms, columns], is bound as it is or transposed. Results are of these bits for weights of `exact` bits."""
        held = np.ascontiguousarray(weight.T) if transposed else weight
        self.argument("x_" + name, x, self.inputs)
        self.argument("w_" + name, held, self.weights)
        types = [f'tensor<{"x".join(map(str, shape))}xf32>' for shape in (x.shape, held.shape, (*x.shape[:-1], weight.shape[1]))]
        self.lines.append(f"%{name} = stablehlo.dot_general %x_{name}, %w_{name}, contracting_dims = [{x.ndim - 1}] x [{int(transposed)}]{attributes} : "
                          f"({types[0]}, {types[1]}) -> {types[2]}")
        self.results.append((name, types[2]))
        for bits in 8, 4:
            real = quantized(weight, bits) if bits in stored else weight.astype(np.float64)
            with np.errstate(invalid="ignore"):
                size = np.abs(x.astype(np.float64)) @ np.abs(real)
            # Sums of blocks and their total; of f32 those of a whole chain.
            terms = weight.shape[0]
            roundings = (BLOCK if bits in stored else min(terms, 144)) + 2 * -(-terms // BLOCK) + 4
            self.wanted[name, bits] = x.astype(np.float64) @ real, None if exact == bits else size * roundings * 2.0**-24

    def text(self) -> str:
        values = ", ".join(f"%{name}" for name, _ in self.results)
        types = ", ".join(kind for _, kind in self.results)
        named = ", ".join(f'{kind} {{heddle.name = "{name}"}}' for name, kind in self.results)
        lines = "\n  ".join(self.lines)
        return f"func.func @main({', '.join(self.arguments)}) -> ({named}) {{\n  {lines}\n  return {values} : {types}\n}}\n"


def normal(*shape) -> np.ndarray:
    return RANDOM.standard_normal(shape, F)


def small(*shape) -> np.ndarray:
    return RANDOM.integers(-4, 5, shape).astype(F)


def exact_weights(terms, columns, extreme) -> np.ndarray:
    """Integers in units of powers of two, the first of each block `extreme`, which no other is."""
    most = abs(extreme) - 1
    numbers = RANDOM.integers(-most, most + 1, (terms, columns)).astype(F)
    numbers[::BLOCK] = extreme
    return numbers * np.repeat(2.0 ** RANDOM.integers(-3, 2, (-(-terms // BLOCK), columns)), BLOCK, 0)[:terms].astype(F)


def build() -> Program:
    program = Program()
    program.product("row", normal(1, 160), normal(160, 70))
    program.product("transposed", normal(3, 160), normal(160, 96), transposed=True)
    program.product("batch", normal(2, 5, 72), normal(72, 40))
    program.product("many", normal(45, 1056), normal(1056, 33))
    program.product("nibbles", small(3, 96), exact_weights(96, 40, -8), exact=4)
    program.product("bytes", small(1, 96), exact_weights(96, 40, 127), exact=8)
    # Zeros, an infinity and a NaN.
    odd = normal(64, 40)
    odd[:32, 3], odd[40, 5], odd[1, 7] = 0, np.inf, np.nan
    program.product("spoilt", normal(2, 64), odd)
    program.product("few", normal(3, 160), normal(160, 16), stored=())
    program.product("ragged", normal(3, 39), normal(39, 40), stored=(8,))
    program.product("wanted", normal(3, 64), normal(64, 40), attributes=", precision = [HIGHEST, HIGHEST]", stored=())
    # A table whose rows are read as they are.
    table = normal(48, 64)
    program.product("tied", normal(2, 64), np.ascontiguousarray(table.T), transposed=True)
    program.lines.append("%rows = stablehlo.slice %w_tied [7:9, 0:64] : (tensor<48x64xf32>) -> tensor<2x64xf32>")
    program.lines.append("%read = stablehlo.add %rows, %x_tied : tensor<2x64xf32>")
    program.results.append(("read", "tensor<2x64xf32>"))
    for bits in 8, 4:
        program.wanted["read", bits] = (table[7:9] + program.inputs["x_tied"]).astype(np.float64), None
    return program


def differs(program, name, bits, result) -> bool:
    wanted, bound = program.wanted[name, bits]
    rounded = wanted.astype(F)
    with np.errstate(invalid="ignore"):
        near = result == rounded if bound is None else np.abs(result.astype(np.float64) - wanted) <= bound + np.abs(wanted) * 2.0**-24
    bad = ~(near | (np.isnan(result) & np.isnan(rounded)))
    if bad.any() or result.shape != wanted.shape:
        print(f"  {name}: {np.count_nonzero(bad)} of {wanted.size} values differ")
        return True
    return False


def compiled(heddle, program, folder, target, precision) -> tuple[dict[str, np.ndarray], dict]:
    """Results, and what `heddle inspect` shows."""
    binds = [argument for name in program.weights for argument in ("--bind", f"{name}=@{folder / name}.npy")]
    artifact = folder / "model.heddle"
    subprocess.run([heddle, "compile", "-q", "--force", folder / "model.mlir", *binds, "--precision", precision, "-t", target, "-o", artifact], check=True)
    run = subprocess.run([heddle, "run", artifact, "--inputs", folder / "inputs.npz", "--output", folder / "out", "--json"],
                         check=True, stdout=subprocess.PIPE)
    shown = subprocess.run([heddle, "inspect", artifact, "--json"], check=True, stdout=subprocess.PIPE)
    return {output["name"]: np.load(output["file"]) for output in json.loads(run.stdout)["outputs"]}, json.loads(shown.stdout)


def size_is_right(heddle, folder) -> bool:
    """Whether a matrix of 512 x 512 takes its bits and a scale of 2 bytes for each block."""
    program = Program()
    program.product("one", normal(1, 512), normal(512, 512))
    write(program, folder)
    sizes = {bits: compiled(heddle, program, folder, "x86-64-v3", f"w{bits}a16")[1]["weight_bytes"] for bits in (8, 4)}
    return all(size == 512 * 512 * (bits / 8 + 2 / BLOCK) for bits, size in sizes.items())


def write(program, folder):
    (folder / "model.mlir").write_text(program.text())
    np.savez(folder / "inputs.npz", **program.inputs)
    for name, value in program.weights.items():
        np.save(folder / f"{name}.npy", value)


def main() -> int:
    heddle, targets = sys.argv[1], sys.argv[2:]
    program, failed, unlike = build(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write(program, folder)
        for bits in 8, 4:
            fused = []
            for target in targets:
                results, shown = compiled(heddle, program, folder, target, f"w{bits}a16")
                count = sum(differs(program, name, bits, results[name]) for name, _ in program.results)
                said = re.fullmatch(rf"w{bits}a16 by blocks of {BLOCK} in (.* contractions) and convolutions", shown["provenance"]["precision"])
                print(f"w{bits}a16, {target}: {said[1]}, {len(program.results)} results, {count} differ")
                failed += count
                fused += [results] if target != "x86-64-v2" else []
            unlike += sum(fused[0][name].tobytes() != other[name].tobytes() for other in fused[1:] for name, _ in program.results)
        print(f"bits: {unlike} results of levels with fused sums differ")
        fits = size_is_right(heddle, folder)
        print(f"bytes: {'ok' if fits else 'WRONG'}")
    return 1 if failed + unlike or not fits else 0


if __name__ == "__main__":
    sys.exit(main())
