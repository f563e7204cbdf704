"""Writes a decoder's attention as exporters do: a mask and angles cut out of tables by the length, rotated halves, and
two query heads for each key head.

usage: causal_block.py OUT.onnx
"""
import sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper

LONGEST, WIDTH, HEADS, KEY_HEADS, DEPTH = 48, 16, 4, 2, 4
rng = np.random.default_rng(0)
nodes = []
values = {
    "table": np.tril(np.ones((1, 1, LONGEST, LONGEST), bool)),
    "cosines": rng.standard_normal((LONGEST, DEPTH)).astype("f"),
    "sines": rng.standard_normal((LONGEST, DEPTH)).astype("f"),
    "wq": 0.2 * rng.standard_normal((WIDTH, HEADS * DEPTH)).astype("f"),
    "wk": 0.2 * rng.standard_normal((WIDTH, KEY_HEADS * DEPTH)).astype("f"),
    "wv": 0.2 * rng.standard_normal((WIDTH, KEY_HEADS * DEPTH)).astype("f"),
    "query_heads": np.array([0, 0, HEADS, DEPTH]), "key_heads": np.array([0, 0, KEY_HEADS, DEPTH]),
    "repeated_heads": np.array([0, HEADS, -1, DEPTH]), "all_heads": np.array([0, 0, WIDTH]),
    "repeats": np.array([1, 1, HEADS // KEY_HEADS, 1, 1]), "lowest": np.float32(-np.inf), "scale": np.float32(0.5),
    "zero": np.array([0]), "zeros": np.array([0, 0]), "two": np.array([2]), "three": np.array([3]),
    "middle": np.array([DEPTH // 2]), "end": np.array([2**62]), "positions": np.array([2, 3]),
}


def emit(op, inputs, result, **attributes):
    nodes.append(helper.make_node(op, inputs.split(), [result], **attributes))
    return result


def heads(weights, shape, name):
    product = emit("MatMul", f"x {weights}", name + "_row")
    return emit("Transpose", emit("Reshape", f"{product} {shape}", name + "_apart"), name, perm=[0, 2, 1, 3])


def rotated(x):
    first = emit("Slice", f"{x} zero middle three", x + "_first")
    second = emit("Neg", emit("Slice", f"{x} middle end three", x + "_second"), x + "_negative")
    turned = emit("Concat", f"{second} {first}", x + "_turned", axis=-1)
    return emit("Add", " ".join([emit("Mul", f"{x} cosine", x + "_straight"), emit("Mul", f"{turned} sine", x + "_across")]),
                x + "_rotated")


def repeated(x):
    wide = emit("Tile", emit("Unsqueeze", f"{x} two", x + "_one") + " repeats", x + "_wide")
    return emit("Reshape", f"{wide} repeated_heads", x + "_each")


emit("Shape", "x", "length", start=1, end=2)
emit("Slice", f"table zeros {emit('Concat', 'length length', 'square', axis=0)} positions", "mask")
emit("Slice", "cosines zero length zero", "cosine")
emit("Slice", "sines zero length zero", "sine")
query = rotated(heads("wq", "query_heads", "query"))
key = repeated(rotated(heads("wk", "key_heads", "key")))
value = repeated(heads("wv", "key_heads", "value"))
scores = emit("MatMul", f"{query} {emit('Transpose', key, 'columns', perm=[0, 1, 3, 2])}", "products")
seen = emit("Where", f"mask {emit('Mul', scores + ' scale', 'scores')} lowest", "seen")
mixed = emit("MatMul", f"{emit('Softmax', seen, 'weights', axis=-1)} {value}", "mixed")
rows = emit("Reshape", emit("Transpose", mixed, "rows", perm=[0, 2, 1, 3]) + " all_heads", "together")
emit("Add", f"{rows} x", "y")
graph = helper.make_graph(
    nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", WIDTH])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [numpy_helper.from_array(np.asarray(array), name) for name, array in values.items()])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), sys.argv[1])
