"""Casts the contractions of an ONNX model to bf16: cast_contractions.py MODEL.onnx OUTPUT.onnx

Both operands of every MatMul, Gemm and Conv become bf16, weights where they lie and other values by a Cast, and so does the result; a bias is added
behind it in float32. Everything else stays as it is. That is what peers do of their own accord where they are allowed to compute in bf16. Weights
are written to OUTPUT.weights.
"""

import pathlib
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

KINDS = ("MatMul", "Gemm", "Conv")
# The first operator set whose Conv takes bf16.
OPSET = 22


class Caster:
    def __init__(self, model: onnx.ModelProto):
        self.graph = model.graph
        self.constants = {tensor.name: tensor for tensor in self.graph.initializer}
        self.ranks = {value.name: len(value.type.tensor_type.shape.dim) for value in
                      [*onnx.shape_inference.infer_shapes(model, data_prop=True).graph.value_info, *self.graph.output]}
        self.narrow: dict[str, str] = {}
        self.nodes: list[onnx.NodeProto] = []

    def narrowed(self, name: str) -> str:
        """The same value in bf16."""
        if name not in self.narrow:
            self.narrow[name] = narrow = f"{name}_bf16"
            tensor = self.constants.get(name)
            if tensor is None:
                self.nodes.append(helper.make_node("Cast", [name], [narrow], f"{narrow}_cast", to=TensorProto.BFLOAT16))
            else:
                values = numpy_helper.to_array(tensor)
                stored = TensorProto(name=narrow, data_type=TensorProto.BFLOAT16, dims=values.shape)
                stored.raw_data = values.astype(ml_dtypes.bfloat16).tobytes()
                self.graph.initializer.append(stored)
        return self.narrow[name]

    def cast(self, node: onnx.NodeProto) -> None:
        bias = node.input[2] if len(node.input) > 2 else ""
        output = node.output[0]
        operands = [self.narrowed(name) for name in node.input[:2]]
        del node.input[:]
        node.input.extend(operands)
        node.output[0] = f"{output}_bf16"
        self.nodes.append(node)
        self.nodes.append(helper.make_node("Cast", [node.output[0]], [f"{output}_sum" if bias else output], f"{output}_cast", to=TensorProto.FLOAT))
        if not bias:
            return
        if node.op_type == "Conv":
            # Beside [image, channel, points...].
            values = numpy_helper.to_array(self.constants[bias])
            bias = f"{bias}_beside_{self.ranks[output]}"
            if bias not in self.constants:
                beside = numpy_helper.from_array(values.reshape([-1] + [1] * (self.ranks[output] - 2)), bias)
                self.graph.initializer.append(beside)
                self.constants[bias] = beside
        self.nodes.append(helper.make_node("Add", [f"{output}_sum", bias], [output], f"{output}_bias"))

    def is_cast(self, node: onnx.NodeProto) -> bool:
        scales = [attribute for attribute in node.attribute if attribute.name in ("alpha", "beta") and attribute.f != 1]
        is_float = all(self.constants[name].data_type == TensorProto.FLOAT for name in node.input if name in self.constants)
        return node.op_type in KINDS and is_float and not scales

    def run(self) -> None:
        for node in list(self.graph.node):
            if self.is_cast(node):
                self.cast(node)
            else:
                self.nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        used = {name for node in self.nodes for name in node.input} | {output.name for output in self.graph.output}
        kept = [tensor for tensor in self.graph.initializer if tensor.name in used]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)
        del self.graph.value_info[:]


def cast(source: pathlib.Path, target: pathlib.Path) -> None:
    model = onnx.load(source)
    Caster(model).run()
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = max(opset.version, OPSET)
    model.ir_version = max(model.ir_version, 10)
    weights = target.with_suffix(".weights")
    weights.unlink(missing_ok=True)
    onnx.save(model, target, save_as_external_data=True, location=weights.name, size_threshold=1024)


if __name__ == "__main__":
    cast(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
