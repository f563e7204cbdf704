"""Evaluates an ONNX model in double precision: the yardstick that results in single precision are measured with.

The model's own operators, in numpy through onnx's reference evaluator, with every float32 widened to float64. It shares no code with heddle
and none with onnxruntime.
"""

import os
from collections import Counter

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


def widened(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype in (np.float32, np.float16) else array


def widen_graph(graph: onnx.GraphProto) -> None:
    """Turns every float32 of a graph, its constants, casts and subgraphs into float64."""
    for initializer in graph.initializer:
        if initializer.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16):
            initializer.CopyFrom(numpy_helper.from_array(widened(numpy_helper.to_array(initializer)), initializer.name))
    for value in [*graph.input, *graph.output, *graph.value_info]:
        if value.type.tensor_type.elem_type in (TensorProto.FLOAT, TensorProto.FLOAT16):
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR and attribute.t.data_type in (TensorProto.FLOAT, TensorProto.FLOAT16):
                attribute.t.CopyFrom(numpy_helper.from_array(widened(numpy_helper.to_array(attribute.t))))
            elif attribute.type == onnx.AttributeProto.GRAPH:
                widen_graph(attribute.g)
            elif attribute.name == "to" and attribute.i in (TensorProto.FLOAT, TensorProto.FLOAT16):
                attribute.i = TensorProto.DOUBLE
            elif attribute.name == "value_float":
                attribute.CopyFrom(helper.make_attribute("value", numpy_helper.from_array(np.array(attribute.f, np.float64))))


class Conv(OpRun):
    """Convolution as one matrix product per kernel position: onnx's own needs minutes for a large model."""

    op_domain = ""

    def _run(self, x, w, bias=None, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, pads=None, strides=None):
        rank = x.ndim - 2
        dilations, strides, pads = dilations or [1] * rank, strides or [1] * rank, pads or [0] * 2 * rank
        kernel = w.shape[2:]
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            total = [max((-(-x.shape[2 + i] // strides[i]) - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - x.shape[2 + i], 0)
                     for i in range(rank)]
            low = [t // 2 if auto_pad == "SAME_UPPER" else t - t // 2 for t in total]
            pads = low + [t - l for t, l in zip(total, low)]
        x = np.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[rank + i]) for i in range(rank)])
        extent = [(x.shape[2 + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(rank)]
        x = x.reshape(x.shape[0], group, x.shape[1] // group, *x.shape[2:])
        w = w.reshape(group, w.shape[0] // group, *w.shape[1:])
        result = np.zeros((x.shape[0], group, w.shape[1], int(np.prod(extent))))
        for place in np.ndindex(*kernel):
            window = tuple(slice(p * d, p * d + (e - 1) * s + 1, s) for p, d, e, s in zip(place, dilations, extent, strides))
            part = x[(slice(None), slice(None), slice(None), *window)].reshape(*x.shape[:3], -1)
            result += w[(slice(None), slice(None), slice(None), *place)] @ part
        result = result.reshape(x.shape[0], -1, *extent)
        if bias is not None:
            result += bias.reshape(1, -1, *[1] * rank)
        return (result,)


class Values(dict):
    """What the nodes read. Weights are widened each time they are used, and not kept: a model's weights may be larger than the memory."""

    def __init__(self, graph: onnx.GraphProto, folder: str, feeds: dict[str, np.ndarray]):
        super().__init__({"": None} | {name: widened(value) for name, value in feeds.items()})
        self.weights = {weight.name: weight for weight in graph.initializer}
        self.folder = folder

    def __contains__(self, name: str) -> bool:
        return super().__contains__(name) or name in self.weights

    def __missing__(self, name: str) -> np.ndarray:
        return widened(numpy_helper.to_array(self.weights[name], self.folder))


def evaluate(path: str, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    model = onnx.load(path, load_external_data=False)
    values = Values(model.graph, os.path.dirname(path), feeds)
    outputs = [output.name for output in model.graph.output]
    del model.graph.initializer[:]
    widen_graph(model.graph)
    for function in model.functions:
        for node in function.node:
            for attribute in node.attribute:
                if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                    attribute.i = TensorProto.DOUBLE
    evaluator = ReferenceEvaluator(model, new_ops=[Conv])
    uses = Counter(name for node in evaluator.rt_nodes_ for name in node.input)
    # A subgraph may read any value.
    keep = any(node.need_context() for node in evaluator.rt_nodes_)
    for node in evaluator.rt_nodes_:
        context = {"context": values} if node.need_context() else {}
        values.update(zip(node.output, node.run(*[values[name] for name in node.input], **context)))
        uses.subtract(node.input)
        for name in node.input:
            if not keep and name and not uses[name] and name not in outputs:
                values.pop(name, None)
    return {name: values[name] for name in outputs}
