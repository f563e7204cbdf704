"""StableHLO programs whose sizes are computed from elements, within the bounds that their types say. Against numpy.

    computed_forms.py FOLDER

Each is called with ragged, empty and full sizes, and with such that are out of range, which are errors of the call.
"""

import pathlib
import sys

import numpy as np
from computed_sizes import heddle

X = np.arange(24, dtype=np.float32).reshape(6, 4) - 7


def bounded(shape, bounds, element="f32"):
    """tensor<?x4xf32, #stablehlo.bounds<8, ?>>"""
    sizes = "x".join(map(str, (*shape, element)))
    return f"tensor<{sizes}, #stablehlo.bounds<{', '.join(map(str, bounds))}>>"


CUT = bounded("?4", [6, "?"])
ROW = bounded("?4", [5, "?"])
COUNTED = f"""
func.func @main(%x: tensor<6x4xf32>, %n: tensor<i32>) -> ({CUT}, tensor<4xf32>) {{
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6x4xf32>, tensor<i32>) -> {CUT}
  %1 = stablehlo.negate %0 : {CUT}
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : ({CUT}, tensor<f32>) -> tensor<4xf32>
  return %1, %2 : {CUT}, tensor<4xf32>
}}"""
FEWER = f"""
func.func @main(%x: tensor<6x4xf32>, %n: tensor<i32>) -> {ROW} {{
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6x4xf32>, tensor<i32>) -> {ROW}
  return %0 : {ROW}
}}"""
NUMBERS = bounded("??", [7, 3], "i32")
MADE = f"""
func.func @main(%s: tensor<2xi64>, %y: tensor<4xf32>, %r: tensor<1xi32>) -> ({NUMBERS}, {ROW}) {{
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> {NUMBERS}
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %t = stablehlo.concatenate %r, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.dynamic_broadcast_in_dim %y, %t, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> {ROW}
  return %0, %1 : {NUMBERS}, {ROW}
}}"""
PIECE = bounded("?2", [6, "?"])
SLICED = f"""
func.func @main(%x: tensor<6x4xf32>, %s: tensor<2xi32>, %l: tensor<2xi32>) -> ({PIECE}, tensor<i32>) {{
  %by = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %s, %l, %by : (tensor<6x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {PIECE}
  %1 = stablehlo.get_dimension_size %0, dim = 0 : ({PIECE}) -> tensor<i32>
  return %0, %1 : {PIECE}, tensor<i32>
}}"""
SHAPED = bounded("3?", ["?", 8])
RESHAPED = f"""
func.func @main(%x: tensor<6x4xf32>, %s: tensor<2xi32>) -> {SHAPED} {{
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6x4xf32>, tensor<2xi32>) -> {SHAPED}
  return %0 : {SHAPED}
}}"""
# Within a branch the type alone counts.
RESHAPED_WITHIN = f"""
func.func @main(%x: tensor<6x4xf32>, %s: tensor<2xi32>) -> tensor<3x8xf32> {{
  %first = stablehlo.slice %s [0:1] : (tensor<2xi32>) -> tensor<1xi32>
  %scalar = stablehlo.reshape %first : (tensor<1xi32>) -> tensor<i32>
  %is = stablehlo.convert %scalar : (tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%is) ({{
    %1 = stablehlo.dynamic_reshape %x, %s : (tensor<6x4xf32>, tensor<2xi32>) -> {SHAPED}
    %2 = stablehlo.convert %1 : ({SHAPED}) -> tensor<3x8xf32>
    stablehlo.return %2 : tensor<3x8xf32>
  }}, {{
    %1 = stablehlo.negate %x : tensor<6x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<6x4xf32>) -> tensor<3x8xf32>
    stablehlo.return %2 : tensor<3x8xf32>
  }}) : (tensor<i1>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}}"""

AROUND = bounded("?5", [9, "?"])
PADDED = f"""
func.func @main(%x: tensor<3x4xf32>, %l: tensor<1xi32>, %h: tensor<1xi32>, %g: tensor<1xi32>) -> ({AROUND}, tensor<i32>) {{
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.concatenate %l, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %h, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %gap = stablehlo.concatenate %g, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %value = stablehlo.constant dense<7.5> : tensor<f32>
  %0 = stablehlo.dynamic_pad %x, %value, %low, %high, %gap : (tensor<3x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {AROUND}
  %1 = stablehlo.get_dimension_size %0, dim = 0 : ({AROUND}) -> tensor<i32>
  return %0, %1 : {AROUND}, tensor<i32>
}}"""

