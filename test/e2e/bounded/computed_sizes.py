"""Models whose data decides how large results are: the program counts, and results are truly sized. Against numpy.

    computed_sizes.py FOLDER
"""

import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
RANDOM = np.random.default_rng(0)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=f"the_{op}", **attributes)


def model(path, nodes, inputs, outputs):
    values = [[helper.make_tensor_value_info(name, type, shape) for name, type, shape in side] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *values)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path)


def sparse(*shape):
    return (RANDOM.integers(1, 9, shape) * (RANDOM.random(shape) > 0.5)).astype(np.float32)


def positions():
    """As they are, with what is there, in a tensor of one size, of none and of all."""
    nodes = [node("NonZero", "x", "p"), node("Transpose", "p", "t"), node("GatherND", "x t", "v")]
    feeds = [{"x": x} for x in (sparse(3, 5), np.zeros((3, 5), np.float32), np.ones((3, 5), np.float32))]
    return (nodes, [("x", F32, [3, 5])], [("t", I64, None), ("v", F32, None)], [], feeds,
            lambda x: {"t": np.argwhere(x), "v": x[np.nonzero(x)], "the_NonZero.count": np.int32(np.count_nonzero(x))})


def open_positions():
    """Calls choose the size of what is looked at."""
    nodes = [node("NonZero", "x", "p")]
    feeds = [{"x": sparse(n, 4)} for n in (1, 3, 6)]
    return (nodes, [("x", F32, ["n", 4])], [("p", I64, None)], ["--dim", "n=1..6"], feeds, lambda x: {"p": np.array(np.nonzero(x))})


def masked():
    """What sums, looks for the least or multiplies sees what is kept alone."""
    nodes = [node("Compress", "x c", "y", axis=0), node("ReduceSum", "y", "sum", keepdims=0), node("ReduceMin", "y", "least", keepdims=1),
             node("Neg", "y", "negative"), node("Transpose", "y", "turned"), node("MatMul", "turned y", "product")]
    feeds = [{"x": 1 + sparse(6, 4), "c": np.array(c, bool)} for c in ([0, 1, 1, 0, 0, 1], [1] * 6, [1, 0, 0, 0, 0, 0])]
    return (nodes, [("x", F32, [6, 4]), ("c", BOOL, [6])],
            [(name, F32, None) for name in ("sum", "least", "negative", "product")], [], feeds,
            lambda x, c: {"sum": x[c].sum(), "least": x[c].min(keepdims=True), "negative": -x[c], "product": x[c].T @ x[c]})


def columns():
    """A dimension that is not the outermost is packed behind the program."""
    feeds = [{"x": sparse(3, 5), "c": np.array(c, bool)} for c in ([1, 0, 1, 1], [0, 0, 0, 0])]
    return ([node("Compress", "x c", "y", axis=1)], [("x", F32, [3, 5]), ("c", BOOL, [4])], [("y", F32, None)], [], feeds,
            lambda x, c: {"y": np.compress(c, x, axis=1)})


def of_nothing():
    """Of what keeps nothing, an index reads 0, and not what an earlier call left; the last one is the last of those that are kept."""
    nodes = [node("Compress", "x c", "y", axis=0)] + [each for name, index in (("first", 0), ("last", -1), ("third", 2)) for each in (
        helper.make_node("Constant", [], [f"{name}_index"], value_int=index), helper.make_node("Gather", ["y", f"{name}_index"], [name]))]
    nodes += [helper.make_node("GatherElements", ["y", "i"], ["elements"]), helper.make_node("GatherND", ["y", "i"], ["rows"])]
    feeds = [{"x": 1 + sparse(6, 1), "c": np.array(c, bool), "i": np.array([[0], [-1]])} for c in ([1] * 6, [0] * 6, [0, 1, 0, 0, 0, 0], [1, 0, 1, 1, 1, 0])]

    def wanted(x, c, i):
        kept = x[c] if c.any() else np.zeros((1, 1), np.float32)
        return {"first": kept[0], "last": kept[-1], "third": kept[min(2, len(kept) - 1)], "elements": kept[[0, -1]], "rows": kept[[0, -1]]}

    return (nodes, [("x", F32, [6, 1]), ("c", BOOL, [6]), ("i", I64, [2, 1])], [(name, F32, None) for name in ("first", "last", "third", "elements", "rows")],
            [], feeds, wanted)


