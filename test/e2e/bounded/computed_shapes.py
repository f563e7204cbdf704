"""Shapes, ranges and positions that are inputs or computed from them: results are bounded and truly sized. Against onnxruntime.

    computed_shapes.py FOLDER

Each model is called with ragged, empty and full results, and with sizes that are out of range or do not fit, which are errors of the call.
"""

import pathlib
import sys

import numpy as np
import onnxruntime
from computed_sizes import BOOL, F32, I64, heddle, model, node
from onnx import TensorProto, helper

F64 = TensorProto.DOUBLE
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def integers(*numbers):
    return np.array(numbers, np.int64)


def constant(name, *numbers):
    return helper.make_node("Constant", [], [name], name=f"make_{name}", value_ints=list(numbers))


def ranges():
    """Up and down, of integers and of floats, of nothing."""
    yield ("range", [node("Range", "a b c", "y")], {"a": (I64, []), "b": (I64, []), "c": (I64, [])}, [("y", I64)], ["the_Range.size=0..20"],
           [dict(a=np.int64(a), b=np.int64(b), c=np.int64(c)) for a, b, c in ((0, 7, 1), (3, 20, 4), (5, -6, -3), (5, 5, 1), (7, 0, 2), (0, 20, 1))],
           [(dict(a=np.int64(0), b=np.int64(21), c=np.int64(1)), "computes 21 for a size: 'the_Range.size' must be from 0 to 20"),
            (dict(a=np.int64(0), b=np.int64(3), c=np.int64(0)), "computes -1 for a size"),
            # Start and limit are further apart than the greatest number of 64 bits; a count beyond its range is told as one more than that has.
            *((dict(zip("abc", np.array(numbers, np.int64))), "computes 21 for a size")
              for numbers in ((-2**63, 2**63 - 1, 2**58), (2**63 - 1, -2**63, -2**58)))])
    yield ("steps", [node("Range", "a b c", "r"), node("Neg", "r", "y"), node("ReduceSum", "r", "sum", keepdims=0)],
           {"a": (F32, []), "b": (F32, []), "c": (F32, [])}, [("y", F32), ("sum", F32)], ["the_Range.size=0..16"],
           [dict(a=np.float32(a), b=np.float32(b), c=np.float32(c)) for a, b, c in ((0, 4, 0.25), (1, 2.1, 0.5), (2, -2, -1), (3, 1, 1))],
           [(dict(a=np.float32(0), b=np.float32(9), c=np.float32(0.5)), "computes 17 for a size"),
            (dict(a=np.float32(0), b=np.float32("nan"), c=np.float32(1)), "computes -1 for a size"),
            (dict(a=np.float32(0), b=np.float32("inf"), c=np.float32(1)), "computes 17 for a size")])


def twice():
    """Two operators with the same numbers have one size, which the first names."""
    yield ("twice", [helper.make_node("Range", ["a", "b", "c"], ["r"], name="first"), helper.make_node("Range", ["a", "b", "c"], ["s"], name="second"),
                     node("Mul", "r s", "y")], {"a": (I64, []), "b": (I64, []), "c": (I64, [])}, [("y", I64)], ["first.size=0..9"],
           [dict(a=np.int64(0), b=np.int64(n), c=np.int64(1)) for n in (0, 4, 9)], [])


def expansions():
    """One size is data beside one that is known; what is there already has to fit."""
    yield ("expand", [constant("four", 4), node("Concat", "n four", "s", axis=0), node("Expand", "x s", "y"), node("ReduceSum", "y", "sum", keepdims=0)],
           {"x": (F32, [1, 4]), "n": (I64, [1])}, [("y", F32), ("sum", F32)], ["the_Expand.size=0..8"],
           [dict(x=X[:1], n=integers(n)) for n in (1, 3, 0, 8)],
           [(dict(x=X[:1], n=integers(9)), "computes 9 for a size: 'the_Expand.size' must be from 0 to 8")])
    yield ("fitting", [node("Expand", "x s", "y")], {"x": (F32, [3, 1]), "s": (I64, [3])}, [("y", F32)], ["the_Expand.size=0..3", "the_Expand.size1=1..5"],
           [dict(x=X[:, :1], s=integers(*s)) for s in ((2, 3, 4), (3, 1, 5), (0, 3, 1))],
           [(dict(x=X[:, :1], s=integers(1, 2, 1)), "computes 1 for a size: 'the_Expand.misfit' must be 0"),
            (dict(x=X[:, :1], s=integers(1, 3, 0)), "computes 0 for a size: 'the_Expand.size1' must be from 1 to 5")])


def fills():
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [2.5])
    yield ("fill", [node("ConstantOfShape", "s", "c", value=value), node("ReduceSum", "c", "sum", keepdims=0)], {"s": (I64, [2])}, [("c", F32), ("sum", F32)],
           ["the_ConstantOfShape.size=0..4", "the_ConstantOfShape.size1=3"],
           [dict(s=integers(n, 3)) for n in (2, 4, 0)],
           [(dict(s=integers(2, 4)), "computes 4 for a size: 'the_ConstantOfShape.size1' must be 3"),
            (dict(s=integers(-2, 3)), "computes -1 for a size")])


