"""Rows that are kept of many candidates, and what a detector's head makes of them. Against onnxruntime.

    counted_work.py FOLDER [CANDIDATES]

From the command line, and from Python in one context, so that a call finds in memory what those before left there. The number of candidates is for
measurements: `heddle bench` of rows.heddle with the files of `few` and of `all`.
"""

import pathlib
import sys

import heddle
import numpy as np
from computed_pipelines import constant, node
from computed_shapes import BOOL, F32, I64, check, integers
from counted_calls import are_close, check_calls

RANDOM = np.random.default_rng(3)


def weights(*shape):
    return (RANDOM.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32)


def masks(candidates):
    """One, few, most, all, and few again."""
    for kept in (1, candidates // 80 + 2, candidates - 3, candidates, 2):
        mask = np.zeros(candidates, bool)
        mask[RANDOM.permutation(candidates)[:kept]] = True
        yield mask


def rows(candidates):
    nodes = [constant("w", weights(24, 64)), constant("b", weights(64)), constant("v", weights(64, 24)), constant("last", integers(-1)), constant("first", integers(0)),
             node("Compress x m -> keep", axis=0), node("MatMul keep w -> product"), node("Add product b -> sum"), node("Relu sum -> hidden"),
             node("MatMul hidden v -> head"), node("Softmax head -> y", axis=-1), node("ReduceMax head last -> best", keepdims=0),
             node("ReduceSum head first -> total", keepdims=0), node("ArgMax y -> label", axis=-1, keepdims=0), node("Gather table label -> named"),
             constant("table", weights(24, 5))]
    nodes.insert(0, nodes.pop())
    feeds = [dict(x=RANDOM.standard_normal((candidates, 24)).astype(np.float32), m=mask) for mask in masks(candidates)]
    return ("rows", nodes, {"x": (F32, [candidates, 24]), "m": (BOOL, [candidates])},
            [("y", F32), ("best", F32), ("total", F32), ("label", I64), ("named", F32)], [], feeds, [])


def batches(candidates):
    """Beside a size that calls choose, kept columns, which are not the outermost dimension; and what is left behind as many as are kept."""
    nodes = [constant("w", weights(8, 8)), constant("three", np.float32(3)), node("Compress x m -> keep", axis=1), node("MatMul keep w -> product"), node("Tanh product -> hidden"),
             node("Transpose hidden -> turned", perm=[1, 0, 2]), node("Mul turned three -> y"), node("Softmax hidden -> p", axis=1),
             node("Concat keep x -> all", axis=1), node("Sigmoid all -> z")]
    feeds = [dict(x=RANDOM.standard_normal((batch, candidates, 8)).astype(np.float32), m=mask) for batch, mask in zip((4, 2, 3, 4, 1), masks(candidates))]
    return ("batches", nodes, {"x": (F32, ["batch", candidates, 8]), "m": (BOOL, [candidates])}, [("y", F32), ("p", F32), ("z", F32)], ["batch=1..4"], feeds, [])


def check_artifact(folder, case):
    """Its calls, and behind them one of which nothing is kept."""
    name, *_, feeds, _ = case
    model = heddle.load(folder / f"{name}.heddle")
    wrong = check_calls(folder, case, model)
    # onnxruntime's reductions of nothing have other shapes.
    nothing = model(**feeds[0] | {"m": feeds[0]["m"] & False})
    return wrong + [f"{name}: {key} of nothing is {value}" for key, value in nothing.items() if value.size and value.any() and key != "z"]


def main():
    folder = pathlib.Path(sys.argv[1])
    candidates = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for case in (rows(candidates), batches(candidates // 8)):
        wrong += check(folder, case, are_close)
        wrong += check_artifact(folder, case)
    for name, mask in zip(("few", "all"), (np.arange(candidates) < candidates // 84, np.ones(candidates, bool))):
        np.savez(folder / f"{name}.npz", x=RANDOM.standard_normal((candidates, 24)).astype(np.float32), m=mask)
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
