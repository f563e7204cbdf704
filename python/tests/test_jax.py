"""Functions of jax, lowered and exported, through heddle."""

import numpy as np
import pytest

import heddle

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")
export = pytest.importorskip("jax.export")


def dense(x, parameters):
    return {"y": jnp.tanh(x @ parameters["w"] + parameters["b"]), "total": x.sum()}


RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((3, 8)).astype(np.float32)
PARAMETERS = {"w": RANDOM.standard_normal((8, 4)).astype(np.float32), "b": RANDOM.standard_normal(4).astype(np.float32)}


def check(artifact):
    model = heddle.load(artifact)
    # jax flattens dictionaries in the order of their keys, for arguments and results.
    results = list(model(X, PARAMETERS["b"], PARAMETERS["w"]).values())
    np.testing.assert_allclose(results[0], X.sum(), rtol=1e-5)
    np.testing.assert_allclose(results[1], np.tanh(X @ PARAMETERS["w"] + PARAMETERS["b"]), rtol=1e-5, atol=1e-6)


def test_lowered(tmp_path):
    check(heddle.compile(jax.jit(dense).lower(X, PARAMETERS), tmp_path / "lowered.heddle"))


def test_exported(tmp_path):
    exported = export.export(jax.jit(dense))(X, PARAMETERS)
    check(heddle.compile(exported, tmp_path / "exported.heddle"))


def test_exported_bytes(tmp_path):
    exported = export.export(jax.jit(dense))(X, PARAMETERS)
    check(heddle.compile(bytes(exported.serialize()), tmp_path / "bytes.heddle"))


def test_errors_name_the_function(tmp_path):
    with pytest.raises(TypeError, match="a jax.stages.Lowered, a jax.export.Exported"):
        heddle.compile(dense, tmp_path / "function.heddle")


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_householder_multiplication(tmp_path, left, transpose):
    a = (RANDOM.standard_normal((2, 5, 3)) + 1j * RANDOM.standard_normal((2, 5, 3))).astype(np.complex64)
    c = RANDOM.standard_normal((2, 5, 4) if left else (2, 4, 5)).astype(np.complex64)

    def multiply(a, c):
        reflectors, taus = jnp.linalg.qr(a, mode="raw")
        return jax.lax.linalg.ormqr(reflectors.mT, taus, c, left=left, transpose=transpose)

    model = heddle.load(heddle.compile(jax.jit(multiply).lower(a, c), tmp_path / "multiply.heddle"))
    np.testing.assert_allclose(list(model(a, c).values())[0], jax.jit(multiply)(a, c), rtol=1e-5, atol=1e-5)


def test_singular_values_by_qr(tmp_path):
    def values(a):
        return jax.lax.linalg.svd(a, compute_uv=False, algorithm=jax.lax.linalg.SvdAlgorithm.QR)

    model = heddle.load(heddle.compile(jax.jit(values).lower(X), tmp_path / "values.heddle"))
    np.testing.assert_allclose(list(model(X).values())[0], jax.jit(values)(X), rtol=1e-5)


def test_arrays_of_jax_are_taken_but_never_written_to(tmp_path):
    def increment(x):
        return {"y": x + 1}

    model = heddle.load(heddle.compile(jax.jit(increment).lower(X), tmp_path / "increment.heddle"))
    (name,) = [info.name for info in model.outputs]
    np.testing.assert_array_equal(model(jnp.asarray(X))[name], X + 1)
    np.testing.assert_array_equal(model(jnp.asarray(X.T).T)[name], X + 1)
    out = jnp.zeros_like(X)
    with pytest.raises(ValueError, match="cannot be written to: a ArrayImpl is immutable"):
        model(X, out={name: out})
    assert not out.any()
