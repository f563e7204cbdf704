"""Writes one small ONNX model, for a test that reads what becomes of it.

usage: build.py OUT.onnx [--opset N] [--inputs NAME:TYPE:SHAPE ...] [--constants NAME:TYPE:SHAPE:VALUES ...]
                --nodes 'y = Op(a, b; attribute=value, ...)' ... --outputs NAME:TYPE[:SHAPE] ...

Types are onnx's names in lower case; a shape is 2x3, with names for open dimensions; VALUES are separated by commas.
Values of attributes are Python; `Op` may be `domain.Op`, and `name@y = Op(...)` names the node.
"""
import argparse, ast, re
import numpy as np, onnx
from onnx import TensorProto, helper


def element_type(name):
    return getattr(TensorProto, name.upper())


def shape_of(text):
    return [int(e) if e.lstrip("-").isdigit() else (e or None) for e in text.split("x")] if text else []


def value_info(spec):
    name, kind, *shape = spec.split(":")
    return helper.make_tensor_value_info(name, element_type(kind), shape_of(shape[0]) if shape else None)


def constant(spec):
    name, kind, shape, values = spec.split(":")
    shape = shape_of(shape)
    values = [float(v) if "." in v or "e" in v else int(v) for v in values.split(",")] if values else []
    if len(values) == 1:
        values = values * int(np.prod(shape, dtype=int))
    return helper.make_tensor(name, element_type(kind), shape, values)


def node(text):
    match = re.fullmatch(r"\s*(?:(.*?)@)?(.*?)=\s*([\w.]+)\((.*)\)\s*", text, re.S)
    name, outputs, op, inside = match.groups()
    operands, _, attributes = inside.partition(";")
    domain, _, op = op.rpartition(".")
    split = lambda s: [p.strip() for p in s.split(",")] if s.strip() else []
    values = {}
    for keyword in ast.parse(f"f({attributes})", mode="eval").body.keywords:
        values[keyword.arg] = ast.literal_eval(keyword.value)
    if "to" in values and isinstance(values["to"], str):
        values["to"] = element_type(values["to"])
    return helper.make_node(op, split(operands), split(outputs), name=name or "", domain=domain, **values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opset", type=int, default=18)
    for option in ("inputs", "constants", "nodes", "outputs"):
        parser.add_argument("--" + option, nargs="*", default=[])
    arguments = parser.parse_args()
    graph = helper.make_graph(
        [node(n) for n in arguments.nodes], "g", [value_info(i) for i in arguments.inputs],
        [value_info(o) for o in arguments.outputs], [constant(c) for c in arguments.constants])
    # onnxruntime's own domain has one operator set.
    imports = [helper.make_opsetid("", arguments.opset)] + [helper.make_opsetid("com.microsoft", 1)] * any(n.domain == "com.microsoft" for n in graph.node)
    model = helper.make_model(graph, opset_imports=imports, ir_version=10)
    onnx.save(model, arguments.out)


main()
