"""NonMaxSuppression and the distinct slices of Unique: as many as the data says, with open sizes and limits that are inputs. Against onnxruntime and numpy.

    box_selection.py FOLDER

Boxes are ragged, equal, turned around and without an area; of none, of one class and of all of them something is kept.
"""

import pathlib
import sys

import numpy as np
from computed_shapes import check
from computed_sizes import F32, I64, node
from onnx import helper

RANDOM = np.random.default_rng(3)


def boxes(batches, count):
    """Corners in any order; some are there twice, some have no area."""
    result = RANDOM.random((batches, count, 4)).astype(np.float32)
    result[:, count // 2:count // 2 + 2] = result[:, :2]
    result[:, -1:, 2:] = result[:, -1:, :2]
    return result


def scores(batches, classes, count):
    """With ties."""
    return RANDOM.integers(0, 12, (batches, classes, count)).astype(np.float32) / 10


def feed(batches, classes, count, most, overlap, least):
    return dict(b=boxes(batches, count), s=scores(batches, classes, count), most=np.array([most]), overlap=np.array([overlap], np.float32),
                least=np.array([least], np.float32))


LIMITS = [(3, 0.3, 0.4), (100, 0.0, -1), (2, 0.9, 0.1), (5, 0.5, 2), (0, 0.5, 0)]
ALL = {"b": (F32, [2, 13, 4]), "s": (F32, [2, 3, 13]), "most": (I64, [1]), "overlap": (F32, [1]), "least": (F32, [1])}
OPEN = {**ALL, "b": (F32, ["n", "k", 4]), "s": (F32, ["n", "c", "k"])}


def suppression(nodes="b s most overlap least", **attributes):
    return [node("NonMaxSuppression", nodes, "y", **attributes), node("ReduceSum", "y", "sum", keepdims=0)]


def cases():
    yield "corners", suppression(), ALL, [], [feed(2, 3, 13, *limits) for limits in LIMITS]
    yield "centers", suppression(center_point_box=1), ALL, [], [feed(2, 3, 13, *limits) for limits in LIMITS]
    yield "open", suppression(), OPEN, ["n=1..2", "c=1..3", "k=1..13"], [feed(n, c, k, *LIMITS[0]) for n, c, k in ((1, 1, 1), (2, 3, 13), (1, 2, 7))]
    some = {key: ALL[key] for key in ("b", "s", "most")}
    limited = [{key: value[key] for key in some} for value in (feed(2, 3, 13, *limits) for limits in LIMITS)]
    yield "unlimited", suppression("b s most"), some, [], limited
    none = {key: ALL[key] for key in ("b", "s")}
    yield "none", suppression("b s"), none, [], [{key: limited[0][key] for key in none}]
    constants = [helper.make_node("Constant", [], ["m"], value_ints=[2]), helper.make_node("Constant", [], ["o"], value_floats=[0.4])]
    # What is kept is looked up, as detectors do.
    after = [helper.make_node("Constant", [], ["two"], value_ints=[2]), node("Gather", "y two", "place", axis=1), node("GatherND", "flat place", "kept")]
    squeezed = [helper.make_node("Constant", [], ["zero"], value_ints=[0]), node("Squeeze", "b zero", "flat")]
    yield ("known", constants + suppression("b s m o") + squeezed + after, {"b": (F32, [1, 9, 4]), "s": (F32, [1, 4, 9])}, [],
           [dict(b=boxes(1, 9), s=scores(1, 4, 9)) for _ in range(3)])


def distinct():
    for name, axis, shape, order in (("rows", 0, (6, 3), 1), ("columns", -1, (2, 7), 1), ("slices", 1, (2, 8, 3), 0), ("wide", 0, (5, 9), 1)):
        nodes = [node("Unique", "x", "y first inverse counts", axis=axis, sorted=order)]
        feeds = [dict(x=RANDOM.integers(0, most, shape).astype(np.float32)) for most in (1, 2, 3, 100)]
        yield name, nodes, {"x": (F32, list(shape))}, [], feeds
    yield ("open_rows", [node("Unique", "x", "y first inverse counts", axis=0)], {"x": (F32, ["n", 6])}, ["n=1..9"],
           [dict(x=RANDOM.integers(0, 2, (n, 6)).astype(np.float32)) for n in (1, 4, 9)])


def with_outputs(case, outputs):
    """The case with those of `outputs` that its nodes give."""
    name, nodes, inputs, dims, feeds = case
    known = {output for each in nodes for output in each.output}
    beyond = [({**feeds[0], "overlap": np.array([share], np.float32)}, "'the_NonMaxSuppression.misfit' must be 0") for share in (1.5, -0.1)]
    return name, nodes, inputs, [(key, kind) for key, kind in outputs if key in known], dims, feeds, beyond if "overlap" in inputs else []


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for case in cases() for message in check(folder, with_outputs(case, [("y", I64), ("sum", I64), ("kept", F32)]))]
    outputs = [("y", F32), ("first", I64), ("inverse", I64), ("counts", I64)]
    wrong += [message for case in distinct() for message in check(folder, with_outputs(case, outputs))]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
