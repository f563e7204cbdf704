"""The package end to end: a model made with onnx, compiled, loaded, called."""

import os
import subprocess
import sys
import threading

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import heddle


def perceptron() -> onnx.ModelProto:
    random = np.random.default_rng(0)
    weights = [random.standard_normal(shape).astype(np.float32) for shape in ((8, 16), (16,), (16, 4), (4,))]
    nodes = [helper.make_node("Gemm", ["x", "w0", "b0"], ["h"], name="hidden"), helper.make_node("Relu", ["h"], ["r"], name="relu"),
             helper.make_node("Gemm", ["r", "w1", "b1"], ["y"], name="out")]
    graph = helper.make_graph(
        nodes, "perceptron", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])],
        [numpy_helper.from_array(value, name) for value, name in zip(weights, ("w0", "b0", "w1", "b1"))])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def expected(x: np.ndarray) -> np.ndarray:
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in perceptron().graph.initializer}
    return np.maximum(x @ values["w0"] + values["b0"], 0) @ values["w1"] + values["b1"]


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    onnx.save(perceptron(), folder / "perceptron.onnx")
    return heddle.compile(folder / "perceptron.onnx", folder / "perceptron.heddle", dims={"batch": 3})


X = np.random.default_rng(1).standard_normal((3, 8)).astype(np.float32)