def same_masks():
    """Masks that are computed in the same way keep as many, so that what they keep meets."""
    nodes = [helper.make_node(*each) for each in (
        ("Greater", ["x", "t"], ["c"], "one"), ("Greater", ["x", "t"], ["d"], "other"), ("Compress", ["x", "c"], ["y"], "first"),
        ("Compress", ["z", "d"], ["w"], "second"), ("Add", ["y", "w"], ["sum"], "sum"), ("NonZero", ["d"], ["p"], "places"))]
    feeds = [{"x": x, "z": x[::-1] + 1, "t": np.float32(t)} for x in (sparse(9),) for t in (0, 3, 100, -1)]
    return (nodes, [("x", F32, [9]), ("z", F32, [9]), ("t", F32, [])], [("sum", F32, None), ("p", I64, None)], [], feeds,
            lambda x, z, t: {"sum": (x + z)[x > t], "p": np.array(np.nonzero(x > t))})


def greatest():
    """How many is an input."""
    feeds = [{"x": RANDOM.permutation(18).reshape(3, 6).astype(np.float32), "k": np.array([k])} for k in (0, 2, 6)]
    return ([node("TopK", "x k", "v i")], [("x", F32, [3, 6]), ("k", I64, [1])], [("v", F32, None), ("i", I64, None)], [], feeds,
            lambda x, k: {"v": -np.sort(-x)[:, :k[0]], "i": np.argsort(-x)[:, :k[0]]})


def distinct():
    """With the first place, the place among the distinct ones and the number of each."""
    def wanted(x):
        values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
        return {"y": values, "first": first, "inverse": inverse.reshape(-1), "counts": counts, "z": values[np.argsort(first)]}
    nodes = [node("Unique", "x", "y first inverse counts"), helper.make_node("Unique", ["x"], ["z"], name="unsorted", sorted=0)]
    feeds = [{"x": RANDOM.integers(0, most, (3, 4)).astype(np.float32)} for most in (1, 4, 100)]
    return (nodes, [("x", F32, [3, 4])], [("y", F32, None), ("first", I64, None), ("inverse", I64, None), ("counts", I64, None), ("z", F32, None)],
            [], feeds, wanted)


def heddle(*arguments):
    return subprocess.run(["heddle", *map(str, arguments)], capture_output=True, text=True)


def check(folder, make):
    nodes, inputs, outputs, options, feeds, wanted = make()
    path, artifact = folder / f"{make.__name__}.onnx", folder / f"{make.__name__}.heddle"
    model(path, nodes, inputs, outputs)
    compiled = heddle("compile", "-q", path, *options, "-o", artifact)
    if compiled.returncode:
        return [f"{make.__name__}: {compiled.stderr}"]
    wrong = []
    for number, feed in enumerate(feeds):
        np.savez(folder / "feed.npz", **feed)
        out = folder / f"{make.__name__}{number}"
        run = heddle("run", "-q", artifact, "--inputs", folder / "feed.npz", "--output", out)
        sizes = ["--dim", f"n={len(feed['x'])}"] if options else []
        compared = heddle("compare", "-q", path, *options, *sizes, "--inputs", folder / "feed.npz")
        wrong += [f"{make.__name__} {number}: {each.stdout}{each.stderr}" for each in (run, compared) if each.returncode]
        for name, value in wanted(**feed).items() if not run.returncode else ():
            found = np.load(out / f"{name}.npy")
            if not np.array_equal(found, value):
                wrong.append(f"{make.__name__} {number}: {name} is {found}, not {value}")
    return wrong


def too_many(folder):
    """More than there are is an error of the call."""
    np.savez(folder / "feed.npz", x=np.zeros((3, 6), np.float32), k=np.array([7]))
    run = heddle("run", "-q", folder / "greatest.heddle", "--inputs", folder / "feed.npz")
    right = run.returncode != 0 and "computes 7 for a size: 'the_TopK.count' must be from 0 to 6" in run.stderr
    return [] if right else [f"too many: {run.returncode} {run.stderr}"]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for make in (positions, open_positions, masked, columns, of_nothing, same_masks, greatest, distinct) for message in check(folder, make)]
    wrong += too_many(folder)
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())
