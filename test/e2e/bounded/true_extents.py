"""Dispatched programs whose tensors lie by their true extents: launches get the numbers of a call's sizes, the caller's memory is used where it
is, whichever dimension is sized. Against numpy.

    true_extents.py FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np

X = "tensor<8x512x48xf32, #size.extents<batch, sequence, 48>>"
FLAT = "tensor<4096x48xf32, #size.extents<batch * sequence, 48>>"
TURNED = "tensor<8x48x512xf32, #size.extents<batch, 48, sequence>>"
W = "tensor<2x48x32xf32>"
SAME = "affine_map<(a, b, c) -> (a, b, c)>"
PARALLEL = '["parallel", "parallel", "parallel"]'

MODULE = f"""
module attributes {{heddle.target = "x86-64-v3",
    heddle.symbols = [{{name = "batch", minimum = 0, maximum = 8}}, {{name = "sequence", minimum = 1, maximum = 512}}]}} {{
  func.func private @scale(%x: {X} {{kernel.in_place = 0 : i64}}, %f: f32) -> {X} attributes {{kernel.entry}} {{
    %e = tensor.empty() : {X}
    %0 = linalg.generic {{indexing_maps = [{SAME}, {SAME}], iterator_types = {PARALLEL}}} ins(%x : {X}) outs(%e : {X}) {{
    ^bb0(%a: f32, %o: f32):
      %1 = arith.mulf %a, %f : f32
      linalg.yield %1 : f32
    }} -> {X}
    return %0 : {X}
  }}
  func.func private @product(%x: {FLAT}, %w: {W}) -> {FLAT} attributes {{kernel.entry}} {{
    %0 = kernel.contract %x, %w {{extents = array<i64: 4096, 48, 48>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
      rhs_packing = "* k n -> * n/32 k n%32"}} : {FLAT}, {W} -> {FLAT}
    return %0 : {FLAT}
  }}
  func.func private @turn(%x: {X}) -> {TURNED} attributes {{kernel.entry}} {{
    %e = tensor.empty() : {TURNED}
    %0 = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> (a, c, b)>, {SAME}], iterator_types = {PARALLEL}}} ins(%x : {X}) outs(%e : {TURNED}) {{
    ^bb0(%a: f32, %o: f32):
      %1 = arith.addf %a, %a : f32
      linalg.yield %1 : f32
    }} -> {TURNED}
    return %0 : {TURNED}
  }}
  func.func @main(%x: {X} {{heddle.name = "x"}}, %w: {W} {{heddle.name = "w"}}) -> ({TURNED} {{heddle.name = "y"}}, {X} {{heddle.name = "z"}}) {{
    %0 = kernel.launch @scale(%x) scalars [3.0 : f32] : ({X}) -> {X}
    %1 = tensor.collapse_shape %0 [[0, 1], [2]] : {X} into {FLAT}
    %2 = kernel.launch @product(%1, %w) : ({FLAT}, {W}) -> {FLAT}
    %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [8, 512, 48] : {FLAT} into {X}
    %4 = kernel.launch @turn(%3) : ({X}) -> {TURNED}
    %5 = kernel.launch @scale(%3) scalars [0.5 : f32] : ({X}) -> {X}
    return %4, %5 : {TURNED}, {X}
  }}
}}
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.mlir").write_text(MODULE)
    artifact = folder / "model.heddle"
    subprocess.run(["heddle", "compile", "-q", "--start-from=heddle-dispatch", folder / "model.mlir", "-o", artifact], check=True)
    random = np.random.default_rng(0)
    weights = random.integers(-3, 4, (2, 48, 32)).astype(np.float32)
    np.save(folder / "w.npy", weights)
    wrong = 0
    for batch, sequence in ((1, 1), (3, 5), (8, 512), (8, 1), (1, 512), (2, 77), (0, 7)):
        x = random.integers(-3, 4, (batch, sequence, 48)).astype(np.float32)
        np.save(folder / "x.npy", x)
        command = ["heddle", "run", "-q", artifact, "--input", f"x=@{folder}/x.npy", "--input", f"w=@{folder}/w.npy", "--output", folder / "out"]
        subprocess.run(command, check=True)
        product = 3 * x @ weights.transpose(1, 0, 2).reshape(48, 64)[:, :48]
        found = [np.load(folder / "out" / f"{name}.npy") for name in "yz"]
        wanted = [(2 * product).transpose(0, 2, 1), product / 2]
        if not all(np.array_equal(a, b) for a, b in zip(found, wanted)):
            print(f"differs at {batch} x {sequence}")
            wrong += 1
    print(f"{wrong} wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