PIECES = bounded("2?2", ["?", 5, "?"])
GATHERED = f"""
func.func @main(%x: tensor<6x4xf32>, %s: tensor<2x1xi32>, %n: tensor<1xi32>) -> ({PIECES}, tensor<2x2xf32>) {{
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %sizes = stablehlo.concatenate %n, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = "stablehlo.dynamic_gather"(%x, %s, %sizes) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>}}>
    : (tensor<6x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> {PIECES}
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : ({PIECES}, tensor<f32>) -> tensor<2x2xf32>
  return %0, %1 : {PIECES}, tensor<2x2xf32>
}}"""

LEFT, PAIRS, BOTH = bounded("?", [6], "i32"), bounded("??", [6, 6], "i32"), bounded("?4", [12, "?"])
RESTS = f"""
func.func @main(%x: tensor<6x4xf32>, %n: tensor<i32>) -> ({LEFT}, {CUT}, {PAIRS}, {LEFT}, {BOTH}) {{
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6x4xf32>, tensor<i32>) -> {CUT}
  %k = stablehlo.get_dimension_size %0, dim = 0 : ({CUT}) -> tensor<i32>
  %six = stablehlo.constant dense<6> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %rest = stablehlo.subtract %six, %k : tensor<i32>
  %half = stablehlo.divide %rest, %two : tensor<i32>
  %k1 = stablehlo.reshape %k : (tensor<i32>) -> tensor<1xi32>
  %rest1 = stablehlo.reshape %rest : (tensor<i32>) -> tensor<1xi32>
  %half1 = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %left = stablehlo.dynamic_iota %rest1, dim = 0 : (tensor<1xi32>) -> {LEFT}
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %starts = stablehlo.concatenate %k1, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %limits = stablehlo.constant dense<[6, 4]> : tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %behind = stablehlo.real_dynamic_slice %x, %starts, %limits, %steps : (tensor<6x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> {CUT}
  %both = stablehlo.concatenate %k1, %rest1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %pairs = stablehlo.dynamic_broadcast_in_dim %left, %both, dims = [1] : ({LEFT}, tensor<2xi32>) -> {PAIRS}
  %halves = stablehlo.dynamic_iota %half1, dim = 0 : (tensor<1xi32>) -> {LEFT}
  %turned = stablehlo.concatenate %behind, %0, dim = 0 : ({CUT}, {CUT}) -> {BOTH}
  return %left, %behind, %pairs, %halves, %turned : {LEFT}, {CUT}, {PAIRS}, {LEFT}, {BOTH}
}}"""


def i32(*numbers):
    return np.array(numbers, np.int32)


def padded(x, l, h, g):
    """Rows with a gap between, what is around them, and a column in front."""
    low, high, gap = l[0], h[0], g[0]
    rows = np.full((len(x) + (len(x) - 1) * gap, 4), 7.5, np.float32)
    rows[:: gap + 1] = x
    rows = np.pad(rows[max(-low, 0) : len(rows) - max(-high, 0)], ((max(low, 0), max(high, 0)), (1, 0)), constant_values=7.5)
    return [rows, np.int32(len(rows))]


def gathered(x, s, n):
    """Slices begin where as much as they have is left."""
    pieces = np.array([x[start : start + n[0], :2] for start in np.clip(s[:, 0], 0, 6 - n[0])])
    return [pieces, pieces.sum(axis=1)]


# Padding of 64 bits, whose sum would be one element.
PADDED_FAR = PADDED.replace("i32>", "i64>").replace("tensor<i64>", "tensor<i32>")
FAR = np.full(1, 2**63 - 1)

