"""The package end to end: a model made with onnx, compiled, loaded, called."""

import json
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


def test_phases(tmp_path):
    phases = []
    heddle.compile(perceptron().SerializeToString(), tmp_path / "phases.heddle", dims={"batch": 3}, on_phase=phases.append)
    assert phases[:2] == ["import", "graph"] and phases[-1] == "write"


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("at", ["graph", "dispatch", "weights"])
def test_cancelled_compilation_leaves_nothing(tmp_path, at, raised):
    def stop(phase):
        if phase == at:
            raise raised(phase)
    with pytest.raises(raised):
        heddle.compile(perceptron().SerializeToString(), tmp_path / "none.heddle", dims={"batch": 3}, on_phase=stop)
    assert list(tmp_path.iterdir()) == []


def test_memory_has_no_folder(tmp_path):
    model = perceptron()
    for tensor in model.graph.initializer:
        onnx.external_data_helper.set_external_data(tensor, "/etc/hostname")
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
    with pytest.raises(heddle.CompileError, match="a model in memory has no folder"):
        heddle.compile(model.SerializeToString(), tmp_path / "none.heddle", dims={"batch": 3})


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


def test_files_that_are_no_artifacts_stay(tmp_path):
    """As on the command line: they are replaced by force, and what is read never is."""
    model, precious = tmp_path / "model.onnx", tmp_path / "precious.txt"
    onnx.save(perceptron(), model)
    precious.write_text("precious")
    bytes_before = model.read_bytes()
    with pytest.raises(heddle.CompileError, match="precious.txt exists and is no artifact") as error:
        heddle.compile(model, precious, dims={"batch": 3})
    assert error.value.code == "HDL-0103" and precious.read_text() == "precious"
    for options in ({"model": model}, {"model": model, "force": True}, {"entries": {"main": model}, "force": True}):
        with pytest.raises(heddle.CompileError, match="the output would replace the model: name another file"):
            heddle.compile(output=model, dims={"batch": 3}, **options)
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(heddle.CompileError, match="the output would replace .*x.npy, which is read"):
        heddle.compile(model, tmp_path / "x.npy", binds={"x": tmp_path / "x.npy"}, force=True)
    assert model.read_bytes() == bytes_before and np.array_equal(np.load(tmp_path / "x.npy"), X)
    for force in True, False:
        heddle.load(heddle.compile(model, precious, dims={"batch": 3}, force=force))
    with pytest.raises(heddle.CompileError, match="cannot write '': the path is empty") as error:
        heddle.compile(model, "", dims={"batch": 3})
    assert error.value.code == "HDL-0104"


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


def test_products_are_rounded_where_asked_for(tmp_path):
    source = tmp_path / "product.mlir"
    source.write_text("func.func @main(%x: tensor<4x16xf32>, %w: tensor<16x4xf32>) -> tensor<4x4xf32> {\n"
                      "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>\n"
                      "  return %0 : tensor<4x4xf32>\n}")
    x, w = np.full((4, 16), 1 + 2.0**-9, np.float32), np.ones((16, 4), np.float32)
    for precision, product in ("", 16 + 2.0**-5), ("f16", 16 + 2.0**-5), ("bf16", 16):
        path = heddle.compile(source, tmp_path / "product.heddle", precision=precision)
        assert heddle.inspect(path)["provenance"].get("precision", "").startswith(precision)
        (found,) = heddle.load(path)(x, w).values()
        assert (found == product).all()
    with pytest.raises(heddle.CompileError, match="--precision is 'f8'"):
        heddle.compile(source, tmp_path / "product.heddle", precision="f8")


