"""Programs that several ranks run together: whole arrays and parts, and how tensors lie."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import heddle

onnx = pytest.importorskip("onnx")

# Two layers over a mesh of two times two; five rows are two parts of three.
LAYERS = """
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<5x6xf32> {heddle.name = "x", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w: tensor<6x8xf32> {heddle.name = "w", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %v: tensor<8x4xf32> {heddle.name = "v", sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> (tensor<5x4xf32> {heddle.name = "y"}) {
  %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
  %t = stablehlo.tanh %h : tensor<5x8xf32>
  %y = stablehlo.dot_general %t, %v, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}
"""
RANDOM = np.random.default_rng(3)
X, W, V = (RANDOM.uniform(-1, 1, shape).astype(np.float32) for shape in ((5, 6), (6, 8), (8, 4)))
Y = np.tanh(X @ W) @ V


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    path = heddle.compile(LAYERS.encode(), tmp_path_factory.mktemp("ranks") / "layers.heddle", mesh={"data": 2, "model": 2})
    return heddle.load(path, threads=1)


def parts_of(model, name, array):
    """An array as each rank has it, with NaN beyond the tensor."""
    info = next(info for info in (*model.inputs, *model.outputs) if info.name == name)
    parts = []
    for rank in range(model.ranks):
        piece, part = array[model.part(name, rank)], np.full(info.part, np.nan, array.dtype)
        part[tuple(map(slice, piece.shape))] = piece
        parts.append(part)
    return heddle.Parts(parts)


def joined(model, name, shape, parts):
    array = np.full(shape, np.nan, np.float32)
    for rank, part in enumerate(parts):
        where = model.part(name, rank)
        array[where] = part[tuple(slice(0, piece.stop - piece.start) for piece in where)]
    return array


def test_what_a_program_says_of_its_mesh(layers):
    assert layers.ranks == 4 and layers.mesh == {"data": 2, "model": 2} and layers.threads == 1
    x, w, v = layers.inputs
    assert (x.shape, x.part, x.sharding, x.bytes) == ([5, 6], [3, 6], '[{"data"}, {}]', 120)
    assert (w.part, w.sharding, v.sharding) == ([6, 4], '[{}, {"model"}]', '[{"model"}, {}]')
    assert repr(layers.outputs[0]) == 'y: f32[5, 4] [{"data"}, {}]'
    assert layers.part("x", 3) == (slice(3, 5), slice(0, 6)) and layers.part("w", 1) == (slice(0, 6), slice(4, 8))


def test_a_program_of_one_rank(tmp_path):
    model = heddle.load(heddle.compile(LAYERS.encode(), tmp_path / "one.heddle"))
    assert model.ranks == 1 and model.mesh == {} and model.inputs[0].sharding is None and model.inputs[0].part == [5, 6]
    with pytest.raises(TypeError, match="input 'x' is given Parts, but the program is run by one rank"):
        model(heddle.Parts([X]), W, V)
    with pytest.raises(ValueError, match="output 'y' is wanted in parts, but the program is run by one rank"):
        model(X, W, V, parts=["y"])


def test_whole_arrays(layers):
    first = layers(X, w=W, v=V)["y"]
    np.testing.assert_allclose(first, Y, rtol=1e-5, atol=1e-6)
    target = np.empty_like(Y)
    assert layers(X.tolist(), W.astype(np.float64), V, out={"y": target})["y"] is target
    assert target.tobytes() == first.tobytes()


def test_parts(layers):
    given = [parts_of(layers, name, array) for name, array in (("x", X), ("w", W), ("v", V))]
    expected = layers(X, W, V)["y"]
    np.testing.assert_array_equal(layers(*given)["y"], expected)
    # Whole arrays and parts in one call.
    parts = layers(X, given[1], V, parts=["y"])["y"]
    assert isinstance(parts, heddle.Parts) and len(parts) == 4 and parts[0].shape == (3, 4)
    np.testing.assert_array_equal(joined(layers, "y", (5, 4), parts), expected)
    # Ranks that have the same part give the same numbers.
    np.testing.assert_array_equal(parts[0], parts[1])
    target = heddle.Parts(np.empty((3, 4), np.float32) for _ in range(4))
    assert layers(*given, out={"y": target})["y"] is target
    np.testing.assert_array_equal(joined(layers, "y", (5, 4), target), expected)


def test_processes(layers, tmp_path):
    path = heddle.compile(LAYERS.encode(), tmp_path / "layers.heddle", mesh={"data": 2, "model": 2})
    model = heddle.load(path, engine="processes")
    for _ in range(3):
        assert model(X, W, V)["y"].tobytes() == layers(X, W, V)["y"].tobytes()
    parts = model(parts_of(model, "x", X), W, V, parts=["y"])["y"]
    np.testing.assert_array_equal(joined(model, "y", (5, 4), parts), layers(X, W, V)["y"])
    with pytest.raises(ValueError, match="engine is 'sockets'; threads or processes is wanted"):
        heddle.load(path, engine="sockets")
    with pytest.raises(ValueError, match="functions for custom calls cannot run in the processes of ranks"):
        heddle.load(path, engine="processes", custom_calls={"f": lambda: None})
    with pytest.raises(ValueError, match="engine is 'threads', but the program is run by one rank"):
        heddle.load(heddle.compile(LAYERS.encode(), tmp_path / "one.heddle"), engine="threads")


def test_what_is_refused(layers):
    parts = parts_of(layers, "x", X)
    with pytest.raises(TypeError, match="input 'x' is given 3 parts; the program is run by 4 ranks"):
        layers(heddle.Parts(parts[:3]), W, V)
    # The extension looks itself: it reads no memory that it was not given.
    for count in 1, 3, 5:
        with pytest.raises(TypeError, match=f"input 'x' is given {count} parts; the program is run by 4 ranks"):
            layers._context.call([[parts[0]] * count, W, V], [np.empty_like(Y)], [False] * 3, [False], [], [])
    with pytest.raises(TypeError, match="output 'y' is given 2 parts; the program is run by 4 ranks"):
        layers._context.call([X, W, V], [[np.empty((3, 4), np.float32)] * 2], [False] * 3, [False], [], [])
    with pytest.raises(heddle.HeddleError, match=r"rank 2: input 'x' has shape \[5, 6\] instead of \[3, 6\]"):
        layers(heddle.Parts([parts[0], parts[1], X, parts[3]]), W, V)
    with pytest.raises(heddle.HeddleError, match=r"input 'x' has shape \[3, 6\] instead of \[5, 6\]"):
        layers(parts[0], W, V)
    with pytest.raises(heddle.HeddleError, match="output 'y' of rank . shares memory with output 'y' of rank ."):
        layers(X, W, V, out={"y": heddle.Parts([np.empty((3, 4), np.float32)] * 4)})
    with pytest.raises(TypeError, match="there is no output 'z'"):
        layers(X, W, V, parts=["z"])
    with pytest.raises(TypeError, match="parts is 'y'; a list of the names of outputs is wanted"):
        layers(X, W, V, parts="y")
    with pytest.raises(ValueError, match="run by 4 ranks, whose calls cannot be submitted yet"):
        layers.submit(X, W, V)
    with pytest.raises(ValueError, match="rank is 4; a number from 0 to 3 is wanted"):
        layers.part("x", 4)
    with pytest.raises(ValueError, match="there is no input or output 'z'; there are: x, w, v, y"):
        layers.part("z", 0)


def test_parts_of_several_types(tmp_path):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    path = heddle.compile(LAYERS.replace("f32", "bf16").encode(), tmp_path / "bf16.heddle", mesh={"data": 2, "model": 2})
    model = heddle.load(path, threads=1)
    w, v = W.astype(bfloat16), V.astype(bfloat16)
    parts = [np.ones((3, 6), bfloat16)] * 4
    assert model(heddle.Parts(parts), w, v)["y"].dtype == bfloat16
    with pytest.raises(TypeError, match="input 'x' is given parts of several types"):
        model(heddle.Parts([*parts[:3], np.ones((3, 6), np.uint16)]), w, v)


def test_making_processes_lets_other_threads_run(layers, tmp_path):
    """Contexts come and go in other threads while ranks are forked."""
    path = heddle.compile(LAYERS.encode(), tmp_path / "layers.heddle", mesh={"data": 2, "model": 2})
    heddle.compile(LAYERS.encode(), tmp_path / "one.heddle")
    done = threading.Event()

    def churn():
        while not done.is_set():
            heddle.load(tmp_path / "one.heddle", threads=1)(X, W, V)

    threads = [threading.Thread(target=churn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            assert heddle.load(path, engine="processes")(X, W, V)["y"].tobytes() == layers(X, W, V)["y"].tobytes()
    finally:
        done.set()
        for thread in threads:
            thread.join()


def perceptron():
    """x @ w1 + b1, a ReLU, @ w2."""
    def tensor(name, shape):
        return onnx.numpy_helper.from_array(np.random.default_rng(len(name)).uniform(-1, 1, shape).astype(np.float32), name)

    nodes = [onnx.helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]), onnx.helper.make_node("Relu", ["h"], ["r"]),
             onnx.helper.make_node("MatMul", ["r", "w2"], ["y"])]
    graph = onnx.helper.make_graph(nodes, "perceptron", [onnx.helper.make_tensor_value_info("x", 1, [4, 8])],
                                   [onnx.helper.make_tensor_value_info("y", 1, [4, 8])], [tensor("w1", (8, 16)), tensor("b1", (16,)), tensor("w2", (16, 8))])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


SHARDINGS = {"x": ("data", None), "w1": '[{}, {"model"}]', "w2": (("model",), None)}


def test_an_onnx_model(tmp_path):
    model = perceptron()
    one = heddle.load(heddle.compile(model, tmp_path / "one.heddle"))
    four = heddle.load(heddle.compile(model, tmp_path / "four.heddle", mesh="data=2,model=2", shardings=SHARDINGS))
    x = RANDOM.uniform(-1, 1, (4, 8)).astype(np.float32)
    np.testing.assert_allclose(four(x)["y"], one(x)["y"], rtol=1e-5, atol=1e-6)
    assert four.inputs[0].sharding == '[{"data"}, {}]'
    (tmp_path / "shardings.txt").write_text('# all of it\nx: [{"data"}, {}]\nw1: [{}, {"model"}]\nw2: [{"model"}, {}]\n')
    same = heddle.load(heddle.compile(model, tmp_path / "same.heddle", mesh="data=2,model=2", shardings=tmp_path / "shardings.txt"))
    assert same(x)["y"].tobytes() == four(x)["y"].tobytes()


@pytest.mark.parametrize("options, error, text", [
    ({"mesh": {"data": 2}}, heddle.CompileError, "an ONNX model does not say where its tensors lie"),
    ({"shardings": SHARDINGS}, heddle.CompileError, "--shard says how tensors lie over a mesh: add --mesh"),
    ({"mesh": "data", "shardings": SHARDINGS}, heddle.CompileError, '"data" is no mesh'),
    ({"mesh": {"data": 2}, "shardings": {"X": ("data", None)}}, heddle.CompileError, "is called 'X'; did you mean x?"),
    ({"mesh": {"data": "2"}}, TypeError, "mesh holds 'data': '2'; names of axes with numbers of devices are wanted"),
    ({"mesh": {"data": 2}, "shardings": {"x": 'data'}}, TypeError, "the sharding of 'x' is 'data'"),
    ({"mesh": {"data": 2}, "shardings": {"x": (2, None)}}, TypeError, r"the sharding of 'x' is \(2, None\)"),
    ({"mesh": {"data": 2}, "shardings": {"x": 2}}, TypeError, "the sharding of 'x' is 2"),
    ({"mesh": {"data": 2}, "shardings": {1: (None, "data")}}, TypeError, "shardings holds 1: .*; names of values are wanted"),
])
def test_refused_options(tmp_path, options, error, text):
    with pytest.raises(error, match=text):
        heddle.compile(perceptron(), tmp_path / "none.heddle", **options)
    assert not (tmp_path / "none.heddle").exists()


# jax has as many devices as it is told before it starts.
SHARDED = """
import os, sys
os.environ["XLA_FLAGS"], os.environ["JAX_PLATFORMS"] = "--xla_force_host_platform_device_count=4", "cpu"
import jax, jax.export, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import heddle

mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("data", "model"))
x, w, v = (np.random.default_rng(i).uniform(-1, 1, shape).astype(np.float32) for i, shape in enumerate(((6, 8), (8, 16), (16, 4))))
layers = jax.jit(lambda x, w, v: jnp.tanh(x @ w) @ v, out_shardings=NamedSharding(mesh, P("data", None)),
                 in_shardings=tuple(NamedSharding(mesh, P(*axes)) for axes in (("data", None), (None, "model"), ("model", None))))
by_hand = jax.jit(jax.shard_map(lambda x, w, v: jax.lax.psum(jnp.tanh(x @ w) @ v, "model"), mesh=mesh,
                                in_specs=(P("data", None), P(None, "model"), P("model", None)), out_specs=P("data", None)))
for number, function in enumerate((layers, by_hand)):
    expected = function(x, w, v)
    for kind, given in ("lowered", function.lower(x, w, v)), ("exported", jax.export.export(function)(x, w, v)):
        model = heddle.load(heddle.compile(given, os.path.join(sys.argv[1], f"{kind}{number}.heddle"), mesh={"data": 2, "model": 2}))
        name = model.outputs[0].name
        np.testing.assert_allclose(model(x, w, v)[name], expected, rtol=1e-5, atol=1e-6)
        parts = model(x, w, v, parts=[name])[name]
        for shard in expected.addressable_shards:
            np.testing.assert_allclose(parts[shard.device.id], shard.data, rtol=1e-5, atol=1e-6)
        assert model.outputs[0].sharding == '[{"data"}, {}]', model.outputs
print("equal")
"""


def test_what_jax_shards(tmp_path):
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, "-c", SHARDED, str(tmp_path)], capture_output=True, text=True)
    assert done.stdout == "equal\n", done.stderr
