#!/usr/bin/env python3
"""Runs what JAX makes of functions of complex numbers, compiled, against JAX.

    complex_jax.py HEDDLE [CASE...]

Every case runs with complex64, one in three also with complex128. The difference is
the L2 norm's, relative to the result: sums take other orders, and JAX's own functions
have errors of several units in the last place.
"""

import os
import re
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

random = np.random.default_rng(0)


def normal(*shape):
    return random.standard_normal(shape) + 1j * random.standard_normal(shape)


a, b = normal(5, 7), normal(5, 7)
rows = np.array([3, 1, 4], np.int32)
twice = np.array([3, 3], np.int32)
large = normal(300, 40).astype(np.complex64)


def elementwise(*functions):
    return {f.__name__: (f, (a,)) for f in functions}


CASES = {
    "add": (lambda x, y: x + y, (a, b)),
    "divide": (lambda x, y: x / y, (a, b)),
    "power": (lambda x, y: x**y, (a, b)),
    "constants": (lambda x: x * (2 + 1j) - 3j, (a,)),
    **elementwise(jnp.conj, jnp.angle, jnp.abs, jnp.sign, jnp.isfinite, jnp.square, jnp.reciprocal, jnp.sqrt, lax.rsqrt, jnp.exp, jnp.exp2,
                  jnp.expm1, jnp.log, jnp.log10, jnp.log1p, jnp.sin, jnp.cos, jnp.tan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.arcsin, jnp.arccos,
                  jnp.arctan, jnp.arcsinh, jnp.arccosh, jnp.arctanh, jax.nn.sigmoid),
    "compare": (lambda x, y: (x == y) | (x != 2 * y), (a, a)),
    "convert": (lambda x: x.real.astype(x.dtype) + 1j * x.imag, (a,)),
    "widen": (lambda x: x.astype(jnp.complex128) * 2, (a,)),
    "clamp": (lambda x: lax.clamp(x.dtype.type(0), x, x.dtype.type(1 + 1j)), (a,)),
    "where": (lambda x, y: jnp.where(x.real > 0, x, y), (a, b)),
    "scalar": (lambda x: jnp.exp(x) * 2j, (np.array(1 + 2j),)),
    "empty": (lambda x: x * 2j, (normal(0, 3),)),
    # Shapes.
    "move": (lambda x: jnp.pad(jnp.roll(x, 2, 1)[::-1, ::2].T, 1), (a,)),
    "concatenate": (lambda x, y: jnp.concatenate([x, y.conj()], 1), (a, b)),
    "gather": (lambda x, i: x[i], (a, rows)),
    "dynamic": (lambda x, y, i: lax.dynamic_update_slice(lax.dynamic_slice(x, (i, i), (3, 3)), y, (i, i)), (a, normal(2, 2), np.int32(1))),
    "scatter": (lambda x, i: x.at[i].set(1j), (a, rows)),
    "scatter_add": (lambda x, i, y: x.at[i].add(y), (a, twice, normal(2, 7))),
    "scatter_multiply": (lambda x, i, y: x.at[i].multiply(y), (a, twice, normal(2, 7))),
    # Reductions.
    "sum": (lambda x: x.sum(0), (a,)),
    "product": (lambda x: x.prod(1), (a,)),
    "maximum": (lambda x: (x.max(), x.min(1)), (a,)),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0)), (a,)),
    "window": (lambda x: lax.reduce_window(x, x.dtype.type(0), lax.add, (2, 2), (1, 1), "VALID"), (a,)),
    "any_region": (lambda x: lax.reduce(x, x.dtype.type(1), lambda p, q: p * q + p, (0,)), (a,)),
    "sort": (lambda x: jnp.sort(x, 1), (a,)),
    "argsort": (lambda x: jnp.argsort(x, 0), (a,)),
    "associative_scan": (lambda x: lax.associative_scan(lambda p, q: p * q, x), (normal(9),)),
    # Products.
    "matmul": (lambda x, y: x @ y, (normal(6, 5), a)),
    "matmul_long": (lambda x, y: x @ y, (normal(64, 96), normal(96, 80))),
    "batched": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), (normal(3, 4, 50), normal(3, 50, 6))),
    "vdot": (jnp.vdot, (normal(40), normal(40))),
    "real_by_complex": (lambda x, y: x @ y, (random.standard_normal((4, 64)).astype(np.float32), normal(64, 5))),
    "convolution": (lambda x, y: lax.conv(x, y, (1, 1), "SAME"), (normal(1, 2, 8, 8), normal(3, 2, 3, 3))),
    "weights": (lambda x: x @ jnp.asarray(large).astype(x.dtype), (normal(4, 300),)),
    # Control flow.
    "scan": (lambda x: lax.scan(lambda c, y: (c * y * 0.5 + 1, c), x[0], x), (a,)),
    "while": (lambda x: lax.while_loop(lambda c: jnp.abs(c)[0] < 100, lambda c: c * (1.5 + 0.2j) + 1, x), (normal(4),)),
    "condition": (lambda x, p: lax.cond(p > 0, lambda y: y * 2j, lambda y: y.conj(), x), (a, np.float32(1))),
    "batched_while": (jax.vmap(lambda x: lax.while_loop(lambda c: jnp.abs(c) < 10, lambda c: c * 2, x)), (normal(4),)),
    # Transforms, gradients.
    "fft": (lambda x: jnp.fft.fft(x), (a,)),
    "rfft": (lambda x: jnp.fft.irfft(jnp.fft.rfft(x)), (random.standard_normal((3, 10)).astype(np.float32),)),
    "gradient": (jax.grad(lambda x: jnp.sum(jnp.abs(jnp.exp(x) * x) ** 2)), (a,)),
    "gradient_of_abs": (jax.grad(lambda x: jnp.sum(jnp.abs(x))), (a,)),
}


