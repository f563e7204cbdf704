"""Functions of Python's that models call."""

import gc
import threading
import weakref

import numpy as np
import pytest

import heddle

PROGRAM = """
func.func @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32> {heddle.name = "y"}, tensor<i64> {heddle.name = "count"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2x3xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %w = stablehlo.custom_call @scale(%v) {api_version = 4 : i32, backend_config = {factor = 2.0 : f32, names = ["a", "b"], on = true}}
        : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<2x3xf32>
    }
  %c:2 = stablehlo.custom_call @count(%r#1) {backend_config = "how many", has_side_effect = true} : (tensor<2x3xf32>) -> (tensor<i64>, tensor<0xui8>)
  return %r#1, %c#0 : tensor<2x3xf32>, tensor<i64>
}"""
X = np.array([[-1, 2, 3], [0, 0.5, -4]], np.float32)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "calls.mlir"
    path.write_text(PROGRAM)
    return heddle.compile(path, path.with_suffix(".heddle"), custom_calls=["scale", "count"])


def scale(x, *, factor, names, on):
    assert isinstance(x, np.ndarray) and x.dtype == np.float32 and x.shape == (2, 3)
    assert names == ["a", "b"] and on is True
    return (x * factor).astype(np.float32)


def count(x, backend_config):
    assert backend_config == "how many"
    return np.array((x > 0).sum(), np.int64), np.zeros(0, np.uint8)


def test_functions_are_called(artifact):
    for threads in (1, 2):
        model = heddle.load(artifact, threads=threads, custom_calls={"scale": scale, "count": count})
        results = model(X, np.array(3, np.int32))
        np.testing.assert_array_equal(results["y"], 8 * X)
        assert results["count"] == 3


def test_arguments_may_be_kept(artifact):
    kept = []
    model = heddle.load(artifact, custom_calls={"scale": lambda x, **_: kept.append(x) or x + 1, "count": count})
    model(X, np.array(3, np.int32))
    del model
    for number, array in enumerate(kept):
        np.testing.assert_array_equal(array, X + number)


def test_undeclared_calls_are_refused(tmp_path):
    (tmp_path / "calls.mlir").write_text(PROGRAM)
    with pytest.raises(heddle.CompileError, match="custom call 'scale' is not known.*|.*--custom-call") as caught:
        heddle.compile(tmp_path / "calls.mlir", tmp_path / "calls.heddle", custom_calls=["count"])
    assert caught.value.code == "HDL-0308"


def test_missing_functions_are_named(artifact):
    with pytest.raises(heddle.HeddleError, match="calls 'scale', which") as caught:
        heddle.load(artifact, custom_calls={"count": count})
    assert caught.value.code == "HDL-0715"
    with pytest.raises(TypeError, match="custom call 'scale' is given a int"):
        heddle.load(artifact, custom_calls={"scale": 3, "count": count})


def test_a_function_that_calls_its_own_model_is_told(artifact):
    for threads in (1, 2):
        model = heddle.load(artifact, threads=threads, custom_calls={"scale": lambda x, **_: model(x, np.array(0, np.int32))["y"], "count": count})
        with pytest.raises(heddle.HeddleError, match="a custom call calls the model that it is called by") as caught:
            model(X, np.array(1, np.int32))
        assert caught.value.__cause__.code == "HDL-0817"
        # Without the inner call the model works, and so does another one inside of it.
        np.testing.assert_array_equal(model(X, np.array(0, np.int32))["y"], X)
        other = heddle.load(artifact, custom_calls={"scale": scale, "count": count})
        outer = heddle.load(artifact, threads=threads, custom_calls={"scale": lambda x, **_: other(x, np.array(1, np.int32))["y"], "count": count})
        np.testing.assert_array_equal(outer(X, np.array(2, np.int32))["y"], 4 * X)


def test_a_model_that_its_functions_hold_is_collected(artifact):
    model = heddle.load(artifact, custom_calls={"scale": lambda x, **_: x * len(model.inputs), "count": count})
    model(X, np.array(1, np.int32))
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_what_a_function_raises_is_the_cause(artifact):
    def broken(x, **attributes):
        raise LookupError("no such scale")

    model = heddle.load(artifact, custom_calls={"scale": broken, "count": count})
    with pytest.raises(heddle.HeddleError, match="custom call 'scale'.*LookupError: no such scale") as caught:
        model(X, np.array(1, np.int32))
    assert caught.value.code == "HDL-0821" and isinstance(caught.value.__cause__, LookupError)
    # And the model is as good as before.
    assert model(X, np.array(0, np.int32))["count"] == 3


