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
