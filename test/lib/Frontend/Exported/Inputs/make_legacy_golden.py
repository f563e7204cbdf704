#!/usr/bin/env python3
"""Adds to golden/ what an older release of JAX exported, from 0.4.18 on: calls as they were written then.

    make_legacy_golden.py FOLDER

Each function is written as the result of export (NAME.JAX.bin) where the release can serialize that, else as its portable artifact
(NAME.JAX.mlirbc). Inputs and results, by position, are those of the first release that was run; the others must agree with them. What is unique
up to a sign or an order only, such as eigenvectors, is made unique by the function itself.
"""

import pathlib
import sys

import jax

jax.config.update("jax_enable_x64", True)
# No paths of the machine that runs this.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

try:
    from jax import export
except ImportError:
    from jax.experimental import export

    if not hasattr(export, "export"):
        from jax.experimental.export import export

random = np.random.default_rng(11)
UNGUARANTEED = [f"lapack_{letter}{name}" for letter in "sdcz" for name in ("getrf", "gehrd", "sytrd", "hetrd")]


def adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def solvers(a, c, b):
    positive = a @ a.T + 3 * jnp.eye(3)
    hermitian = c @ adjoint(c) + 3 * jnp.eye(3)
    lower = jnp.linalg.cholesky(positive)
    r = jnp.linalg.qr(c, mode="r")
    return (lower, jnp.linalg.cholesky(hermitian), lax.linalg.lu(a)[:2], jnp.linalg.solve(c, b + 0j), jnp.abs(r),
            lax.linalg.triangular_solve(lower, b, left_side=True, lower=True, transpose_a=True),
            lax.linalg.triangular_solve(r, b.T + 0j, left_side=False, transpose_a=True, conjugate_a=True),
            lax.linalg.triangular_solve(lower.T, b, left_side=True, unit_diagonal=True))


def spectra(a, c):
    w, v = jnp.linalg.eigh(a + a.T)
    x, y = jnp.linalg.eigh(c + adjoint(c), UPLO="U")
    u, s, h = jnp.linalg.svd(a[:, :2], full_matrices=False)
    whole = jnp.linalg.svd(c[:, :2], full_matrices=True)
    e, f = jnp.linalg.eig(a)
    g, k = jnp.linalg.eig(c)
    t, z = jax.scipy.linalg.schur(a)
    return (w, jnp.abs(v), x, jnp.abs(y), (u * s) @ h, jnp.abs(whole[0][:, 2]), jnp.linalg.svd(c, compute_uv=False), a @ f - f * e, jnp.sum(e),
            c @ k - k * g, jnp.sum(g * g), z @ t @ z.T, jnp.abs(lax.linalg.hessenberg(a)[0]), lax.linalg.tridiagonal(a + a.T, lower=False))


def waves(x, z):
    return jnp.fft.fft2(z), jnp.fft.ifftn(z), jnp.fft.rfft(x), jnp.fft.irfft(z, n=6)


def batches(a):
    positive = a @ adjoint(a) + 3 * jnp.eye(3)
    bits = lax.rng_bit_generator(jnp.array([1, 2, 3, 4], jnp.uint32), (2 * a.shape[0],), dtype=jnp.uint32, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY)[1]
    return jnp.linalg.cholesky(positive), jnp.linalg.eigvalsh(positive), lax.top_k(a, 2), jax.scipy.special.erf(a), jnp.fft.rfft(a), bits


def values(*shape):
    return random.standard_normal(shape)


SQUARES = (values(3, 3), values(3, 3) + 1j * values(3, 3))
FUNCTIONS = {"solvers": (solvers, SQUARES + (values(3, 2),)), "spectra": (spectra, SQUARES),
             "waves": (waves, (values(2, 5), values(2, 4) + 1j * values(2, 4))), "batches": (batches, (values(2, 3, 3),))}
# Of the first argument; the others are as they are.
SYMBOLIC = {"batches": "b, 3, 3"}


def specify(name, inputs):
    if name not in SYMBOLIC:
        return inputs
    if hasattr(export, "symbolic_args_specs"):
        return export.symbolic_args_specs(inputs, (SYMBOLIC[name],))
    specs = getattr(export, "args_specs", None) or export.poly_specs
    return specs(inputs, (SYMBOLIC[name],))


def store(file, arrays):
    """Writes the arrays, or compares them with what is there."""
    if file.exists():
        known = np.load(file)
        assert len(known.files) == len(arrays)
        for i, array in enumerate(arrays):
            np.testing.assert_allclose(array, known[str(i)], rtol=1e-9, atol=1e-9)
    else:
        np.savez(file, **{str(i): np.asarray(array) for i, array in enumerate(arrays)})


def main():
    folder = pathlib.Path(sys.argv[1])
    checks = [export.DisabledSafetyCheck.custom_call(target) for target in UNGUARANTEED]
    for name, (function, inputs) in FUNCTIONS.items():
        jitted = jax.jit(function)
        store(folder / f"{name}.inputs.npz", inputs)
        store(folder / f"{name}.outputs.npz", jax.tree_util.tree_leaves(jitted(*inputs)))
        exported = export.export(jitted, disabled_checks=checks)(*specify(name, inputs))
        serialize = getattr(exported, "serialize", None) or (lambda: export.serialize(exported))
        try:
            (folder / f"{name}.{jax.__version__}.bin").write_bytes(serialize())
        except AttributeError:  # releases before 0.4.24
            (folder / f"{name}.{jax.__version__}.mlirbc").write_bytes(exported.mlir_module_serialized)


if __name__ == "__main__":
    main()
