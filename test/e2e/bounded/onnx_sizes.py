"""ONNX operators over sizes that calls choose, at their borders: nothing, one element, fewer than an operator reaches. Against onnxruntime.

    onnx_sizes.py FOLDER
"""

import pathlib
import sys

import numpy as np
from computed_shapes import check, constant
from computed_sizes import BOOL, F32, I64, node
from onnx import helper

RANDOM = np.random.default_rng(13)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def constant_floats(name, *numbers):
    return helper.make_node("Constant", [], [name], name=f"make_{name}", value_floats=list(map(float, numbers)))


def backward_slices():
    """A start before the front is the first place, also where steps go backwards; of nothing, nothing is left."""
    for number, (start, end, step) in enumerate(((-9, -99, -1), (-4, -99, -2), (2, -99, -1), (-9, 1, -1), (99, -2, -1))):
        nodes = [constant("s", start), constant("e", end), constant("a", 0), constant("t", step), node("Slice", "x s e a t", "y")]
        yield f"back{number}", nodes, {"x": (F32, ["n", 2])}, [("y", F32)], ["n=0..6"], [dict(x=floats(n, 2)) for n in (0, 1, 3, 6)], []
        yield f"known_back{number}", nodes, {"x": (F32, [4, 2])}, [("y", F32)], [], [dict(x=floats(4, 2))], []


def firsts():
    """The first of a batch has as many elements as there are, up to one, and stretches to all of them."""
    nodes = [constant("z", 0), constant("o", 1), node("Slice", "x z o", "f"), node("Shape", "x", "s"), node("Expand", "f s", "y"), node("Sub", "x f", "d")]
    yield "first", nodes, {"x": (F32, ["n", 3])}, [("y", F32), ("d", F32)], ["n=0..3"], [dict(x=floats(n, 3)) for n in (0, 1, 2, 3)], []


ROUNDINGS = "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"
MODES = [("nearest", each) for each in ROUNDINGS] + [("linear", "floor"), ("cubic", "floor")]
KINDS = "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners"


def all_resizes(operands, kinds):
    """Of every mode, and the names of the results."""
    nodes = [helper.make_node("Resize", operands, [f"{mode}_{rounding}_{kind}"], mode=mode, nearest_mode=rounding, coordinate_transformation_mode=kind)
             for mode, rounding in MODES for kind in kinds]
    return nodes, [(each.output[0], F32) for each in nodes]


def resizes():
    """Every kind of coordinates and mode, up and down, by scales and to sizes; of nothing."""
    # Where the scaled size is no whole number, onnxruntime aligns corners otherwise than ONNX does. Sizes have no element halfway between two others.
    for scale, kinds, sizes in ((2.0, KINDS, (0, 1, 2, 5)), (3.0, KINDS, (1, 4)), (0.5, KINDS, (0, 1, 2, 8)), (1.7, KINDS[:4], (0, 1, 2, 4))):
        nodes, outputs = all_resizes(["x", "", "scales"], kinds)
        yield (f"scale{scale}", [constant_floats("scales", 1, 1, scale, 1), *nodes], {"x": (F32, [1, 2, "h", 3])}, outputs, ["h=0..9"],
               [dict(x=floats(1, 2, h, 3)) for h in sizes], [])
    nodes, outputs = all_resizes(["x", "", "", "sizes"], KINDS)
    yield ("to_sizes", [node("Shape", "like", "sizes"), *nodes], {"x": (F32, [1, 2, "h", 3]), "like": (F32, [1, 2, "a", 3])}, outputs, ["h=0..9", "a=0..9"],
           [dict(x=floats(1, 2, h, 3), like=floats(1, 2, a, 3)) for h, a in ((2, 7), (8, 4), (4, 1), (1, 5), (0, 0))],
           [(dict(x=floats(1, 2, 0, 3), like=floats(1, 2, 4, 3)), "h >= 1 where a >= 1")])
    crop = helper.make_node("Resize", ["x", "roi", "", "sizes"], ["y"], mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.0)
    yield ("crop", [constant_floats("roi", 0, 0, 0.2, 0, 1, 1, 1.3, 1), node("Shape", "like", "sizes"), crop],
           {"x": (F32, [1, 2, "h", 3]), "like": (F32, [1, 2, "a", 3])}, [("y", F32)], ["h=1..9", "a=1..9"],
           [dict(x=floats(1, 2, h, 3), like=floats(1, 2, a, 3)) for h, a in ((3, 7), (7, 4), (4, 1))], [])
    # A pool before it leaves nothing at all.
    nodes = [node("MaxPool", "x", "p", kernel_shape=[4, 1]), constant_floats("scales", 1, 1, 2, 1),
             helper.make_node("Resize", ["p", "", "scales"], ["y"])]
    yield ("of_nothing", nodes, {"x": (F32, [1, 2, "h", 3])}, [("y", F32)], ["h=1..3"], [dict(x=floats(1, 2, 3, 3))], [])


