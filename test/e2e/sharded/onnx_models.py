"""ONNX models of which files say how a few tensors lie, over several meshes, compute what they compute on one device.

usage: onnx_models.py HEDDLE FOLDER

Writes `mlp.onnx`, `block.onnx` (a transformer block with norms, heads and a GELU) and `conv.onnx` with a file of shardings each, compiles them for one
device and for several, and compares the runs: a line for each pair that differs, and last how many are equal.
"""

import pathlib
import sys

import numpy as np
import onnx
from compiled_programs import compiled, difference, inputs_for, run
from onnx import helper, numpy_helper

RANDOM = np.random.default_rng(5)
MESHES = "model=2", "data=2", "data=2,model=2", "model=4", "data=4,model=2"


class Graph:
    """Nodes and weights of a model with one input x and one output y."""

    def __init__(self) -> None:
        self.nodes, self.weights = [], []

    def weight(self, name: str, *shape: int) -> str:
        self.weights.append(numpy_helper.from_array(RANDOM.uniform(-0.4, 0.4, shape).astype(np.float32), name))
        return name

    def integers(self, name: str, values: list[int]) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, op: str, inputs: list[str], output: str, **attributes) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def save(self, path: pathlib.Path, x: list[int], y: list[int]) -> None:
        graph = helper.make_graph(self.nodes, path.stem, [helper.make_tensor_value_info("x", 1, x)], [helper.make_tensor_value_info("y", 1, y)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)


def mlp(graph: Graph, path: pathlib.Path) -> str:
    """Rows along data, hidden units along model; the weights of Gemm are transposed."""
    graph.node("Gemm", ["x", graph.weight("w1", 48, 20), graph.weight("b1", 48)], "h", transB=1)
    graph.node("Relu", ["h"], "r")
    graph.node("Gemm", ["r", graph.weight("w2", 12, 48), graph.weight("b2", 12)], "y", transB=1)
    graph.save(path, [10, 20], [10, 12])
    return """
# Rows of the batch, and hidden units.
x: [{"data"}, {}]
w1: [{"model"}, {}]
w2: [{}, {"model"}]
"""


def block(graph: Graph, path: pathlib.Path) -> str:
    """Attention and a perceptron with residuals: patterns name the weights, heads and hidden units lie along model. One bias, as exporters write equal
    ones, is that of products that are cut and of norms that are not."""
    batch, length, heads, size = 4, 6, 4, 8
    wide = heads * size
    graph.node("LayerNormalization", ["x", graph.weight("norm1.g", wide), graph.weight("bias", wide)], "n1")
    graph.integers("split", [batch, length, heads, size])
    for name, order in ("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3]):
        graph.node("MatMul", ["n1", graph.weight(f"attention.{name}.weight", wide, wide)], f"{name}0")
        graph.node("Add", [f"{name}0", "bias"], f"{name}1")
        graph.node("Reshape", [f"{name}1", "split"], f"{name}2")
        graph.node("Transpose", [f"{name}2"], name, perm=order)
    graph.node("MatMul", ["q", "k"], "s0")
    graph.node("Mul", ["s0", graph.weight("scale", 1)], "s1")
    graph.node("Softmax", ["s1"], "p", axis=-1)
    graph.node("MatMul", ["p", "v"], "m0")
    graph.node("Transpose", ["m0"], "m1", perm=[0, 2, 1, 3])
    graph.node("Reshape", ["m1", graph.integers("joined", [batch, length, wide])], "m")
    graph.node("MatMul", ["m", graph.weight("attention.o.weight", wide, wide)], "o")
    graph.node("Add", ["x", "o"], "r1")
    graph.node("LayerNormalization", ["r1", graph.weight("norm2.g", wide), "bias"], "n2")
    graph.node("MatMul", ["n2", graph.weight("up.weight", wide, 4 * wide)], "u")
    graph.node("Gelu", ["u"], "g")
    graph.node("MatMul", ["g", graph.weight("down.weight", 4 * wide, wide)], "d")
    graph.node("Add", ["r1", "d"], "y")
    graph.save(path, [batch, length, wide], [batch, length, wide])
    return """
x: [{"data"}, {}, {}]
attention.o.weight: [{"model"}, {}]
attention.*.weight: [{}, {"model"}]
up.weight: [{}, {"model"}]
down.weight: [{"model"}, {}]
"""


def conv(graph: Graph, path: pathlib.Path) -> str:
    """Images along data, channels of the first convolution along model."""
    graph.node("Conv", ["x", graph.weight("c1", 8, 3, 3, 3), graph.weight("b1", 8)], "h", pads=[1, 1, 1, 1])
    graph.node("Relu", ["h"], "r")
    graph.node("MaxPool", ["r"], "p", kernel_shape=[2, 2], strides=[2, 2])
    graph.node("Conv", ["p", graph.weight("c2", 6, 8, 3, 3)], "c", pads=[1, 1, 1, 1])
    graph.node("GlobalAveragePool", ["c"], "a")
    graph.node("Flatten", ["a"], "y", axis=1)
    graph.save(path, [4, 3, 8, 8], [4, 6])
    return """
x: [{"data"}, {}, {}, {}]
c1: [{"model"}, {}, {}, {}]
"""


def only_of(mesh: str, shardings: str) -> str:
    """The shardings without axes that the mesh lacks."""
    for axis in {"data", "model"} - {part.split("=")[0] for part in mesh.split(",")}:
        shardings = shardings.replace(f'"{axis}"', "")
    return shardings


def problem(heddle: str, path: pathlib.Path, mesh: str, shardings: str, scratch: pathlib.Path) -> str:
    file = scratch / "shardings.txt"
    file.write_text(only_of(mesh, shardings))
    devices = int(np.prod([int(axis.split("=")[1]) for axis in mesh.split(",")]))
    try:
        one = compiled(heddle, path, scratch / "one.heddle", ["--force"])
        many = compiled(heddle, path, scratch / "many.heddle", ["--force", "--mesh", mesh, "--shard", str(file)])
        inputs = inputs_for(heddle, one, scratch)
        whole = run(heddle, one, scratch / "whole", inputs)
        parts = run(heddle, many, scratch / "parts", [*inputs, "--devices", str(devices)])
    except RuntimeError as error:
        return str(error)
    return "".join(difference(expected, parts[name]) for name, expected in whole.items())


def main() -> int:
    heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    equal = tried = 0
    for make in mlp, block, conv:
        path = folder / f"{make.__name__}.onnx"
        shardings = make(Graph(), path)
        path.with_suffix(".shardings").write_text(shardings)
        for mesh in MESHES:
            tried += 1
            if found := problem(heddle, path, mesh, shardings, folder):
                print(f"{path.stem} over {mesh}: {found}")
            else:
                equal += 1
    print(f"{equal} of {tried} are equal")
    return 0 if equal == tried else 1


sys.exit(main())