def test_weights_are_integers_where_asked_for(tmp_path):
    source = tmp_path / "product.mlir"
    source.write_text("func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x32xf32> {heddle.name = \"w\"}) -> tensor<1x32xf32> {\n"
                      "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>\n"
                      "  return %0 : tensor<1x32xf32>\n}")
    np.save(tmp_path / "w.npy", np.linspace(-8, 7.9, 64 * 32, dtype=np.float32).reshape(32, 64).T)
    found = {}
    for precision, byte_count in ("", 8192), ("w8a16", 2048 + 128), ("w4a16", 1024 + 128):
        path = heddle.compile(source, tmp_path / "product.heddle", precision=precision, binds={"w": tmp_path / "w.npy"})
        shown = heddle.inspect(path)
        assert shown["provenance"].get("precision", "").startswith(precision)
        assert shown["weight_bytes"] == byte_count
        (found[precision],) = heddle.load(path)(np.ones((1, 64), np.float32)).values()
    for precision, least, most in ("w8a16", 1e-5, 1e-2), ("w4a16", 1e-3, 0.5):
        assert least < np.abs(found[precision] - found[""]).max() / np.abs(found[""]).max() < most


def test_products_are_rounded_within_a_budget(tmp_path):
    source, policy, data = tmp_path / "products.mlir", tmp_path / "policy.txt", tmp_path / "x.npz"
    source.write_text("func.func @main(%x: tensor<4x16xf32> {heddle.name = \"x\"}) -> tensor<4x4xf32> {\n"
                      "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x4xf32> loc(\"square\")\n"
                      "  return %0 : tensor<4x4xf32>\n}")
    policy.write_text("square bf16 pin\n")
    x = np.random.default_rng(1).standard_normal((8, 4, 16)).astype(np.float32)
    np.savez(data, x=x)
    wishes = dict(precision="auto", calibration=data, precision_policy=policy)
    path = heddle.compile(source, tmp_path / "products.heddle", max_error=1e-2, **wishes)
    certificate = json.loads(heddle.inspect(path)["records"]["precision.certificate"])
    assert certificate["products"][0]["type"] == "bf16" and certificate["validation"]["count"] == 6
    (found,) = heddle.load(path)(x[1]).values()
    error = np.linalg.norm(found - x[1] @ x[1].T) / np.linalg.norm(x[1] @ x[1].T)
    assert np.isclose(error, certificate["validation"]["errors"][0], rtol=1e-3) and certificate["validation"]["samples"][0] == 1
    model = heddle.load(path, precision_tier="V")
    assert model.precision == "bf16 in 1 of 1 contractions and convolutions" and model.precision_tiers == "EV"
    rounded = heddle.compile(source, tmp_path / "rounded.heddle", precision="bf16")
    with pytest.raises(heddle.HeddleError, match="the program computes with bf16 in 1 of 1 .*, and its errors are not known in tier E, only in none: compile it with --precision auto"):
        heddle.load(rounded, precision_tier="E")
    plain = heddle.load(heddle.compile(source, tmp_path / "plain.heddle"), precision_tier="V")
    assert plain.precision == plain.precision_tiers == ""
    with pytest.raises(ValueError, match="precision_tier is 'P'; E or V is wanted"):
        heddle.load(path, precision_tier="P")
    with pytest.raises(heddle.CompileError, match="the error budget of 1e-06 cannot be met"):
        heddle.compile(source, tmp_path / "products.heddle", max_error=1e-6, error_metric="max-abs", **wishes)
    with pytest.raises(heddle.CompileError, match="give it --max-error VALUE"):
        heddle.compile(source, tmp_path / "products.heddle", precision="auto", max_error=1e-2)


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
    (X.astype(np.float16), "HDL-0805"),
    (X.astype(np.int32), "HDL-0805"),
    (X.astype(np.complex128), "HDL-0805"),
    (X[0], "HDL-0806"),
    (X[:2], "HDL-0807"),
])
def test_wrong_tensors_are_refused_by_name(artifact, wrong, code):
    with pytest.raises(heddle.HeddleError, match="x") as caught:
        heddle.load(artifact)(wrong)
    assert caught.value.code == code


def test_results_must_be_contiguous(artifact):
    with pytest.raises(heddle.HeddleError, match="output 'y'") as caught:
        heddle.load(artifact)(X, out={"y": np.empty((4, 3), np.float32).T})
    assert caught.value.code == "HDL-0809"


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