def compare(got, want):
    """What is wrong, or an empty text."""
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"is {got.dtype} {got.shape}, not {want.dtype} {want.shape}"
    if want.dtype.kind not in "fc":
        return "" if np.array_equal(got, want) else "differs"
    if want.size == 0:
        return ""
    error = np.linalg.norm((got - want).ravel()) / np.linalg.norm(want.ravel())
    bound = 2e-6 if np.finfo(want.dtype).bits == 32 else 4e-15
    return "" if error < bound else f"is off by {error:.2e}"


def run(heddle, folder, function, inputs):
    jitted = jax.jit(function, keep_unused=True)
    model = os.path.join(folder, "model.mlir")
    with open(model, "w") as file:
        file.write(jitted.lower(*inputs).as_text())
    command = [heddle, "run", "-q", model, "--output", os.path.join(folder, "out")]
    for i, value in enumerate(inputs):
        path = os.path.join(folder, f"in{i}.npy")
        np.save(path, value)
        command += ["--input", f"{i}=@{path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[0]
    files = re.findall(r"in (\S+\.npy)", done.stdout)
    wanted = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*inputs))]
    if len(files) != len(wanted):
        return f"{len(files)} results, not {len(wanted)}"
    return next(filter(None, (compare(np.load(f), w) for f, w in zip(files, wanted))), "")


def main():
    heddle, only = sys.argv[1], sys.argv[2:]
    right = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (function, inputs)) in enumerate(CASES.items()):
            if only and name not in only:
                continue
            for dtype in (np.complex64, np.complex128)[: 2 if number % 3 == 0 else 1]:
                typed = [np.asarray(x).astype(dtype) if np.iscomplexobj(x) else np.asarray(x) for x in inputs]
                problem = run(heddle, folder, function, typed)
                right, wrong = right + (not problem), wrong + bool(problem)
                if problem:
                    print(f"{name} of {dtype.__name__}: {problem}")
    print(f"{right} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
