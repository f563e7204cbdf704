"""Writes programs of one product each, for kernels with tensor cores, and inputs of small integers, whose sums are exact in any order.

usage: products.py FOLDER
"""

import json
import math
import pathlib
import random
import struct
import sys

# name, element, batch, m, n, k, whether lhs is k by m, whether rhs is n by k
CASES = [("whole", "f16", 1, 128, 128, 64, False, False), ("ragged", "bf16", 1, 130, 72, 40, False, False),
         ("odd", "bf16", 1, 67, 33, 35, False, False), ("narrow", "f16", 1, 20, 70, 18, False, True),
         ("batched", "bf16", 3, 40, 24, 100, False, True), ("turned", "f16", 2, 136, 72, 48, True, False),
         ("both", "bf16", 1, 72, 136, 20, True, True), ("deep", "f16", 1, 48, 48, 520, False, False),
         # Rows of multiples of 16 bytes. The first has tiles of two warpgroups, of which some lie half outside.
         ("boxes", "bf16", 2, 1000, 2040, 72, False, False), ("boxes-turned", "f16", 2, 136, 72, 648, True, True),
         ("boxes-both", "bf16", 3, 72, 136, 200, False, True)]


def program(element, batch, m, n, k, lhs_turned, rhs_turned) -> str:
    lhs = f"tensor<{batch}x{k}x{m}x{element}>" if lhs_turned else f"tensor<{batch}x{m}x{k}x{element}>"
    rhs = f"tensor<{batch}x{n}x{k}x{element}>" if rhs_turned else f"tensor<{batch}x{k}x{n}x{element}>"
    out = f"tensor<{batch}x{m}x{n}x{element}>"
    return f"""func.func @main(%x: {lhs}, %y: {rhs}, %bias: tensor<{n}x{element}>) -> {out} {{
  %product = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [{1 if lhs_turned else 2}] x [{2 if rhs_turned else 1}]
    : ({lhs}, {rhs}) -> {out}
  %row = stablehlo.broadcast_in_dim %bias, dims = [2] : (tensor<{n}x{element}>) -> {out}
  %sum = stablehlo.add %product, %row : {out}
  %zero = stablehlo.constant dense<0.0> : {out}
  %result = stablehlo.maximum %sum, %zero : {out}
  return %result : {out}
}}
"""


def integers(element, batch, m, n, k, lhs_turned, rhs_turned) -> bytes:
    """A file of safetensors: both operands and the bias, with integers from -4 to 4."""
    header, data, drawn = {}, b"", random.Random(m * n * k)
    shapes = [[batch, k, m] if lhs_turned else [batch, m, k], [batch, n, k] if rhs_turned else [batch, k, n], [n]]
    for name, shape in enumerate(shapes):
        values = drawn.choices([-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0], k=math.prod(shape))
        if element == "f16":
            raw = struct.pack(f"<{len(values)}e", *values)
        else:
            # The high half of an f32.
            halves = {value: struct.pack("<f", value)[2:] for value in set(values)}
            raw = b"".join(halves[value] for value in values)
        header[str(name)] = {"dtype": element.upper(), "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, *case in CASES:
        (folder / f"{name}.mlir").write_text(program(*case))
        (folder / f"{name}.safetensors").write_bytes(integers(*case))
