"""Writes well-formed models that ask for far more than they hold, and models whose data lies elsewhere.

usage: bombs.py FOLDER
"""
import os, pathlib, sys
import onnx
from onnx import TensorProto, helper

F, I = TensorProto.FLOAT, TensorProto.INT64
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def model(nodes, initializers=(), functions=(), inputs=None, output="y"):
    info = lambda name: helper.make_tensor_value_info(name, F, [2])
    graph = helper.make_graph(nodes, "g", inputs if inputs is not None else [info("x")],
                              [helper.make_tensor_value_info(output, F, None)], list(initializers))
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
    return helper.make_model(graph, opset_imports=opsets, functions=list(functions))


def save(name, proto):
    (folder / f"{name}.onnx").write_bytes(proto.SerializeToString())


def huge_constant():
    shape = helper.make_tensor("shape", I, [1], [1 << 40])
    save("constant", model([helper.make_node("ConstantOfShape", ["shape"], ["y"])], [shape]))
    save("expand", model([helper.make_node("Expand", ["x", "shape"], ["y"])], [helper.make_tensor("shape", I, [3], [1 << 20, 1 << 20, 2])]))
    save("range", model([helper.make_node("Range", ["zero", "shape", "one"], ["r"]), helper.make_node("Cast", ["r"], ["y"], to=F)],
                        [helper.make_tensor("shape", I, [], [1 << 60]), helper.make_tensor("zero", I, [], [0]), helper.make_tensor("one", I, [], [1])]))
    save("tile", model([helper.make_node("Tile", ["x", "shape"], ["y"])], [helper.make_tensor("shape", I, [1], [1 << 62])]))
    save("pad", model([helper.make_node("Pad", ["x", "shape"], ["y"])], [helper.make_tensor("shape", I, [2], [(1 << 62), (1 << 62)])]))
    window = helper.make_node("AveragePool", ["i"], ["y"], kernel_shape=[1 << 29, 1 << 29], pads=[1 << 29] * 4)
    image = helper.make_tensor_value_info("i", F, [1, 1, 2, 2])
    save("window", model([window], inputs=[image]))
    resize = helper.make_node("Resize", ["i", "", "scales"], ["y"], mode="cubic")
    save("resize", model([resize], [helper.make_tensor("scales", F, [4], [1, 1, 1e9, 1e9])], inputs=[image]))
    save("input", model([helper.make_node("Identity", ["x"], ["y"])], inputs=[helper.make_tensor_value_info("x", F, [1 << 31, 1 << 31, 1 << 31])]))


def many_dimensions():
    relu = helper.make_node("Relu", ["x"], ["y"])
    for rank in (64, 65, 1024):
        save(f"rank{rank}", model([relu], inputs=[helper.make_tensor_value_info("x", F, [1] * rank)]))
    shape = helper.make_tensor("shape", I, [1024], [1] * 1023 + [2])
    save("reshape1024", model([helper.make_node("Reshape", ["x", "shape"], ["y"])], [shape]))
    axes = helper.make_tensor("axes", I, [1000], range(1000))
    save("unsqueeze1000", model([helper.make_node("Unsqueeze", ["x", "axes"], ["y"])], [axes]))
    indices = helper.make_tensor("indices", I, [1] * 64, [0])
    save("gather71", model([helper.make_node("Gather", ["x", "indices"], ["y"], axis=3)], [indices],
                           inputs=[helper.make_tensor_value_info("x", F, [1] * 8)]))


def doubling_functions():
    functions, opsets = [], [helper.make_opsetid("", 18), helper.make_opsetid("f", 1)]
    for i in range(60):
        body = [helper.make_node("Abs", ["x"], ["y"])] if i == 0 else [
            helper.make_node(f"F{i - 1}", ["x"], ["t"], domain="f"), helper.make_node(f"F{i - 1}", ["t"], ["y"], domain="f")]
        functions.append(helper.make_function("f", f"F{i}", ["x"], ["y"], body, opsets))
    save("functions", model([helper.make_node("F59", ["x"], ["y"], domain="f")], functions=functions))
    chain = [helper.make_function("f", f"F{i}", ["x"], ["y"], [helper.make_node(f"F{i + 1}", ["x"], ["y"], domain="f")], opsets) for i in range(20000)]
    save("chain", model([helper.make_node("F0", ["x"], ["y"], domain="f")], functions=chain))
    loop = [helper.make_function("f", "F0", ["x"], ["y"], [helper.make_node("F0", ["x"], ["y"], domain="f")], opsets)]
    save("recursion", model([helper.make_node("F0", ["x"], ["y"], domain="f")], functions=loop))


def varint(value):
    out = b""
    while value >= 128:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def bytes_field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def nested_graphs():
    graph = bytes_field(1, bytes_field(4, b"Relu"))
    for _ in range(20000):
        attribute = bytes_field(1, b"g") + bytes_field(6, graph) + b"\xa0\x01\x05"
        graph = bytes_field(1, bytes_field(4, b"If") + bytes_field(5, attribute))
    (folder / "nested.onnx").write_bytes(bytes_field(7, graph))


def external(name, location, offset=None, length=None):
    tensor = TensorProto(name="w", data_type=F, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        if value is not None:
            tensor.external_data.add(key=key, value=value)
    save(name, model([helper.make_node("Add", ["x", "w"], ["y"])], [tensor]))


huge_constant()
many_dimensions()
doubling_functions()
nested_graphs()
inner = folder / "inner"
inner.mkdir(exist_ok=True)
(folder / "secret.bin").write_bytes(b"\0" * 8)
folder = inner
(folder / "good.bin").write_bytes(b"\0" * 12)
for link, target in (("leak.bin", "../secret.bin"), ("up", "..")):
    if not (folder / link).is_symlink():
        os.symlink(target, folder / link)
external("good", "good.bin", "4", "8")
external("dots", "../secret.bin")
external("absolute", str((folder / "good.bin").resolve()))
external("leak", "leak.bin")
external("folderlink", "up/secret.bin")
external("missing", "none.bin")
external("short", "good.bin", "8")
external("overflow", "good.bin", str((1 << 64) - 4), "8")
external("number", "good.bin", "4x")
external("device", "/dev/zero")
