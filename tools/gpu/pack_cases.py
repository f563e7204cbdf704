"""What a device pack has in it: programs whose results are checked, and programs that are timed.

A case is a dictionary, which the pack has in cases.json:

name       of the artifact, NAME.heddle
data       "integers": whole numbers from -4 to 4, whose sums are exact in any order; "normal": with a standard deviation of 1
bound      the largest relative distance (L2) to the same artifact's program for the processor; 0: the bits have to be equal
below      what inputs of integers are smaller than
rows       instead: a product of two matrices, or attention, of which so many rows are computed again from the same operands
flops      of a call, bytes: that it reads and writes at the least
causal     of attention: whether queries see no later keys
baseline   a key of baselines.py
gate       the least ratio of the baseline's time to heddle's
variants   the targets whose code is tried
processor  the target whose results are the other side; null where rows are computed again
"""

import math
import pathlib
import runpy

# Programs that the tests run on emulated devices: name, data, bound. Those of small integers and of operations that are not reordered have equal bits.
TESTED = [("mlp", "normal", 1e-5), ("elementwise", "normal", 0), ("convolutions", "normal", 1e-5), ("transformer", "normal", 1e-4),
          ("transformer-bf16", "normal", 2e-2)]
# M, N, K and the part of cuBLAS's rate that is wanted: steps G3 to G5 of a ladder of products.
PRODUCTS = [(8192, 8192, 8192, 0.88), (4096, 4096, 4096, 0.88), (4096, 4096, 14336, 0.88), (10240, 10240, 10240, 0.88), (16384, 1024, 4096, 0.88),
            (16, 4096, 4096, 0.85), (64, 4096, 4096, 0.85), (256, 4096, 4096, 0.85)]
# Heads, queries, elements of a head, causal, and the part of cuDNN's rate that is wanted: steps A2 and A3 of the same ladder.
ATTENTION = [(16, 16384, 128, False, 0.80), (16, 16384, 128, True, 0.80), (32, 16384, 64, False, 0.80), (32, 16384, 64, True, 0.80),
             (128, 2048, 128, True, 0.80)]


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


def attention(heads: int, length: int, depth: int, causal: bool) -> str:
    operand, scores, rows = f"tensor<1x{heads}x{length}x{depth}xbf16>", f"1x{heads}x{length}x{length}", f"tensor<1x{heads}x{length}xbf16>"
    whole = f"tensor<{scores}xbf16>"
    scale = 1 / math.sqrt(depth)
    batch = "batching_dims = [0, 1] x [0, 1]"
    mask = f"""
  %query = stablehlo.iota dim = 2 : tensor<{scores}xi32>
  %key = stablehlo.iota dim = 3 : tensor<{scores}xi32>
  %seen = stablehlo.compare LE, %key, %query : (tensor<{scores}xi32>, tensor<{scores}xi32>) -> tensor<{scores}xi1>
  %least = stablehlo.constant dense<0xFF80> : {whole}
  %s = stablehlo.select %seen, %scaled, %least : tensor<{scores}xi1>, {whole}"""
    return f"""func.func @main(%q: {operand}, %k: {operand}, %v: {operand}) -> {operand} {{
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {{composite_attributes = {{scale = {scale:.9f} : f32{", causal = true" if causal else ""}}}, decomposition = @attention}} : ({operand}, {operand}, {operand}) -> {operand}
  return %0 : {operand}
}}
func.func private @attention(%q: {operand}, %k: {operand}, %v: {operand}) -> {operand} {{
  %lowest = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %products = stablehlo.dot_general %q, %k, {batch}, contracting_dims = [3] x [3] : ({operand}, {operand}) -> {whole}
  %scales = stablehlo.constant dense<{scale:.9f}> : {whole}
  %{"scaled" if causal else "s"} = stablehlo.multiply %products, %scales : {whole}{mask if causal else ""}
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [3] : ({whole}, tensor<bf16>) -> {rows}
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : ({rows}) -> {whole}
  %2 = stablehlo.subtract %s, %1 : {whole}
  %3 = stablehlo.exponential %2 : {whole}
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [3] : ({whole}, tensor<bf16>) -> {rows}
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : ({rows}) -> {whole}
  %6 = stablehlo.divide %3, %5 : {whole}
  %7 = stablehlo.dot_general %6, %v, {batch}, contracting_dims = [3] x [2] : ({whole}, {operand}) -> {operand}
  return %7 : {operand}
}}
"""


def checked(root: pathlib.Path) -> list[tuple[dict, str]]:
    """Cases of the emulator's tests, with their programs."""
    inputs = root / "test/e2e/gpu/Inputs"
    cases = [({"name": name, "data": data, "bound": bound, "below": 8}, (inputs / f"{name}.mlir").read_text()) for name, data, bound in TESTED]
    scope = runpy.run_path(str(inputs / "products.py"))
    cases.append(({"name": "attention", "data": "normal", "bound": 2e-2}, attention(2, 200, 64, True)))
    return cases + [({"name": f"product-{name}", "data": "integers", "bound": 0}, scope["program"](*sizes)) for name, *sizes in scope["CASES"]]


def timed() -> list[tuple[dict, str]]:
    """Cases that say how fast kernels are."""
    cases = []
    for m, n, k, gate in PRODUCTS:
        cases.append(({"name": f"gemm-{m}x{n}x{k}", "data": "normal", "rows": min(m, 16), "flops": 2 * m * n * k, "bytes": 2 * (m * k + k * n + m * n),
                       "baseline": "matmul", "gate": gate}, product(m, n, k)))
    for heads, length, depth, causal, gate in ATTENTION:
        # Of causal attention half of the products count.
        cases.append(({"name": f"attention-{heads}x{length}x{depth}{'-causal' if causal else ''}", "data": "normal", "rows": 16,
                       "bound": 2e-2, "flops": 4 * heads * length**2 * depth // (2 if causal else 1), "bytes": 8 * heads * length * depth, "baseline": "attention",
                       "causal": causal, "gate": gate}, attention(heads, length, depth, causal)))
    elements, rows, columns = 1 << 26, 8192, 8192
    cases.append(({"name": "chain", "data": "normal", "bound": 0, "bytes": 12 * elements, "baseline": "copy", "gate": 0.92}, chain(elements)))
    cases.append(({"name": "softmax", "data": "normal", "bound": 1e-5, "bytes": 8 * rows * columns, "baseline": "softmax", "gate": 0.95},
                  softmax(rows, columns)))
    return cases
