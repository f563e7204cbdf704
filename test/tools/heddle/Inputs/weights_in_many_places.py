"""Writes a StableHLO program and weights for it: constants in the text, below and above the size of a handle, one that is computed from others when
compiling, and an argument that becomes a weight."""

import sys

import numpy as np


def text(values: np.ndarray) -> str:
    return "[" + ", ".join(text(value) if value.ndim else f"{value:.8e}" for value in values) + "]"


random = np.random.default_rng(0)
small, large, scale = (random.standard_normal(shape).astype(np.float32) for shape in ((20,), (24, 20), (24,)))
model, weights = sys.argv[1:]
np.savez(weights, random.standard_normal((16, 24)).astype(np.float32))
with open(model, "w") as out:
    out.write(f"""func.func @main(%x: tensor<3x16xf32>, %w: tensor<16x24xf32> {{heddle.name = "w"}}) -> tensor<3x20xf32> {{
  %small = stablehlo.constant dense<{text(small)}> : tensor<20xf32>
  %large = stablehlo.constant dense<{text(large)}> : tensor<24x20xf32>
  %scale = stablehlo.constant dense<{text(scale)}> : tensor<24xf32>
  %0 = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<24xf32>) -> tensor<24x20xf32>
  %1 = stablehlo.multiply %0, %large : tensor<24x20xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x16xf32>, tensor<16x24xf32>) -> tensor<3x24xf32>
  %3 = stablehlo.tanh %2 : tensor<3x24xf32>
  %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [0] : (tensor<3x24xf32>, tensor<24x20xf32>) -> tensor<3x20xf32>
  %5 = stablehlo.broadcast_in_dim %small, dims = [1] : (tensor<20xf32>) -> tensor<3x20xf32>
  %6 = stablehlo.add %4, %5 : tensor<3x20xf32>
  return %6 : tensor<3x20xf32>
}}
""")
