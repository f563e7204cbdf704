"""Results whose sizes are expressions of what the program counts: what is left of it, twice as many, pairs. Against onnxruntime.

    count_expressions.py FOLDER

Each model is called from the command line, and from Python in one context, so that a call finds in memory what those before left there.
"""

import pathlib
import sys

import heddle
import numpy as np
from computed_pipelines import constant, node
from computed_shapes import BOOL, F32, I64, check, integers
from counted_calls import are_close, check_calls
from onnx import helper

RANDOM = np.random.default_rng(5)
MANY = 9
INPUTS = {"x": (F32, [MANY, 4]), "m": (BOOL, [MANY])}
OPEN = {"x": (F32, ["rows", 4]), "m": (BOOL, ["rows"])}
CONSTANTS = [constant("zero", integers(0)), constant("one", integers(1)), constant("two", integers(2)), constant("four", integers(4)), constant("start", np.array(0)), constant("step", np.array(1)),
             constant("rest_of", integers(-1)), constant("far", integers(2**62))]
COUNT = [node("Compress x m -> keep", axis=0), node("Shape keep -> kept", end=1), node("Shape x -> rows", end=1)]


def mask(rows, kept):
    return np.isin(np.arange(rows), RANDOM.permutation(rows)[:kept])


def feeds(rows=(MANY,)):
    """Some, none, all, one, all but one; and some again."""
    return [dict(x=RANDOM.standard_normal((n, 4)).astype(np.float32), m=mask(n, kept)) for n in rows for kept in sorted({4 % n, 0, n, 1, n - 1, n // 2}, key=lambda k: k * 5 % 7)]


def rests():
    """As many as are left: cut off, made, numbered, behind a product, and as rows of two."""
    nodes = [node("Sub rows kept -> left"), node("Slice x kept rows zero -> y"), node("Concat left two -> shape", axis=0), node("ConstantOfShape shape -> made"), node("Squeeze left -> number"),
             node("Range start number step -> numbers"), constant("w", RANDOM.random((4, 3)).astype(np.float32)), node("MatMul y w -> product"), node("ReduceSum y zero -> sum", keepdims=0),
             constant("pairs", integers(-1, 2)), node("Reshape y pairs -> halves"), node("Slice x zero one zero -> first"), node("Concat left four -> wide", axis=0), node("Expand first wide -> spread")]
    outputs = [("y", F32), ("made", F32), ("numbers", I64), ("product", F32), ("sum", F32), ("halves", F32), ("spread", F32), ("left", I64)]
    yield "rest", COUNT + nodes, INPUTS, outputs, [], feeds(), []
    yield "open_rest", COUNT + nodes, OPEN, outputs, ["rows=1..12"], feeds((5, 12, 1, 8)), []


def more():
    """Sums and multiples, which are most where most is counted."""
    nodes = [node("Concat keep keep -> twice", axis=0), node("Concat keep x -> all", axis=0), node("Slice x zero one zero -> first"), node("Concat keep first -> behind", axis=0),
             node("Add kept one -> next"), node("Concat next two -> shape", axis=0), node("ConstantOfShape shape -> made"), node("Concat two one -> repeats", axis=0), node("Tile keep repeats -> tiled"),
             node("Reshape keep rest_of -> flat"), node("Transpose twice -> turned")]
    yield "more", COUNT + nodes, INPUTS, [(name, F32) for name in ("twice", "all", "behind", "made", "tiled", "flat", "turned")], [], feeds(), []


def parts():
    """Both sides of a split at the count, and what is made of each; a half of what is left; every second one."""
    nodes = [node("Slice x zero kept zero -> front"), node("Slice x kept far zero -> back"), node("Concat back front -> turned", axis=0), node("Softmax back -> p", axis=0), node("Neg front -> negative"),
             node("Sub rows kept -> left"), node("Div left two -> half"), node("Slice x zero half zero -> first_half"), node("Slice back zero far zero two -> second")]
    outputs = [(name, F32) for name in ("front", "back", "turned", "p", "negative", "first_half", "second")]
    yield "parts", COUNT + nodes, INPUTS, outputs, [], feeds(), []
    yield "open_parts", COUNT + nodes, OPEN, outputs, ["rows=1..10"], feeds((3, 10, 7)), []


def pairs():
    """As many as what is kept times what is left, which is most for a half; and the greater of both."""
    nodes = [node("Sub rows kept -> left"), node("Slice x kept rows zero -> back"), node("Transpose back -> columns"), node("MatMul keep columns -> products"), node("ReduceSum products one -> flat", keepdims=0),
             node("Concat kept left -> both", axis=0), node("ConstantOfShape both -> made"), node("Mul kept left -> number"), node("Squeeze number -> end"), node("Range start end step -> numbers")]
    outputs = [("products", F32), ("flat", F32), ("made", F32), ("numbers", I64)]
    yield "pairs", COUNT + nodes, INPUTS, outputs, [], feeds(), []
    yield "open_pairs", COUNT + nodes, OPEN, outputs, ["rows=1..8"], feeds((8, 2, 5)), []


def two():
    """Of two counts, what is left of both, and columns of one behind rows of the other."""
    nodes = [node("Compress x n -> second", axis=0), node("Shape second -> found", end=1), node("Add kept found -> both"), node("Add rows rows -> double"),
             node("Sub double both -> left"), node("Concat left one -> shape", axis=0), node("ConstantOfShape shape -> made"), node("Concat x x -> all", axis=0), node("Slice all both far zero -> y"),
             node("Sub rows kept -> a"), node("Sub rows found -> b"), node("Concat a b -> sides", axis=0), node("ConstantOfShape sides -> square")]
    inputs = INPUTS | {"n": (BOOL, [MANY])}
    given = [feed | dict(n=mask(MANY, kept)) for feed, kept in zip(feeds(), (0, 3, 9, 8, 1, 5))]
    yield "two", COUNT + nodes, inputs, [(name, F32) for name in ("made", "y", "square")], [], given, []
    nodes = [node("Compress x n -> second", axis=0), node("Shape second -> found", end=1), node("Slice x found rows zero -> back"), node("Softmax back -> p", axis=0),
             node("Sub rows found -> left"), node("Concat left two -> shape", axis=0), node("ConstantOfShape shape -> made"), node("Neg keep -> negative")]
    # The largest count is far more than there are rows.
    given = [feed | dict(n=mask(len(feed["m"]), kept % (len(feed["m"]) + 1))) for feed, kept in zip(feeds((5, 40, 1)), range(99, 0, -7))]
    yield "open_two", COUNT + nodes, OPEN | {"n": (BOOL, ["rows"])}, [(name, F32) for name in ("back", "p", "made", "negative")], ["rows=1..100000"], given, []


# Compiled for a device that reads counts, too; and with tensors in its memory.
PLACED = ("rest", "open_rest", "pairs", "open_two")
STAYING = ("rest",)


def check_artifact(folder, case):
    return check_calls(folder, case, heddle.load(folder / f"{case[0]}.heddle"))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for make in (rests, more, parts, pairs, two):
        for name, nodes, *rest in make():
            case = name, CONSTANTS + nodes, *rest
            failed = check(folder, case, are_close)
            wrong += failed or check_artifact(folder, case)
            name, *rest = case
            if name in PLACED:
                placed = f"{name}_placed", *rest
                wrong += check(folder, placed, are_close, ("--place", "sim")) or check_artifact(folder, placed)
            if name in STAYING:
                wrong += check(folder, (f"{name}_staying", *rest), are_close, ("--place", "sim", "--device-tensors"))
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
