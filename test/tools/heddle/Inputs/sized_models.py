"""Writes ONNX models with named dimensions to FOLDER: cat.onnx joins `past` and `new` rows beside a mask of `total` rows, total.onnx has `total` rows
alone."""

import pathlib
import sys

import onnx
from onnx import TensorProto
from onnx import helper as h

FOLDER = pathlib.Path(sys.argv[1])


def rows(name: str, extent: str | None) -> onnx.ValueInfoProto:
    return h.make_tensor_value_info(name, TensorProto.FLOAT, None if extent is None else [extent, 4])


def save(name: str, nodes: list[onnx.NodeProto], inputs: dict[str, str]) -> None:
    graph = h.make_graph(nodes, name, [rows(*each) for each in inputs.items()], [rows("y", None)])
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=8), FOLDER / f"{name}.onnx")


save("cat", [h.make_node("Concat", ["kv", "x"], ["c"], "join", axis=0), h.make_node("Add", ["c", "mask"], ["y"], "plus")],
     {"kv": "past", "x": "new", "mask": "total"})
save("total", [h.make_node("Relu", ["x"], ["y"], "relu")], {"x": "total"})
