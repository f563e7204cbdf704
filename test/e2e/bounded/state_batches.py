"""States whose batch each call chooses: caches that grow beside what a recurrence keeps.

    state_batches.py models          writes attention.onnx and recurrence.onnx
    state_batches.py steps           calls attention.heddle and recurrence.heddle, against numpy
"""

import sys

import numpy as np

WIDTH, MOST, ROOM = 16, 4, 9


def weights():
    random = np.random.default_rng(1)
    return {name: (random.standard_normal((WIDTH, WIDTH)) / 4).astype(np.float32) for name in ("q", "k", "v", "w", "u")}


def write_models():
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def save(name, nodes, inputs, outputs, names):
        def values(shapes):
            return [helper.make_tensor_value_info(key, TensorProto.FLOAT, shape) for key, shape in shapes.items()]

        initializers = [numpy_helper.from_array(value, key) for key, value in weights().items() if key in names]
        initializers += [numpy_helper.from_array(np.float32(WIDTH**-0.5), "scale")] if "q" in names else []
        graph = helper.make_graph(nodes, name, values(inputs), values(outputs), initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{name}.onnx")

    node = helper.make_node
    save("attention",
         [node("MatMul", ["x", "q"], ["query"]), node("MatMul", ["x", "k"], ["key"]), node("MatMul", ["x", "v"], ["value"]),
          node("Concat", ["past_k", "key"], ["present_k"], axis=1), node("Concat", ["past_v", "value"], ["present_v"], axis=1),
          node("Transpose", ["present_k"], ["turned"], perm=[0, 2, 1]), node("MatMul", ["query", "turned"], ["raw"]),
          node("Mul", ["raw", "scale"], ["scores"]), node("Softmax", ["scores"], ["shares"], axis=-1), node("MatMul", ["shares", "present_v"], ["y"])],
         {"x": ["batch", 1, WIDTH], "past_k": ["batch", "past", WIDTH], "past_v": ["batch", "past", WIDTH]},
         {"y": ["batch", 1, WIDTH], "present_k": ["batch", "total", WIDTH], "present_v": ["batch", "total", WIDTH]}, "qkv")
    save("recurrence",
         [node("MatMul", ["x", "w"], ["given"]), node("MatMul", ["h", "u"], ["kept"]), node("Add", ["given", "kept"], ["sum"]), node("Tanh", ["sum"], ["next"]),
          node("Sub", ["next", "h"], ["y"])],
         {"x": ["batch", WIDTH], "h": ["batch", WIDTH]}, {"y": ["batch", WIDTH], "next": ["batch", WIDTH]}, "wu")


def attend(x, keys, values, tables):
    """The result, and the caches with the new token behind."""
    keys = np.concatenate([keys, x @ tables["k"]], 1)
    values = np.concatenate([values, x @ tables["v"]], 1)
    scores = x @ tables["q"] @ keys.transpose(0, 2, 1) * WIDTH**-0.5
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True) @ values, keys, values


def compare_steps():
    import heddle
    random, tables, wrong = np.random.default_rng(2), weights(), 0
    program = heddle.load("attention.heddle")
    for batch in (3, 1, MOST):
        states = {info.name: program.state(info.name) for info in program.states}
        keys = values = np.zeros((batch, 0, WIDTH), np.float32)
        for _ in range(ROOM + 1):
            x = random.standard_normal((batch, 1, WIDTH)).astype(np.float32)
            found = program(x=x, states=states)["y"]
            wanted, keys, values = attend(x, keys, values, tables)
            wrong += not np.allclose(found, wanted, rtol=1e-4, atol=1e-5)
        held = states["past_k"].read()
        wrong += held.shape != (MOST, ROOM + 1, WIDTH) or not np.allclose(held[:batch], keys, rtol=1e-4, atol=1e-5) or bool(held[batch:].any())

    # Of a state without a length a call changes as many rows as it has.
    program = heddle.load("recurrence.heddle")
    states = {info.name: program.state(info.name) for info in program.states}
    h = random.standard_normal((MOST, WIDTH)).astype(np.float32)
    states["h"].write(h)
    for batch in (MOST, 2, 3, 1):
        x = random.standard_normal((batch, WIDTH)).astype(np.float32)
        found = program(x=x, states=states)["y"]
        after = np.tanh(x @ tables["w"] + h[:batch] @ tables["u"])
        wrong += not np.allclose(found, after - h[:batch], rtol=1e-4, atol=1e-5)
        h[:batch] = after
        wrong += not np.allclose(states["h"].read(), h, rtol=1e-4, atol=1e-5)
    print(f"{wrong} wrong")


if __name__ == "__main__":
    write_models() if sys.argv[1] == "models" else compare_steps()
