"""Calls of a program that says which elements are not zero, by Python.

    computed_results.py FOLDER
"""

import pathlib
import sys

import computed_sizes
import numpy as np

import heddle


def main():
    folder = pathlib.Path(sys.argv[1])
    nodes, inputs, outputs, _, feeds, wanted = computed_sizes.positions()
    computed_sizes.model(folder / "model.onnx", nodes, inputs, outputs)
    heddle.compile(folder / "model.onnx", folder / "model.heddle")
    model = heddle.load(folder / "model.heddle")
    print("sizes", [(size.name, size.source) for size in model.sizes])
    memory = {"t": np.zeros((15, 2), np.int64)}
    wrong = 0
    for feed in feeds:
        for results in (model(**feed), model.submit(**feed).result(), model(**feed, out=memory)):
            wrong += not all(np.array_equal(results[name], value) for name, value in wanted(**feed).items())
        wrong += not np.shares_memory(results["t"], memory["t"]) and results["t"].size > 0
    try:
        model(**feeds[0], out={"t": np.zeros((15, 4), np.int64)[:, ::2]})
        wrong += 1
    except ValueError as error:
        print(error)
    print(f"{wrong} wrong, at most", tuple(next(output.shape for output in model.outputs if output.name == "t")))


if __name__ == "__main__":
    main()