def test_call_by_position_and_by_name(artifact):
    model = heddle.load(artifact)
    assert [(info.name, info.dtype, info.shape) for info in model.inputs] == [("x", "f32", [3, 8])]
    np.testing.assert_allclose(model(X)["y"], expected(X), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(model(x=X)["y"], model(X)["y"])


def test_compile_bytes(tmp_path, artifact):
    path = heddle.compile(perceptron().SerializeToString(), tmp_path / "bytes.heddle", dims={"batch": 3})
    np.testing.assert_array_equal(heddle.load(path)(X)["y"], heddle.load(artifact)(X)["y"])


def elementwise(operation: str, extent: int, weights: str = "") -> str:
    constant = f"dense<{weights}>" if weights else "dense<2.0>"
    return f"""func.func @main(%x: tensor<{extent}xf32>) -> tensor<{extent}xf32> {{
      %c = stablehlo.constant {constant} : tensor<{extent}xf32>
      %0 = stablehlo.{operation} %x, %c : tensor<{extent}xf32>
      return %0 : tensor<{extent}xf32>
    }}"""


def test_equal_bytes_whatever_was_compiled_before(tmp_path):
    """A process keeps what it has set up for small programs, but nothing of a program."""
    programs = {
        "add": elementwise("add", 7),
        "power": elementwise("power", 40),
        # Weights have names of their own.
        "weights": elementwise("multiply", 600, str([number / 8 for number in range(600)])),
    }
    for name, text in programs.items():
        (tmp_path / f"{name}.mlir").write_text(text)
    (tmp_path / "wrong.mlir").write_text(elementwise("add", 7).replace("7xf32", "8xf32", 1))
    compile_one = "import sys, heddle; heddle.compile(*sys.argv[1:3])"
    alone = {}
    for name in programs:
        subprocess.run([sys.executable, "-c", compile_one, tmp_path / f"{name}.mlir", tmp_path / "alone.heddle"], check=True)
        alone[name] = (tmp_path / "alone.heddle").read_bytes()
    for name in ["add", "power", "add", "wrong", "add", "weights", "weights", "power", *["add"] * 20, "power"]:
        if name == "wrong":
            with pytest.raises(heddle.CompileError):
                heddle.compile(tmp_path / "wrong.mlir", tmp_path / "wrong.heddle")
            continue
        heddle.compile(tmp_path / f"{name}.mlir", tmp_path / "here.heddle")
        assert (tmp_path / "here.heddle").read_bytes() == alone[name], name


def test_threads_and_forks_compile(tmp_path):
    (tmp_path / "add.mlir").write_text(elementwise("add", 7))

    def compile_here(name):
        heddle.compile(tmp_path / "add.mlir", tmp_path / f"{name}.heddle")

    compile_here("first")
    threads = [threading.Thread(target=compile_here, args=(f"thread{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            compile_here("child")
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    bytes_of = {path.name: path.read_bytes() for path in tmp_path.glob("*.heddle")}
    assert len(bytes_of) == 6
    assert len(set(bytes_of.values())) == 1


def test_each_call_chooses_sizes_up_to_a_bound(tmp_path):
    onnx.save(perceptron(), tmp_path / "perceptron.onnx")
    model = heddle.load(heddle.compile(tmp_path / "perceptron.onnx", tmp_path / "open.heddle", dims={"batch": "0..5"}))
    assert repr(model.inputs[0]) == "x: f32[0..5, 8]"
    rows = np.random.default_rng(2).standard_normal((5, 8)).astype(np.float32)
    for batch in (5, 1, 3, 0, 5):
        y = model(rows[:batch])["y"]
        assert y.shape == (batch, 4)
        np.testing.assert_allclose(y, expected(rows[:batch]), rtol=1e-5, atol=1e-5)
    with pytest.raises(heddle.HeddleError, match="'x'.*6"):
        model(np.zeros((6, 8), np.float32))


def test_results_go_where_the_caller_says(artifact):
    model, out = heddle.load(artifact), np.empty((3, 4), np.float32)
    assert model(X, out={"y": out})["y"] is out
    np.testing.assert_allclose(out, expected(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float64"])
def test_every_type_of_numpy_goes_in_and_out(tmp_path, name):
    element = "i1" if name == "bool" else name.replace("int", "i").replace("float", "f")
    (tmp_path / "both.mlir").write_text(f"""func.func @main(%x: tensor<3x{element}> {{heddle.name = "x"}}) -> (tensor<3x{element}> {{heddle.name = "y"}}) {{
      %0 = stablehlo.maximum %x, %x : tensor<3x{element}>
      return %0 : tensor<3x{element}>
    }}""")
    model = heddle.load(heddle.compile(tmp_path / "both.mlir", tmp_path / "both.heddle"))
    x = np.array([0, 1, 1], name)
    y = model(x)["y"]
    assert y.dtype == x.dtype and y.tolist() == x.tolist()


def test_donated_input_is_updated_in_place(tmp_path):
    text = """func.func @main(%c: tensor<4x2xf32> {tf.aliasing_output = 0 : i32, heddle.name = "cache"}, %u: tensor<1x2xf32>, %i: tensor<i32>)
        -> (tensor<4x2xf32> {heddle.name = "next"}) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dynamic_update_slice %c, %u, %i, %z
        : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }"""
    (tmp_path / "update.mlir").write_text(text)
    model = heddle.load(heddle.compile(tmp_path / "update.mlir", tmp_path / "update.heddle"))
    cache, row = np.zeros((4, 2), np.float32), np.array([[1, 2]], np.float32)
    fresh = model(cache, row, np.array(2, np.int32))["next"]
    assert not cache.any() and fresh[2].tolist() == [1, 2]
    for i in range(4):
        assert model(cache, row, np.array(i, np.int32), out={"next": cache})["next"] is cache
    assert cache.tolist() == [[1, 2]] * 4


def test_subnormal_numbers_are_flushed_where_asked_for(tmp_path):
    source = tmp_path / "product.mlir"
    source.write_text("func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {\n"
                      "  %0 = stablehlo.multiply %x, %x : tensor<40xf32>\n  return %0 : tensor<40xf32>\n}")
    x = np.full(40, 2.0**-70, np.float32)
    for flush, bits in (False, 512), (True, 0):
        path = heddle.compile(source, tmp_path / "product.heddle", flush_subnormals=flush)
        assert heddle.inspect(path)["flushes_subnormals"] == flush
        (product,) = heddle.load(path)(x).values()
        assert set(product.view(np.uint32)) == {bits}


def test_read_only_inputs_are_taken(artifact):
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_allclose(heddle.load(artifact)(x)["y"], expected(X), rtol=1e-5, atol=1e-5)


def test_anything_with_dlpack_is_taken(artifact):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    np.testing.assert_allclose(heddle.load(artifact)(Tensor(X))["y"], expected(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("wrong, code", [
    (X.astype(np.float64), "HDL-0805"),
    (X[0], "HDL-0806"),
    (X[:2], "HDL-0807"),
    (np.asfortranarray(X), "HDL-0809"),
])
def test_wrong_tensors_are_refused_by_name(artifact, wrong, code):
    with pytest.raises(heddle.HeddleError, match="x") as caught:
        heddle.load(artifact)(wrong)
    assert caught.value.code == code


def test_wrong_names_are_refused(artifact):
    model = heddle.load(artifact)
    with pytest.raises(TypeError, match="'x' is missing"):
        model()
    with pytest.raises(TypeError, match="no input 'z'"):
        model(z=X)
    with pytest.raises(TypeError, match="2 inputs given"):
        model(X, X)


def test_threads_take_turns(artifact):
    model = heddle.load(artifact)
    results = {}

    def work(number):
        for _ in range(50):
            results[number] = model(X + number)["y"]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in results.items():
        np.testing.assert_allclose(result, expected(X + number), rtol=1e-4, atol=1e-4)


def test_inspect(artifact):
    document = heddle.inspect(artifact)
    assert document["kind"] == "artifact"
    assert document["entries"][0]["inputs"] == [{"name": "x", "dtype": "f32", "shape": [3, 8]}]
    assert {target["name"] for target in document["targets"]} >= {"x86-64-v3"}


def test_errors_name_the_nodes(tmp_path):
    model = perceptron()
    model.graph.node[1].op_type = "NoSuchOperator"
    with pytest.raises(heddle.CompileError) as caught:
        heddle.compile(model.SerializeToString(), tmp_path / "a.heddle", dims={"batch": 3})
    assert caught.value.code == "HDL-0203"
    assert "NoSuchOperator" in str(caught.value)
    assert not (tmp_path / "a.heddle").exists()


def test_damaged_artifacts_are_refused(tmp_path, artifact):
    damaged = bytearray(artifact.read_bytes())
    damaged[200] ^= 1
    (tmp_path / "damaged.heddle").write_bytes(damaged)
    with pytest.raises(heddle.HeddleError) as caught:
        heddle.load(tmp_path / "damaged.heddle")
    assert caught.value.code.startswith("HDL-07")
