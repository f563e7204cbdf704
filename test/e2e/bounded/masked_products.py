"""Products that run as far as a call's rows, and readers that must not see what they leave beyond: calls with few rows after one that
filled the same memory with NaN and large numbers, against numpy.

    masked_products.py FOLDER
"""

import pathlib
import sys

import numpy as np

import heddle

BOUND = 64
ROWS = f"tensor<?x16xf32, #stablehlo.bounds<{BOUND}, ?>>"
WHOLE = f"tensor<?x16xi32, #stablehlo.bounds<{BOUND}, ?>>"
FLAGS = f"tensor<?x16xi1, #stablehlo.bounds<{BOUND}, ?>>"
PRODUCT = f"%p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({ROWS}, tensor<16x16xf32>) -> {ROWS}"
ZERO = "%zero = stablehlo.constant dense<0.0> : tensor<f32>"


def total(value, result="r"):
    return f"%{result} = stablehlo.reduce(%{value} init: %zero) applies stablehlo.add across dimensions = [0] : ({ROWS}, tensor<f32>) -> tensor<16xf32>"


def residual(layers):
    """Each layer adds its product to what it read: every product reaches the sum at the end."""
    lines = []
    for i in range(layers):
        lines += [
            f"%p{i} = stablehlo.dot_general %a{i}, %w, contracting_dims = [1] x [0] : ({ROWS}, tensor<16x16xf32>) -> {ROWS}".replace("%a0", "%x"),
            f"%t{i} = stablehlo.sign %p{i} : {ROWS}",
            f"%a{i + 1} = stablehlo.add %a{i}, %t{i} : {ROWS}".replace("%a0", "%x"),
        ]
    return lines + [total(f"a{layers}")]


def residual_numbers(x, w, layers):
    for _ in range(layers):
        x = x + np.sign(x @ w)
    return x.sum(0)


def flags(kind, init):
    return [
        PRODUCT,
        f"%y = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : ({ROWS}, tensor<16x16xf32>) -> {ROWS}",
        f"%c = stablehlo.compare GT, %p, %y : ({ROWS}, {ROWS}) -> {FLAGS}",
        f"%i = stablehlo.constant dense<{init}> : tensor<i1>",
        f"%r = stablehlo.reduce(%c init: %i) applies stablehlo.{kind} across dimensions = [0] : ({FLAGS}, tensor<i1>) -> tensor<16xi1>",
    ]


# Each: the lines of a program, the type of its result %r, and the same in numpy.
CASES = {
    # The mask of the sum is the product's epilogue.
    "sum": ([PRODUCT, ZERO, total("p")], "tensor<16xf32>", lambda x, w, v: (x @ w).sum(0)),
    # Zero times what lies beyond is not zero there.
    "zeros": (
        [PRODUCT, ZERO, f"%n = stablehlo.subtract %p, %p : {ROWS}", f"%m = stablehlo.multiply %p, %n : {ROWS}", total("m")],
        "tensor<16xf32>",
        lambda x, w, v: np.zeros(16, np.float32),
    ),
    "largest": (
        [
            PRODUCT,
            "%i = stablehlo.constant dense<0xFF800000> : tensor<f32>",
            f"%r = stablehlo.reduce(%p init: %i) applies stablehlo.maximum across dimensions = [0] : ({ROWS}, tensor<f32>) -> tensor<16xf32>",
        ],
        "tensor<16xf32>",
        lambda x, w, v: (x @ w).max(0, initial=-np.inf),
    ),
    "any": (flags("or", "false"), "tensor<16xi1>", lambda x, w, v: (x @ w > x @ v).any(0)),
    "all": (flags("and", "true"), "tensor<16xi1>", lambda x, w, v: (x @ w > x @ v).all(0)),
    # Both sides of the second product are the first's rows.
    "chain": (
        [PRODUCT, f"%r = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] : ({ROWS}, {ROWS}) -> tensor<16x16xf32>"],
        "tensor<16x16xf32>",
        lambda x, w, v: (x @ w).T @ (x @ w),
    ),
    # A reader that masks beside the caller, who gets the rows as they are.
    "whole": (
        [PRODUCT, ZERO, total("p", "s"), f"%b = stablehlo.tanh %p : {ROWS}", total("b", "q"), "%r = stablehlo.add %s, %q : tensor<16xf32>"],
        "tensor<16xf32>",
        None,
    ),
    "sorted": (
        [
            PRODUCT,
            f'%r = "stablehlo.sort"(%p) ({{',
            "^bb0(%a: tensor<f32>, %b: tensor<f32>):",
            "%l = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>",
            "stablehlo.return %l : tensor<i1>",
            f"}}) {{dimension = 0 : i64}} : ({ROWS}) -> {ROWS}",
        ],
        ROWS,
        lambda x, w, v: np.sort(x @ w, 0),
    ),
    # Numbers as positions: what lies beyond reads nothing outside.
    "positions": (
        [
            PRODUCT,
            f"%n = stablehlo.convert %p : ({ROWS}) -> {WHOLE}",
            f'%r = "stablehlo.gather"(%v, %n) {{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], '
            f"index_vector_dim = 2>, slice_sizes = array<i64: 1, 16>}} : (tensor<16x16xf32>, {WHOLE}) -> "
            f"tensor<?x16x16xf32, #stablehlo.bounds<{BOUND}, ?, ?>>",
        ],
        f"tensor<?x16x16xf32, #stablehlo.bounds<{BOUND}, ?, ?>>",
        lambda x, w, v: v[np.clip((x @ w).astype(np.int64), 0, 15)],
    ),
    "residual": ([ZERO] + residual(12), "tensor<16xf32>", lambda x, w, v: residual_numbers(x, w, 12)),
}


def check(folder, name, lines, result, numbers):
    path = folder / f"{name}.mlir"
    both = numbers is None
    body = "\n".join(lines) + (f"\nreturn %r, %p : {result}, {ROWS}" if both else f"\nreturn %r : {result}")
    results = f"({result}, {ROWS})" if both else result
    path.write_text(f"func.func @main(%x: {ROWS}, %w: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> {results} {{\n{body}\n}}\n")
    model = heddle.load(heddle.compile(path, folder / f"{name}.heddle"))
    random = np.random.default_rng(0)
    draw = lambda *shape: random.integers(-3, 4, shape).astype(np.float32)
    wrong = 0
    for rows in (0, 1, 2, 7, 33, BOUND):
        fill = np.full((BOUND, 16), np.nan, np.float32)
        fill[::2] = 3e38
        model(fill, draw(16, 16), draw(16, 16))
        x, w, v = draw(rows, 16), draw(16, 16), draw(16, 16)
        found = list(model(x, w, v).values())
        if both:
            p = x @ w
            wanted = [p.sum(0) + np.tanh(p).sum(0), p]
            same = np.allclose(found[0], wanted[0], rtol=1e-5, atol=1e-4) and np.array_equal(found[1], wanted[1])
        else:
            same = np.array_equal(found[0], numbers(x, w, v))
        if not same:
            print(f"{name}: differs at {rows} rows")
            wrong += 1
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = sum(check(folder, name, *case) for name, case in CASES.items())
    print(f"{wrong} wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