def test_numbers_of_default_types_are_converted(artifact):
    model = heddle.load(artifact)
    wanted = model(X)["y"]
    np.testing.assert_array_equal(model(X.tolist())["y"], wanted)
    np.testing.assert_array_equal(model(tuple(map(tuple, X.astype(float))))["y"], wanted)
    np.testing.assert_array_equal(model(X.astype(np.float64))["y"], wanted)
    np.testing.assert_array_equal(model(np.ones((3, 8), np.int64))["y"], model(np.ones((3, 8), np.float32))["y"])
    np.testing.assert_array_equal(model(X.astype(">f4"))["y"], wanted)


def test_strided_and_unaligned_arrays_are_copied(artifact):
    model = heddle.load(artifact)
    wanted = model(X)["y"]
    np.testing.assert_array_equal(model(np.asfortranarray(X))["y"], wanted)
    wide = np.zeros((3, 16), np.float32)
    wide[:, ::2] = X
    np.testing.assert_array_equal(model(wide[:, ::2])["y"], wanted)
    unaligned = np.frombuffer(b"\0" + X.tobytes(), np.float32, offset=1).reshape(X.shape)
    np.testing.assert_array_equal(model(unaligned)["y"], wanted)


def test_integers_are_converted_where_they_fit(tmp_path):
    (tmp_path / "small.mlir").write_text("""func.func @main(%x: tensor<3xi8> {heddle.name = "x"}) -> (tensor<3xi8> {heddle.name = "y"}) {
      %0 = stablehlo.add %x, %x : tensor<3xi8>
      return %0 : tensor<3xi8>
    }""")
    model = heddle.load(heddle.compile(tmp_path / "small.mlir", tmp_path / "small.heddle"))
    assert model([1, -2, 3])["y"].tolist() == [2, -4, 6]
    with pytest.raises(ValueError, match="input 'x' holds numbers that int8 does not: it goes from 1 to 300"):
        model([1, 300, 3])
    for wrong in [1.5, 2, 3], np.array([1.5, 2, 3], np.float32):
        with pytest.raises(heddle.HeddleError, match="'x' has type f"):
            model(wrong)


@pytest.mark.parametrize("wrong, message", [
    ("text", "input 'x' is given a str; an array of f32, or a list of numbers, is wanted"),
    ([["a"] * 8] * 3, "input 'x' is given a list"),
    ([[1.0], [1.0, 2.0]], "input 'x' is given a list"),
    (None, "input 'x' is given a NoneType"),
    (np.full((3, 8), None), "input 'x' is given a ndarray"),
])
def test_what_is_no_array_is_refused_in_a_sentence(artifact, wrong, message):
    with pytest.raises(TypeError) as caught:
        heddle.load(artifact)(wrong)
    assert message in str(caught.value)


def test_wrong_options_are_refused_in_a_sentence(tmp_path, artifact):
    model = heddle.load(artifact)
    for timeout in "1", -1, float("nan"):
        with pytest.raises(ValueError, match="timeout is .*; seconds from 0, or None, are wanted"):
            model(X, timeout=timeout)
    for threads in "2", -1, 5000, 1.5:
        with pytest.raises(ValueError, match="threads is .*; a number from 1 to 4096"):
            heddle.load(artifact, threads=threads)
    with pytest.raises(TypeError, match="dims is a list; a dictionary such as"):
        heddle.compile(perceptron(), tmp_path / "a.heddle", dims=["batch=3"])
    with pytest.raises(TypeError, match=r"dimension 'batch' is \(1, 2, 3\); a size, or a range"):
        heddle.compile(perceptron(), tmp_path / "a.heddle", dims={"batch": (1, 2, 3)})
    with pytest.raises(TypeError, match="targets holds 3; names are wanted"):
        heddle.compile(perceptron(), tmp_path / "a.heddle", targets=[3])
    with pytest.raises(TypeError, match="output 'y' is given a list; an array to write to is wanted"):
        model(X, out={"y": [0.0] * 12})


