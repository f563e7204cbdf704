#!/usr/bin/env python3
"""Writes golden/: what a release of JAX exported, with inputs and the numbers that JAX itself computed.

    make_golden.py FOLDER

Run once for a release that is worth keeping; what is there stays, whatever JAX is installed. Each function is written as the result of
jax.export for every calling convention that the release knows (NAME.JAX-cVERSION.bin), and as a portable artifact for several versions of
StableHLO (NAME.JAX-vVERSION.mlirbc).
"""

import inspect
import pathlib
import sys

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
from jax._src import config
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = ("0.9.0", "1.0.0", "1.9.0")
random = np.random.default_rng(7)


def values(*shape):
    return random.standard_normal(shape).astype(np.float32)


def perceptron(x, w, b):
    return jnp.tanh(x @ w + b), jax.grad(lambda w: jnp.sum(jax.nn.gelu(x @ w + b)))(w)


def factors(a):
    positive = a @ a.T + 3 * jnp.eye(a.shape[0])
    return jnp.linalg.cholesky(positive), jnp.linalg.eigvalsh(positive), jnp.abs(jnp.linalg.qr(a)[1])


def loop(x, n):
    return jax.lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, jnp.sin(s[1]) + x), (jnp.int32(0), x))[1], jnp.cumsum(x)


def chosen(x):
    return jax.lax.top_k(x, 3), jnp.sort(x)[:, ::2], jnp.argmax(x, axis=1)


def half(x, w):
    key = jax.random.wrap_key_data(jnp.array([3, 4], jnp.uint32))
    return jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32), jax.random.uniform(key, (5,))


FUNCTIONS = {"perceptron": (perceptron, (values(3, 4), values(4, 5), values(5))), "factors": (factors, (values(4, 4),)),
             "loop": (loop, (values(6), np.int32(7))), "chosen": (chosen, (values(2, 9),)), "half": (half, (values(3, 8), values(8, 2)))}


def main():
    folder = pathlib.Path(sys.argv[1])
    jax.config.update("jax_traceback_in_locations_limit", 0)  # no paths of the machine that runs this
    for name, (function, inputs) in FUNCTIONS.items():
        jitted = jax.jit(function)
        results = jax.tree_util.tree_leaves_with_path(jitted(*inputs))
        np.savez(folder / f"{name}.inputs.npz", **dict(zip(inspect.signature(function).parameters, inputs)))
        np.savez(folder / f"{name}.outputs.npz", **{"result" + jax.tree_util.keystr(path): np.asarray(value) for path, value in results})
        low, high = jax.export.minimum_supported_calling_convention_version, jax.export.maximum_supported_calling_convention_version
        for version in range(low, high + 1):
            with config.jax_export_calling_convention_version(version):
                exported = jax.export.export(jitted)(*inputs)
            (folder / f"{name}.{jax.__version__}-c{version}.bin").write_bytes(exported.serialize())
        with mlir.make_ir_context():
            text = ir.Module.parse(exported.mlir_module())
            for version in VERSIONS:
                try:
                    artifact = stablehlo.serialize_portable_artifact(text, version)
                except Exception:  # noqa: BLE001 that version lacks an operation
                    continue
                (folder / f"{name}.{jax.__version__}-v{version}.mlirbc").write_bytes(artifact)


if __name__ == "__main__":
    main()
