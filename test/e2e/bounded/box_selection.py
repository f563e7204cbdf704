"""NonMaxSuppression and the distinct slices of Unique: as many as the data says, with open sizes and limits that are inputs. Against onnxruntime and numpy.

    box_selection.py FOLDER

Boxes are ragged, equal, turned around and without an area; of none, of one class and of all of them something is kept.
"""

import pathlib
import sys

import numpy as np
import onnxruntime
from computed_sizes import F32, I64, heddle, model, node
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


def check(folder, case, outputs):
    name, nodes, inputs, dims, feeds = case
    path, artifact = folder / f"{name}.onnx", folder / f"{name}.heddle"
    known = {output for each in nodes for output in each.output}
    outputs = [(key, kind) for key, kind in outputs if key in known]
    model(path, nodes, [(key, *value) for key, value in inputs.items()], [(key, kind, None) for key, kind in outputs])
    options = [word for dim in dims for word in ("--dim", dim)]
    compiled = heddle("compile", "-q", path, *options, "-o", artifact)
    if compiled.returncode:
        return [f"{name}: {compiled.stderr}"]
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wrong = []
    for number, values in enumerate(feeds):
        np.savez(folder / "feed.npz", **values)
        out = folder / f"{name}{number}"
        run = heddle("run", "-q", artifact, "--inputs", folder / "feed.npz", "--output", out)
        compared = heddle("compare", "-q", path, *options, "--inputs", folder / "feed.npz")
        wrong += [f"{name} {number}: {each.stdout}{each.stderr}" for each in (run, compared) if each.returncode]
        for (key, _), value in zip(outputs, session.run(None, values)) if not run.returncode else ():
            found = np.load(out / f"{key}.npy")
            if found.shape != value.shape or not np.array_equal(found, value):
                wrong.append(f"{name} {number}: {key} is {found.tolist()}, not {value.tolist()}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for case in cases() for message in check(folder, case, [("y", I64), ("sum", I64), ("kept", F32)])]
    wrong += [message for case in distinct() for message in check(folder, case, [("y", F32), ("first", I64), ("inverse", I64), ("counts", I64)])]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