def test_paths_are_whole(tmp_path, artifact):
    cut = f"{artifact}\0.backup"
    for use in (heddle.load, heddle.inspect, lambda path: heddle.compile(path, tmp_path / "a.heddle"), lambda path: heddle.compile(perceptron(), path),
                lambda path: heddle.compile(perceptron(), tmp_path / "a.heddle", binds={"x": path}), lambda path: heddle.load(os.fsencode(path))):
        with pytest.raises(ValueError, match="a path cannot hold a NUL"):
            use(cut)
    with pytest.raises(ValueError, match="an option holds a NUL"):
        heddle.compile(perceptron(), tmp_path / "a.heddle", dims={"batch": 3, "b\0": 1})
    # Names need not be UTF-8.
    odd = os.path.join(os.fsencode(tmp_path), b"odd\xff.heddle")
    with open(odd, "wb") as file:
        file.write(artifact.read_bytes())
    heddle.load(odd)(X)
    heddle.load(os.fsdecode(odd))(X)


def test_onnx_models_and_ranges_are_taken(tmp_path):
    for dims in {"batch": (1, 5)}, {"batch": "1..5"}:
        model = heddle.load(heddle.compile(perceptron(), tmp_path / "open.heddle", dims=dims))
        assert repr(model.inputs[0]) == "x: f32[1..5, 8]"
    np.testing.assert_allclose(model(X)["y"], expected(X), rtol=1e-5, atol=1e-5)
    model = heddle.load(heddle.compile(perceptron(), tmp_path / "open.heddle", shapes={"x": ((2, 6), 8)}))
    assert repr(model.inputs[0]) == "x: f32[2..6, 8]"


def test_targets_are_a_list_or_stand_between_commas(tmp_path):
    def targets_of(**options):
        path = heddle.compile(perceptron(), tmp_path / "some.heddle", dims={"batch": 3}, **options)
        return [target["name"] for target in heddle.inspect(path)["targets"]]
    assert targets_of(targets="x86-64-v3") == ["x86-64-v3"]
    assert targets_of(targets="x86-64-v3,x86-64-v4") == ["x86-64-v3", "x86-64-v4"] == targets_of(targets=["x86-64-v4", "x86-64-v3"])
    assert targets_of() == targets_of(targets="") == targets_of(targets=())
    for wrong, message in {"x86-64-v3,x86-64-v5": 'no target "x86-64-v5"; did you mean', "x86-64-v3,": 'no target ""', ("x86-64-v3,x86-64-v4",): 'no target "x86-64-v3,'}.items():
        with pytest.raises(heddle.HeddleError, match=f"{message}.*HDL-0110"):
            targets_of(targets=wrong)


def test_results_are_not_written_where_that_is_forbidden(artifact):
    model, out = heddle.load(artifact), np.zeros((3, 4), np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="output 'y' cannot be written to: the array is read-only"):
        model(X, out={"y": out})
    assert not out.any()


def test_results_reuse_memory_that_nobody_holds(tmp_path):
    (tmp_path / "large.mlir").write_text("""func.func @main(%x: tensor<1000000xf32>) -> (tensor<1000000xf32> {heddle.name = "y"}) {
      %0 = stablehlo.add %x, %x : tensor<1000000xf32>
      return %0 : tensor<1000000xf32>
    }""")
    model = heddle.load(heddle.compile(tmp_path / "large.mlir", tmp_path / "large.heddle"))
    x = np.arange(1000000, dtype=np.float32)

    def address(array):
        return array.__array_interface__["data"][0]

    # What is held is left alone, be it through a view.
    first, second = model(x)["y"], model(x + 1)["y"][10:20]
    third = model(x + 2)["y"]
    assert len({address(first), address(second) - 40, address(third)}) == 3
    np.testing.assert_array_equal(first, 2 * x)
    assert second[0] == 22
    # What is not, serves again; also after the model is gone.
    places = set()
    for _ in range(20):
        places.add(address(model(x)["y"]))
    assert len(places) == 1
    del model
    np.testing.assert_array_equal(third, 2 * (x + 2))


def test_messages_that_are_no_utf8_are_told():
    with pytest.raises(heddle.HeddleError, match="nope\ufffd.heddle") as error:
        heddle.load(b"nope\xff.heddle")
    assert error.value.code == "HDL-0701"