def tiles():
    yield ("tile", [node("Tile", "x r", "y"), node("Neg", "y", "z")], {"x": (F32, [3, 4]), "r": (I64, [2])}, [("y", F32), ("z", F32)],
           ["the_Tile.repeats=0..3", "the_Tile.repeats1=0..2"],
           [dict(x=X, r=integers(*r)) for r in ((2, 1), (3, 2), (0, 2), (1, 0))],
           [(dict(x=X, r=integers(4, 1)), "computes 4 for a size: 'the_Tile.repeats' must be from 0 to 3")])


def slices():
    """Places from either end, beyond both, forwards and backwards, in several dimensions; bounded by what is there."""
    yield ("slice", [node("Slice", "x s e", "y"), node("ReduceMax", "y", "most", keepdims=0)], {"x": (F32, [3, 4]), "s": (I64, [2]), "e": (I64, [2])},
           [("y", F32)], [], [dict(x=X, s=integers(*s), e=integers(*e)) for s, e in (((0, 1), (2, 3)), ((-2, -9), (9, 9)), ((2, 0), (1, 4)), ((0, 0), (3, 4)))], [])
    yield ("back", [constant("a", 1), constant("t", -2), node("Slice", "x s e a t", "y")], {"x": (F32, [3, 4]), "s": (I64, [1]), "e": (I64, [1])},
           [("y", F32)], [], [dict(x=X, s=integers(s), e=integers(e)) for s, e in ((3, 0), (-1, -9), (2, 2), (9, -2), (0, 3), (-9, -99), (-9, 1))], [])
    # Of as many as there are.
    yield ("counted", [node("NonZero", "x", "p"), constant("z", 0), constant("one", 1), node("Slice", "p z k one", "y"), node("Shape", "y", "s")],
           {"x": (F32, [3, 4]), "k": (I64, [1])}, [("y", I64), ("s", I64)], [],
           [dict(x=x, k=integers(k)) for x in (X, X * (X > 6), X * 0) for k in (3, 20, -2)], [])


def reshapes():
    yield ("rest", [constant("two", 2), node("Concat", "n two", "s", axis=0), node("Reshape", "x s", "y")], {"x": (F32, [3, 4]), "n": (I64, [1])},
           [("y", F32)], [], [dict(x=X, n=integers(n)) for n in (6, -1)],
           [(dict(x=X, n=integers(5)), "'the_Reshape.misfit' must be 0")])
    yield ("reshape", [node("Reshape", "x s", "y"), node("Neg", "y", "z")], {"x": (F32, [3, 4]), "s": (I64, [2])}, [("y", F32), ("z", F32)],
           ["the_Reshape.size=1..6", "the_Reshape.size1=2..12"],
           [dict(x=X, s=integers(*s)) for s in ((2, 6), (6, -1), (0, 4), (-1, 12))],
           [(dict(x=X, s=integers(2, 5)), "'the_Reshape.misfit' must be 0"), (dict(x=X, s=integers(12, 1)), "computes 7 for a size")])
    yield ("empty", [node("Compress", "x c", "k", axis=0), node("Reshape", "k s", "y", allowzero=1)], {"x": (F32, [3, 4]), "c": (BOOL, [3]), "s": (I64, [2])},
           [("y", F32)], ["the_Reshape.size=0..12", "the_Reshape.size1=0..12"],
           [dict(x=X, c=np.array(c, bool), s=integers(*s)) for c, s in (([1, 0, 1], (4, 2)), ([0, 0, 0], (0, 3)), ([1, 1, 1], (12, 1)))], [])


def check(folder, case, are_equal=np.array_equal, more=()):
    """What is wrong with a case, compiled with `more` options: its calls against onnxruntime and the interpreter, and the messages of calls that cannot be."""
    name, nodes, inputs, outputs, dims, feeds, wrong_feeds = case
    path, artifact = folder / f"{name}.onnx", folder / f"{name}.heddle"
    model(path, nodes, [(key, *value) for key, value in inputs.items()], [(key, type, None) for key, type in outputs])
    options = [word for dim in dims for word in ("--dim", dim)] + list(more)
    compiled = heddle("compile", "-q", path, *options, "-o", artifact)
    if compiled.returncode:
        return [f"{name}: {compiled.stderr}"]
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    wrong = []
    for number, feed in enumerate(feeds):
        np.savez(folder / "feed.npz", **feed)
        out = folder / f"{name}{number}"
        run = heddle("run", "-q", artifact, "--inputs", folder / "feed.npz", "--output", out)
        compared = heddle("compare", "-q", path, *options, "--inputs", folder / "feed.npz")
        wrong += [f"{name} {number}: {each.stdout}{each.stderr}" for each in (run, compared) if each.returncode]
        for (key, _), value in zip(outputs, session.run(None, {key: np.asarray(value) for key, value in feed.items()})) if not run.returncode else ():
            found = np.load(out / f"{key}.npy")
            if found.shape != value.shape or not are_equal(found, value):
                wrong.append(f"{name} {number}: {key} is {found}, not {value}")
    for feed, message in wrong_feeds:
        np.savez(folder / "feed.npz", **feed)
        run = heddle("run", "-q", artifact, "--inputs", folder / "feed.npz")
        if run.returncode == 0 or message not in run.stderr:
            wrong.append(f"{name}: {feed} gives {run.returncode} {run.stderr}, not {message}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for make in (ranges, twice, expansions, fills, tiles, slices, reshapes) for case in make() for message in check(folder, case)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
