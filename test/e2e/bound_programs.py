#!/usr/bin/env python3
"""Do weights that files hold quantized stay what they are, whatever the program around them?  bound_programs.py HEDDLE TARGET

Products with weights of GGUF files and of fp8, each in a StableHLO program of its own. What was quantized is not rounded again by `--precision w8a16` and
`w4a16`, nor minima by bf16: results have the bits of those without the option. A function between a weight and its product, and transposes that cancel
each other, cost no byte. Devices of a mesh hold their parts of integers, scales and minima. Programs of f16, bf16 and f64 get the numbers that the file's format says, within what their types may lose.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

import gguf_formats
import packed_formats

F = np.float32
RANDOM = np.random.default_rng(5)
# Two devices have whole panels of 32 columns each.
ROWS, COLUMNS = 3, 128
# 32 blocks of 32: as many terms as a weight that would be quantized has.
DEPTH = 1024

DIRECT = "%y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (X, W) -> Y"
CALLED = "%y = func.call @layer(%x, %w) : (X, W) -> Y"
TWICE = """%t = stablehlo.transpose %w, dims = [1, 0] : (W) -> T
  %u = stablehlo.transpose %t, dims = [1, 0] : (T) -> W
  %y = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] : (X, W) -> Y"""
LAYER = "func.func private @layer(%x: X, %w: W) -> Y {\n  " + DIRECT + "\n  return %y : Y\n}\n"


# How [terms, columns] lie over a mesh: no cut goes through a block.
SHARDINGS = {"columns": '[{}, {"a"}]', "terms": '[{"b"}, {}]', "both": '[{"b"}, {"a"}]'}


def program(body, element="f32") -> str:
    """The input and the result are f32, what is between of `element`."""
    casts = ["%x = stablehlo.convert %f : (IN) -> X", "%r = stablehlo.convert %y : (Y) -> OUT"] if element != "f32" else ["", ""]
    names = ("f", "r") if casts[0] else ("x", "y")
    text = (f'func.func @main(%{names[0]}: IN {{heddle.name = "x"}}, %w: W {{heddle.name = "w"}}) -> (OUT {{heddle.name = "y"}}) {{\n'
            f"  {casts[0]}\n  {body}\n  {casts[1]}\n  return %{names[1]} : OUT\n}}\n" + (LAYER if body == CALLED else ""))
    shapes = {"IN": (ROWS, DEPTH, "f32"), "OUT": (ROWS, COLUMNS, "f32"), "X": (ROWS, DEPTH, element), "W": (COLUMNS, DEPTH, element),
              "T": (DEPTH, COLUMNS, element), "Y": (ROWS, COLUMNS, element)}
    for name, (rows, columns, kind) in shapes.items():
        text = re.sub(rf"\b{name}\b", f"tensor<{rows}x{columns}x{kind}>", text)
    return text


class Runner:
    def __init__(self, heddle, target, folder):
        self.heddle, self.target, self.folder = heddle, target, folder

    def result(self, text, tensor, precision="f32") -> tuple[np.ndarray, int, str]:
        """The result, the bytes of the weights, and what is said of the precision."""
        (self.folder / "model.mlir").write_text(text)
        return self.run(["model.mlir", "--bind", f"w=@{self.folder}/{tensor}", "--precision", precision], [])

    def onnx_result(self, tensor, mesh=(), devices=()) -> tuple[np.ndarray, int, str]:
        return self.run(["model.onnx", "--bind", f"w=@{self.folder}/{tensor}^T", *mesh], devices)

    def run(self, options, devices):
        artifact = self.folder / "model.heddle"
        subprocess.run([self.heddle, "compile", "-q", "--force", self.folder / options[0], *options[1:], "-t", self.target, "-o", artifact], check=True)
        subprocess.run([self.heddle, "run", "-q", artifact, "--input", f"x=@{self.folder}/x.npy", "--output", self.folder / "out", *devices], check=True,
                       stdout=subprocess.DEVNULL)
        shown = json.loads(subprocess.run([self.heddle, "inspect", artifact, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        return np.load(self.folder / "out" / "y.npy"), shown["weight_bytes"], shown["provenance"].get("precision", "")


def write_files(folder) -> dict[str, np.ndarray]:
    """Tensors by what --bind calls them, and what they stand for."""
    shape, tensors, real = (COLUMNS, DEPTH), [], {}
    for kind in gguf_formats.FORMATS:
        data = gguf_formats.random_data(kind, shape, RANDOM, False)
        tensors.append((kind, gguf_formats.FORMATS[kind][0], shape, data))
        real[f"model.gguf:{kind}"] = gguf_formats.dequantized(kind, data, shape)
    (folder / "model.gguf").write_bytes(gguf_formats.gguf_file(tensors))
    parts = {"weight": RANDOM.standard_normal(shape).astype(ml_dtypes.float8_e4m3fn), "weight_scale": RANDOM.random((COLUMNS, 1)).astype(F)}
    (folder / "fp8.safetensors").write_bytes(packed_formats.safetensors_file({f"l.{name}": part for name, part in parts.items()}))
    real["fp8.safetensors:l.weight"] = packed_formats.from_plain(parts)
    described = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)
                 for name, sizes in (("x", (ROWS, DEPTH)), ("w", shape[::-1]), ("y", (ROWS, COLUMNS)))]
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "product", described[:2], described[2:])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), folder / "model.onnx")
    np.save(folder / "x.npy", RANDOM.integers(-4, 5, (ROWS, DEPTH)).astype(F))
    return real


def check(what, good) -> int:
    print(f"{what}: {'ok' if good else 'WRONG'}")
    return not good


def rounded_again(runner) -> int:
    failed = 0
    for tensor, policies in {"model.gguf:Q4_1": ("bf16", "w8a16", "w4a16"), "model.gguf:Q4_K": ("bf16", "w8a16", "w4a16"),
                             "fp8.safetensors:l.weight": ("w8a16", "w4a16")}.items():
        plain = runner.result(program(DIRECT), tensor)
        for policy in policies:
            result, size, said = runner.result(program(DIRECT), tensor, policy)
            good = result.tobytes() == plain[0].tobytes() and size == plain[1] and " in 0 of 1 contractions" in said
            failed += check(f"{tensor}, {policy}: {said}", good)
    return failed


def other_ways(runner) -> int:
    failed = 0
    for kind in ("Q4_1", "Q4_K"):
        plain = runner.result(program(DIRECT), f"model.gguf:{kind}")
        # Four bits, and a scale and a minimum in f32 of each 32 numbers.
        failed += check(f"{kind}: {plain[1]} bytes", plain[1] <= COLUMNS * DEPTH * (4 + 64 / 32) / 8 * 1.01)
        for name, body in ("called", CALLED), ("transposed twice", TWICE):
            result, size, _ = runner.result(program(body), f"model.gguf:{kind}")
            failed += check(f"{kind}, {name}: {size} bytes", result.tobytes() == plain[0].tobytes() and size == plain[1])
    return failed


def differs(x, real, result, epsilon) -> float:
    """The largest error in units of what rounding each weight and the result to a type of that precision, and sums in f32, may lose."""
    wanted, size = x @ real.T, np.abs(x) @ np.abs(real).T
    return np.max(np.abs(result - wanted) / (size * (epsilon / 2 * 1.01 + DEPTH * 2.0**-24) + np.abs(wanted) * epsilon))


def parts(runner, real) -> int:
    """Weights of devices take no more, all together, than those of one, but for what is floats in both ways, and is a sum of two there."""
    failed, x = 0, np.load(runner.folder / "x.npy").astype(np.float64)
    for tensor in real:
        plain = runner.onnx_result(tensor)
        for name, sharding in SHARDINGS.items():
            result, size, _ = runner.onnx_result(tensor, ["--mesh", "a=2,b=2", "--shard", f"w={sharding}"], ["--devices", "4"])
            error = differs(x, real[tensor], result, 2.0**-23)
            is_parted = not tensor.endswith("Q2_K")
            failed += check(f"{tensor}, by {name}: {size} bytes, {plain[1]} on one device, {error:.2f} of what rounding may lose",
                            error <= 1 and (not is_parted or size <= plain[1]))
    return failed


def other_types(runner, real) -> int:
    failed, x = 0, np.load(runner.folder / "x.npy").astype(np.float64)
    for element, epsilon in ("f16", 2.0**-10), ("bf16", 2.0**-7), ("f64", 2.0**-23):
        for tensor in real:
            result, _, _ = runner.result(program(DIRECT, element), tensor)
            error = differs(x, real[tensor], result, epsilon)
            failed += check(f"{tensor}, {element}: {error:.2f} of what rounding may lose", error <= 1)
    return failed


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], sys.argv[2], pathlib.Path(folder))
        real = write_files(runner.folder)
        return 1 if rounded_again(runner) + other_ways(runner) + parts(runner, real) + other_types(runner, real) else 0


if __name__ == "__main__":
    sys.exit(main())