def pools():
    """Windows that pads of any size make fit: rounded up, or so that every stride has one."""
    nodes, outputs = [], []
    for op, more in (("MaxPool", {}), ("AveragePool", {}), ("AveragePool", {"count_include_pad": 1}), ("LpPool", {})):
        for kernel, stride, where in ((3, 2, {"ceil_mode": 1}), (3, 2, {"ceil_mode": 1, "pads": [1, 0, 1, 0]}), (2, 3, {"ceil_mode": 1}),
                                      (3, 2, {"auto_pad": "SAME_UPPER"}), (4, 3, {"auto_pad": "SAME_LOWER"})):
            outputs.append(f"p{len(outputs)}")
            nodes.append(helper.make_node(op, ["x"], outputs[-1:], kernel_shape=[kernel, 1], strides=[stride, 1], **where, **more))
    yield ("pools", nodes, {"x": (F32, [1, 2, "h", 3])}, [(each, F32) for each in outputs], ["h=3..12"], [dict(x=floats(1, 2, h, 3)) for h in (3, 4, 5, 6, 7, 12)], [])
    # Rounded up, one window fits where it is less than a stride too long.
    for name, size, dims, sizes in (("short", "h", ["h=2..6"], (2, 3, 4, 6)), ("known_short", 3, [], (3,))):
        pool = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[4, 1], strides=[2, 1], ceil_mode=1)
        yield name, [pool], {"x": (F32, [1, 2, size, 3])}, [("y", F32)], dims, [dict(x=floats(1, 2, h, 3)) for h in sizes], []
    weights = helper.make_node("Constant", [], ["w"], value=helper.make_tensor("w", F32, [4, 2, 3, 2], floats(48).tolist()))
    nodes = [helper.make_node("Conv", ["x", "w"], [f"c{i}"], strides=[2, 3], auto_pad=f"SAME_{side}") for i, side in enumerate(("UPPER", "LOWER"))]
    yield ("same_padding", [weights, *nodes], {"x": (F32, [1, 2, "h", "w_"])}, [("c0", F32), ("c1", F32)], ["h=1..9", "w_=1..9"],
           [dict(x=floats(1, 2, *size)) for size in ((1, 1), (4, 5), (7, 6), (9, 9))], [])


