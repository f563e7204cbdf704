"""What follows sizes that the data decides: products, softmax, running sums, convolutions and orders of as much as there is. Against onnxruntime.

    computed_pipelines.py FOLDER
"""

import functools
import pathlib
import sys

import numpy as np
from computed_shapes import BOOL, F32, I64, check, integers
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(1)


def node(text, **attributes):
    """`MatMul a b -> c`, named after its result."""
    left, right = text.split("->")
    op, *inputs = left.split()
    return helper.make_node(op, inputs, right.split(), name=right.split()[0], **attributes)


def constant(name, value):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(value, name))


def random(*shape):
    return RANDOM.random(shape).astype(np.float32)


def attention():
    """Rows that are kept look at each other; a piece of them, behind all, is summed."""
    nodes = [constant("w", random(4, 3)), constant("zero", integers(0)), constant("first", np.array(0)), node("Compress x m -> k", axis=0),
             node("MatMul k w -> h"), node("Softmax h -> soft", axis=0), node("Transpose k -> t", perm=[1, 0]), node("MatMul k t -> scores"),
             node("Softmax scores -> p", axis=-1), node("MatMul p k -> o"), node("Concat o x -> all", axis=0), node("Slice all s e -> piece"),
             node("ReduceMean piece zero -> mean", keepdims=0), node("CumSum piece first -> running")]
    masks = (([1, 0, 1, 1, 0, 0, 1], 1, 9), ([1] * 7, 0, 14), ([0, 0, 0, 0, 0, 0, 1], -5, -1), ([0, 1, 0, 0, 0, 0, 1], 3, 4))
    feeds = [dict(x=random(7, 4), m=np.array(m, bool), s=integers(s), e=integers(e)) for m, s, e in masks]
    return ("attention", nodes, {"x": (F32, [7, 4]), "m": (BOOL, [7]), "s": (I64, [1]), "e": (I64, [1])},
            [(name, F32) for name in ("soft", "o", "mean", "running")], [], feeds, [])


def images():
    """As many images as are kept."""
    nodes = [constant("w", random(5, 2, 3, 3)), node("Compress x m -> k", axis=0), node("Conv k w -> c", pads=[1, 1, 1, 1]),
             node("MaxPool c -> q", kernel_shape=[2, 2], strides=[2, 2]), node("ReduceMax q -> y", keepdims=0)]
    feeds = [dict(x=random(4, 2, 6, 6), m=np.array(m, bool)) for m in ([1, 0, 1, 0], [1] * 4, [0, 0, 0, 1])]
    return "images", nodes, {"x": (F32, [4, 2, 6, 6]), "m": (BOOL, [4])}, [("q", F32), ("y", F32)], [], feeds, []


def lengths():
    """A length that is an input."""
    nodes = [constant("zero", np.array(0)), constant("one", np.array(1)), constant("axis", integers(1)), constant("two", integers(2)), node("Range zero n one -> r"),
             node("Cast r -> f", to=F32), node("Unsqueeze f axis -> u"), node("Mul u x -> m"), node("Softmax m -> p", axis=0), node("ArgMax m -> a", axis=0),
             node("TopK m two -> v i", axis=0)]
    feeds = [dict(n=np.int64(n), x=random(1, 4)) for n in (2, 5, 16)]
    return "lengths", nodes, {"n": (I64, []), "x": (F32, [1, 4])}, [("p", F32), ("a", I64), ("v", F32)], ["r.size=2..16"], feeds, []


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Sums of a few numbers from 0 to 1, in another order.
    are_close = functools.partial(np.allclose, rtol=1e-5, atol=1e-6)
    wrong = [message for make in (attention, images, lengths) for message in check(folder, make(), are_close)]
    print("\n".join(wrong))
    print(f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
