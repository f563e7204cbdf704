"""ONNX operators over sizes that calls choose, at their borders: nothing, one element, places before the front. Against onnxruntime.

    onnx_sizes.py FOLDER
"""

import pathlib
import sys

import numpy as np
from computed_shapes import check, constant
from computed_sizes import F32, node

RANDOM = np.random.default_rng(13)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


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


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [message for make in (backward_slices, firsts) for case in make() for message in check(folder, case)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