class Speechless(Exception):
    def __str__(self):
        raise ValueError("no text")


class Interrupting(Exception):
    def __str__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize("error, said", [
    (LookupError("\ud800 and more"), r"LookupError: \? and more"), (LookupError("a" + "\u00e9" * 600), "LookupError: a\u00e9{150}"),
    (Speechless(), r"Speechless: \(its __str__ gives no text\)"), (Interrupting(), r"Interrupting: \(its __str__ gives no text\)"),
])
def test_whatever_a_function_raises_is_told(artifact, error, said):
    def broken(x, **attributes):
        raise error

    model = heddle.load(artifact, custom_calls={"scale": broken, "count": count})
    for call in model, lambda *arguments: model.submit(*arguments).result():
        with pytest.raises(heddle.HeddleError, match=f"custom call 'scale'.*{said}") as caught:
            call(X, np.array(1, np.int32))
        assert caught.value.code == "HDL-0821" and caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt("now"), SystemExit(3), GeneratorExit()])
@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_to_end_more_than_a_call_is_raised_as_it_is(artifact, error, threads):
    def broken(x, **attributes):
        raise error

    model = heddle.load(artifact, threads=threads, custom_calls={"scale": broken, "count": count})
    submitted = model.submit(X, np.array(1, np.int32))
    for call in lambda: model(X, np.array(1, np.int32)), submitted.result, submitted.result:
        with pytest.raises(type(error)) as caught:
            call()
        assert caught.value is error and "broken" in [entry.name for entry in caught.traceback]
    # And the model is as good as before.
    assert model(X, np.array(0, np.int32))["count"] == 3


@pytest.mark.parametrize("wrong, message", [
    (lambda x, **_: x.astype(np.float64), r"gave float64\[2, 3\] as result 0, the model wants float32\[2, 3\]"),
    (lambda x, **_: x[0], r"gave float32\[3\] as result 0"),
    (lambda x, **_: None, "gave 0 results, the model wants 1"),
    (lambda x, **_: (x, x), "gave 2 results, the model wants 1"),
    (lambda x: x, "unexpected keyword argument"),
])
def test_wrong_results_are_refused(artifact, wrong, message):
    model = heddle.load(artifact, custom_calls={"scale": wrong, "count": count})
    with pytest.raises(heddle.HeddleError, match=message):
        model(X, np.array(1, np.int32))


def test_threads(artifact):
    errors = []

    def work(number):
        model = heddle.load(artifact, threads=2, custom_calls={"scale": lambda x, **_: x + np.float32(number), "count": count})
        for _ in range(50):
            if not np.array_equal(model(X, np.array(2, np.int32))["y"], X + 2 * number):
                errors.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_inspect(artifact):
    calls = {call["name"]: call for call in heddle.inspect(artifact)["custom_calls"]}
    assert calls["scale"]["attributes"] == {"factor": 2.0, "names": ["a", "b"], "on": True}
    assert calls["count"]["results"] == [{"dtype": "i64", "shape": []}, {"dtype": "ui8", "shape": [0]}]
    assert calls["count"]["side_effect"] and calls["count"]["backend_config"] == "how many"


def test_jax_foreign_functions(tmp_path):
    jax = pytest.importorskip("jax")
    export = pytest.importorskip("jax.export")

    def program(x):
        y = jax.ffi.ffi_call("scale", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, factor=np.float32(2), names="a", on=True)
        return jax.numpy.sin(y) + x

    exported = export.export(jax.jit(program), disabled_checks=[export.DisabledSafetyCheck.custom_call("scale")])(X)
    path = heddle.compile(exported, tmp_path / "jax.heddle", custom_calls=["scale"])
    model = heddle.load(path, custom_calls={"scale": lambda x, factor, names, on: (x * factor).astype(np.float32)})
    np.testing.assert_allclose(list(model(X).values())[0], np.sin(2 * X) + X, rtol=1e-6, atol=1e-6)