def gathers():
    """Of nothing, nothing can be read: calls are asked for an element wherever one is wanted. Where nothing is wanted, there need be none."""
    pick, picks = {"x": (F32, ["n", 2])}, {"x": (F32, ["n", 2]), "i": (I64, ["m"])}
    for name, index in (("first", [0]), ("last", [-1]), ("fourth", [3]), ("some", [0, -1])):
        nodes = [constant("i", *index), node("Gather", "x i", "y")]
        yield (f"gather_{name}", nodes, pick, [("y", F32)], ["n=0..8"], [dict(x=floats(n, 2)) for n in (1, 5, 8) if max(index) < n],
               [(dict(x=floats(0, 2)), "the input is f32 8x2, the data f32 0x2")])
    many = [node("Gather", "x i", "y")]
    good = [dict(x=floats(n, 2), i=RANDOM.integers(-n, n, m)) for n, m in ((3, 2), (1, 4), (8, 1), (3, 0))] + [dict(x=floats(0, 2), i=np.zeros(0, np.int64))]
    no_place = dict(x=floats(0, 2), i=np.zeros(2, np.int64)), "n >= 1 where m >= 1"
    yield "gather_many", many, picks, [("y", F32)], ["n=0..8", "m=0..4"], good, [no_place]
    # Where the rows themselves have no element, neither has the result.
    yield ("gather_rows", [constant("z", 0), node("Gather", "x z", "y")], {"x": (F32, ["n", "m"])}, [("y", F32)], ["n=0..8", "m=0..4"],
           [dict(x=floats(*size)) for size in ((2, 3), (1, 0))], [(dict(x=floats(0, 2)), "n >= 1 where m >= 1")])
    # As many positions as there are elements, and twice as many.
    yield ("gather_all", [node("Gather", "x i", "y")], {"x": (F32, ["n", 2]), "i": (I64, ["n"])}, [("y", F32)], ["n=0..8"],
           [dict(x=floats(n, 2), i=RANDOM.integers(-n, n, n) if n else np.zeros(0, np.int64)) for n in (0, 1, 8)], [])
    yield ("gather_twice", [constant("t", 0), node("Concat", "i i", "ii", axis=0), node("Gather", "x ii", "y")], {"x": (F32, ["n", 2]), "i": (I64, ["n"])},
           [("y", F32)], ["n=0..8"], [dict(x=floats(n, 2), i=RANDOM.integers(-n, n, n) if n else np.zeros(0, np.int64)) for n in (0, 1, 8)], [])
    yield ("gather_elements", [node("GatherElements", "x i", "y")], {"x": (F32, ["n", 2]), "i": (I64, ["m", 2])}, [("y", F32)], ["n=0..8", "m=0..4"],
           [dict(x=floats(n, 2), i=RANDOM.integers(-n, n, (m, 2))) for n, m in ((3, 2), (1, 4), (8, 1), (3, 0))], [(dict(x=floats(0, 2), i=np.zeros((2, 2), np.int64)), "n >= 1 where m >= 1")])
    yield ("gather_nd", [node("GatherND", "x i", "y")], {"x": (F32, ["n", "k", 2]), "i": (I64, ["m", 2])}, [("y", F32)], ["n=0..8", "m=1..4", "k=0..3"],
           [dict(x=floats(n, k, 2), i=np.stack([RANDOM.integers(-n, n, m), RANDOM.integers(-k, k, m)], 1)) for n, k, m in ((3, 2, 2), (1, 3, 4), (8, 1, 1))],
           [(dict(x=floats(0, 3, 2), i=np.zeros((2, 2), np.int64)), "the data f32 0x3x2"), (dict(x=floats(2, 0, 2), i=np.zeros((2, 2), np.int64)), "the data f32 2x0x2")])
    # How many positions there are, the program counts.
    yield ("gather_counted", [node("Compress", "i c", "k", axis=0), node("Gather", "x k", "y")], {"x": (F32, ["n", 2]), "i": (I64, [4]), "c": (BOOL, [4])},
           [("y", F32)], ["n=0..8"], [dict(x=floats(n, 2), i=np.array([0, -1, 2, 1]), c=np.array(c, bool)) for n, c in ((3, [1, 1, 1, 0]), (8, [0, 1, 0, 0]), (0, [0] * 4))], [])
    # A branch that is not taken, and a loop of no step, want nothing.
    value = lambda name, *shape: helper.make_tensor_value_info(name, F32, list(shape))
    taken = helper.make_graph([constant("z", -1), node("Gather", "x z", "row")], "then", [], [value("row", 1, 2)])
    other = helper.make_graph([node("Identity", "o", "same")], "else", [], [value("same", 1, 2)])
    yield ("gather_branch", [helper.make_node("If", ["c"], ["y"], then_branch=taken, else_branch=other)], {"x": (F32, ["n", 2]), "c": (BOOL, []), "o": (F32, [1, 2])},
           [("y", F32)], ["n=0..8"], [dict(x=floats(n, 2), c=np.array(c), o=floats(1, 2)) for n, c in ((3, True), (3, False), (0, False), (1, True))], [])
    step = helper.make_graph([node("Identity", "c", "d"), node("Gather", "x k", "row"), node("Add", "s row", "t")], "step",
                             [helper.make_tensor_value_info("k", I64, []), helper.make_tensor_value_info("c", BOOL, []), value("s", 2)],
                             [helper.make_tensor_value_info("d", BOOL, []), value("t", 2)])
    nodes = [node("Shape", "x", "shape"), constant("z", 0), node("Gather", "shape z", "count"), helper.make_node("Loop", ["count", "", "o"], ["y"], body=step)]
    yield ("gather_loop", nodes, {"x": (F32, ["n", 2]), "o": (F32, [2])}, [("y", F32)], ["n=0..8"], [dict(x=floats(n, 2), o=floats(2)) for n in (0, 1, 5, 8)], [])


def are_close(found, wanted):
    return np.allclose(found, wanted, rtol=1e-5, atol=1e-5)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for make in (backward_slices, firsts, gathers) for case in make() for message in check(folder, case)]
    wrong += [message for make in (resizes, pools) for case in make() for message in check(folder, case, are_close)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
