"""What a device pack has in it: programs whose results are checked, and programs that are timed.

A case is a dictionary, which the pack has in cases.json:

name       of the artifact, NAME.heddle
data       "integers": whole numbers from -4 to 4, whose sums are exact in any order; "normal": with a standard deviation of 1
bound      the largest relative distance (L2) to the same artifact's program for the processor; 0: the bits have to be equal
below      what inputs of integers are smaller than
rows       instead: a product of two matrices, of which so many rows are computed again from the same factors
flops      of a call, bytes: that it reads and writes at the least
baseline   a key of baselines.py
gate       the least ratio of the baseline's time to heddle's
variants   the targets whose code is tried
processor  the target whose results are the other side; null where rows are computed again
"""

import pathlib
import runpy

# Programs that the tests run on emulated devices: name, data, bound. Those of small integers and of operations that are not reordered have equal bits.
TESTED = [("mlp", "normal", 1e-5), ("elementwise", "normal", 0), ("convolutions", "normal", 1e-5), ("transformer", "normal", 1e-4),
          ("transformer-bf16", "normal", 2e-2)]
# M, N, K and the part of cuBLAS's rate that is wanted: steps G3 to G5 of a ladder of products.
PRODUCTS = [(8192, 8192, 8192, 0.88), (4096, 4096, 4096, 0.88), (4096, 4096, 14336, 0.88), (10240, 10240, 10240, 0.88), (16384, 1024, 4096, 0.88),
            (16, 4096, 4096, 0.85), (64, 4096, 4096, 0.85), (256, 4096, 4096, 0.85)]


def product(m: int, n: int, k: int) -> str:
    return f"""func.func @main(%x: tensor<{m}x{k}xbf16>, %y: tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xbf16> {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xbf16>
  return %0 : tensor<{m}x{n}xbf16>
}}
"""


def chain(elements: int) -> str:
    kind = f"tensor<{elements}xf32>"
    return f"""func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{
  %0 = stablehlo.multiply %x, %y : {kind}
  %1 = stablehlo.add %0, %x : {kind}
  %2 = stablehlo.maximum %1, %y : {kind}
  return %2 : {kind}
}}
"""


def softmax(rows: int, columns: int) -> str:
    whole, line = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return f"""func.func @main(%x: {whole}) -> {whole} {{
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : ({whole}, tensor<f32>) -> {line}
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ({line}) -> {whole}
  %2 = stablehlo.subtract %x, %1 : {whole}
  %3 = stablehlo.exponential %2 : {whole}
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : ({whole}, tensor<f32>) -> {line}
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ({line}) -> {whole}
  %6 = stablehlo.divide %3, %5 : {whole}
  return %6 : {whole}
}}
"""


def checked(root: pathlib.Path) -> list[tuple[dict, str]]:
    """Cases of the emulator's tests, with their programs."""
    inputs = root / "test/e2e/gpu/Inputs"
    cases = [({"name": name, "data": data, "bound": bound, "below": 8}, (inputs / f"{name}.mlir").read_text()) for name, data, bound in TESTED]
    scope = runpy.run_path(str(inputs / "products.py"))
    return cases + [({"name": f"product-{name}", "data": "integers", "bound": 0}, scope["program"](*sizes)) for name, *sizes in scope["CASES"]]


def timed() -> list[tuple[dict, str]]:
    """Cases that say how fast kernels are."""
    cases = []
    for m, n, k, gate in PRODUCTS:
        cases.append(({"name": f"gemm-{m}x{n}x{k}", "data": "normal", "rows": min(m, 16), "flops": 2 * m * n * k, "bytes": 2 * (m * k + k * n + m * n),
                       "baseline": "matmul", "gate": gate}, product(m, n, k)))
    elements, rows, columns = 1 << 26, 8192, 8192
    cases.append(({"name": "chain", "data": "normal", "bound": 0, "bytes": 12 * elements, "baseline": "copy", "gate": 0.92}, chain(elements)))
    cases.append(({"name": "softmax", "data": "normal", "bound": 1e-5, "bytes": 8 * rows * columns, "baseline": "softmax", "gate": 0.95},
                  softmax(rows, columns)))
    return cases