CASES = [
    ("counted", COUNTED, lambda x, n: [-x[:n], x[:n].sum(axis=0)], [dict(x=X, n=np.int32(n)) for n in (0, 3, 6)],
     [(dict(x=X, n=np.int32(7)), "computes 7 for a size: 'set_dimension_size.size' must be from 0 to 6"), (dict(x=X, n=np.int32(-3)), "computes -1 for")]),
    ("rests", RESTS, lambda x, n: [np.arange(6 - n), x[n:], np.broadcast_to(np.arange(6 - n), (n, 6 - n)), np.arange((6 - n) // 2), np.concatenate([x[n:], x[:n]])],
     [dict(x=X, n=np.int32(n)) for n in (0, 2, 3, 6)], [(dict(x=X, n=np.int32(7)), "computes 7 for a size: 'set_dimension_size.size' must be from 0 to 6")]),
    ("fewer", FEWER, lambda x, n: [x[:n]], [dict(x=X, n=np.int32(n)) for n in (0, 2, 5)], [(dict(x=X, n=np.int32(6)), "must be from 0 to 5")]),
    ("made", MADE, lambda s, y, r: [np.broadcast_to(np.arange(s[0])[:, None], s), np.broadcast_to(y, (r[0], 4))],
     [dict(s=np.array(s), y=X[0], r=i32(r)) for s, r in (((7, 3), 5), ((0, 2), 1), ((4, 0), 0), ((3, 1), 2))],
     [(dict(s=np.array([8, 1]), y=X[0], r=i32(1)), "'dynamic_iota.size' must be from 0 to 7"),
      (dict(s=np.array([1, 1]), y=X[0], r=i32(6)), "'dynamic_broadcast_in_dim.size' must be from 0 to 5")]),
    ("sliced", SLICED, lambda x, s, l: [x[s[0]:l[0]:2, s[1]:l[1]], np.int32((l[0] - s[0] + 1) // 2)],
     [dict(x=X, s=i32(*s), l=i32(*l)) for s, l in (((0, 0), (6, 2)), ((1, 2), (4, 4)), ((3, 1), (3, 3)), ((5, 1), (6, 3)))],
     [(dict(x=X, s=i32(2, 0), l=i32(7, 2)), "computes -1 for"), (dict(x=X, s=i32(3, 0), l=i32(2, 2)), "computes -1 for")]),
    ("padded", PADDED, padded, [dict(x=X[:3], l=i32(l), h=i32(h), g=i32(g)) for l, h, g in ((0, 0, 0), (2, 1, 0), (0, 3, 1), (-1, 0, 2), (1, -3, 0), (-1, -2, 1))],
     [(dict(x=X[:3], l=i32(4), h=i32(3), g=i32(0)), "computes 10 for a size: 'dynamic_pad.size' must be from 0 to 9"),
      (dict(x=X[:3], l=i32(0), h=i32(0), g=i32(-1)), "computes -1 for"), (dict(x=X[:3], l=i32(-4), h=i32(0), g=i32(0)), "computes -1 for")]),
    ("padded_far", PADDED_FAR, padded, [dict(x=X[:3], l=np.full(1, 2), h=np.full(1, 1), g=np.full(1, 0))],
     [(dict(x=X[:3], l=FAR, h=FAR, g=np.full(1, 0)), "computes -1 for"), (dict(x=X[:3], l=np.full(1, 0), h=np.full(1, 0), g=FAR), "computes -1 for")]),
    ("gathered", GATHERED, gathered, [dict(x=X, s=i32(*s).reshape(2, 1), n=i32(n)) for s, n in (((0, 3), 2), ((5, -4), 5), ((1, 1), 0), ((9, 2), 1), ((4, 5), 3))],
     [(dict(x=X, s=i32(0, 0).reshape(2, 1), n=i32(6)), "computes 6 for a size: 'dynamic_gather.size' must be from 0 to 5"),
      (dict(x=X, s=i32(0, 0).reshape(2, 1), n=i32(-1)), "computes -1 for")]),
    ("reshaped", RESHAPED, lambda x, s: [x.reshape(3, 8)], [dict(x=X, s=i32(3, 8))],
     [(dict(x=X, s=i32(*s)), "computes 1 for a size: 'dynamic_reshape.misfit' must be 0") for s in ((3, 7), (4, 6), (3, -1))]),
    ("reshaped_within", RESHAPED_WITHIN, lambda x, s: [x.reshape(3, 8) if s[0] else -x.reshape(3, 8)], [dict(x=X, s=i32(3, 8)), dict(x=X, s=i32(0, 8))], []),
]


def check(folder, case):
    name, text, wanted, feeds, wrong_feeds = case
    path, artifact = folder / f"{name}.mlir", folder / f"{name}.heddle"
    path.write_text(text)
    compiled = heddle("compile", "-q", path, "-o", artifact)
    if compiled.returncode:
        return [f"{name}: {compiled.stderr}"]
    wrong = []

    def inputs(feed):
        words = []
        for number, value in enumerate(feed.values()):
            np.save(folder / f"arg{number}.npy", value)
            words += ["--input", f"{number}=@{folder}/arg{number}.npy"]
        return words

    for number, feed in enumerate(feeds):
        out = folder / f"{name}{number}"
        given = inputs(feed)
        run = heddle("run", "-q", artifact, *given, "--output", out)
        compared = heddle("compare", "-q", path, *given)
        wrong += [f"{name} {number}: {each.stdout}{each.stderr}" for each in (run, compared) if each.returncode]
        for place, value in enumerate(wanted(**feed)) if not run.returncode else ():
            found = np.load(out / f"out{place}.npy")
            if not np.array_equal(found, value):
                wrong.append(f"{name} {number}: {place} is {found.tolist()}, not {value.tolist()}")
    for feed, message in wrong_feeds:
        run = heddle("run", "-q", artifact, *inputs(feed))
        if run.returncode == 0 or message not in run.stderr:
            wrong.append(f"{name}: {feed} gives {run.returncode} {run.stderr}, not {message}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for case in CASES for message in check(folder, case)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
