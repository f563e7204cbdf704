"""Small ONNX models with what heddle's own tools must cope with: onnx_models.py FOLDER."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def save(name, nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, name, inputs, outputs, list(initializers))
    (folder / f"{name}.onnx").write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())


def constant(name, location):
    tensor = numpy_helper.from_array(values, "values")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", location
    save(name, [helper.make_node("Constant", [], ["y"], value=tensor, name="values")], [],
         [helper.make_tensor_value_info("y", TensorProto.FLOAT, values.shape)])


wide = ["batch", 3]
save("rows", [helper.make_node("Tanh", ["x"], ["y"], name="tanh")],
     [helper.make_tensor_value_info("x", TensorProto.FLOAT, wide)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, wide)])
save("four", [helper.make_node("Tanh", ["x"], ["y"], name="tanh")],
     [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 3])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 3])])
open_shape = ["batch", 3, None]
save("open", [helper.make_node("Add", ["x", "b"], ["y"], name="add")],
     [helper.make_tensor_value_info("x", TensorProto.FLOAT, open_shape)], [helper.make_tensor_value_info("y", TensorProto.FLOAT, open_shape)],
     [numpy_helper.from_array(np.ones((3, 1), np.float32), "b")])

values = np.arange(100000, dtype=np.float32)
values.tofile(folder / "constant.bin")
constant("constant", "constant.bin")
constant("outside", "../constant.bin")
for number, expected in enumerate((values, values + 1)):
    data = folder / f"test_data_set_{number}"
    data.mkdir(exist_ok=True)
    (data / "output_0.pb").write_bytes(numpy_helper.from_array(expected, "y").SerializeToString())
