"""Writes the models of two entries: @prefill fills a cache, @decode changes some of its rows; both project by the same weight.
Each in a file of its own, and both in one."""

import pathlib
import sys

import numpy as np

ROWS, STEP, WIDTH = 32, 16, 64
folder = pathlib.Path(sys.argv[1])
weight = np.random.default_rng(1).standard_normal((WIDTH, WIDTH), dtype=np.float32).tobytes().hex()
cache, rows = f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{STEP}x{WIDTH}xf32>"


def project(operand: str, kind: str) -> str:
    return f"""  %w = stablehlo.constant dense<"0x{weight}"> : tensor<{WIDTH}x{WIDTH}xf32>
  %rows = stablehlo.dot_general {operand}, %w, contracting_dims = [1] x [0] : ({kind}, tensor<{WIDTH}x{WIDTH}xf32>) -> {kind}
"""


prefill = f"""func.func @NAME(%x: {cache} {{heddle.name = "prompt"}}) -> ({cache} {{heddle.name = "made"}}) {{
{project("%x", cache)}  return %rows : {cache}
}}
"""
decode = f"""func.func @NAME(%x: {rows} {{heddle.name = "x"}}, %position: tensor<i32> {{heddle.name = "position"}},
    %past: {cache} {{heddle.name = "cache"}}) -> (tensor<{STEP}x{ROWS}xf32> {{heddle.name = "scores"}}, {cache} {{heddle.name = "made"}}) {{
{project("%x", rows)}  %zero = stablehlo.constant dense<0> : tensor<i32>
  %present = stablehlo.dynamic_update_slice %past, %rows, %position, %zero : ({cache}, {rows}, tensor<i32>, tensor<i32>) -> {cache}
  %scores = stablehlo.dot_general %x, %present, contracting_dims = [1] x [1] : ({rows}, {cache}) -> tensor<{STEP}x{ROWS}xf32>
  return %scores, %present : tensor<{STEP}x{ROWS}xf32>, {cache}
}}
"""
(folder / "prefill.mlir").write_text(prefill.replace("NAME", "main"))
(folder / "decode.mlir").write_text(decode.replace("NAME", "main"))
(folder / "both.mlir").write_text(prefill.replace("NAME", "prefill") + decode.replace("NAME", "main"))
