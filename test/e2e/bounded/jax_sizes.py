"""Functions that jax exports with symbolic sizes, compiled once, against jax at several sizes.

usage: jax_sizes.py [--heddle HEDDLE] [--share K/N] [NAME...]

A size is from 0 or a least that the function needs to 5; what JAX refuses to call with, heddle refuses, too: in the same words, or as no shape of the input where they became the least of a range. Prints a line per failure, and `N passed, N failed`.
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile, zlib

os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp, numpy as np
from jax import export, lax

F, I = np.float32, np.int32
BOUND = 5
WEIGHTS = np.random.RandomState(0).randn(10, 6).astype(F)
FILTER = np.random.RandomState(1).randn(4, 3, 3, 3).astype(F)


def rows(*rest, least=0, kind=F):
    return [(("b", *rest), kind)], least


# Name, function, arguments (shape and type), least size.
CASES = {
    "softmax over the size": (lambda x: jax.nn.softmax(x, axis=0), *rows(10)),
    "softmax over the last": (lambda x: jax.nn.softmax(x, axis=1), [((3, "b"), F)], 0),
    "mean and variance": (lambda x: (x.mean(0), x.var(0)), *rows(10)),
    "product": (lambda x: x @ WEIGHTS, *rows(10)),
    "gram": (lambda x: x.T @ x, *rows(10)),
    "outer product": (lambda x: x @ x.T, *rows(10)),
    "sort": (lambda x: jnp.sort(x, axis=0), *rows(3)),
    "argsort": (lambda x: jnp.argsort(x, axis=1), [((3, "b"), F)], 0),
    "argmax": (lambda x: (jnp.argmax(x, axis=0), jnp.argmin(x, axis=1)), *rows(5, least=1)),
    "extremes": (lambda x: (jnp.max(x, axis=0, initial=-9.), jnp.min(x, axis=0, initial=9.)), *rows(5)),
    "prod": (lambda x: x.prod(0), *rows(5)),
    "cumsum": (lambda x: jnp.cumsum(x, axis=0), *rows(5)),
    "cumsum from the end": (lambda x: lax.cumsum(x, axis=1, reverse=True), [((5, "b"), F)], 0),
    "cummax": (lambda x: lax.cummax(x, axis=0), *rows(5)),
    "concatenate": (lambda x, y: jnp.concatenate([x, y, x], axis=0), [(("b", 5), F)] * 2, 0),
    "concatenate inside": (lambda x: jnp.concatenate([x, jnp.ones((4, 2), F), x], axis=1), [((4, "b"), F)], 0),
    "pad": (lambda x: jnp.pad(x, ((1, 2), (0, 1)), constant_values=7), *rows(5)),
    "flip": (lambda x: (jnp.flip(x, axis=0), jnp.flip(x, axis=1)), *rows(5)),
    "flatten": (lambda x: x.reshape(-1), *rows(5)),
    "flatten the last": (lambda x: x.reshape(-1), [((5, "b"), F)], 0),
    "other rows": (lambda x: x.reshape(x.shape[1], -1) * 2, *rows(4)),
    "transpose": (lambda x: x.T + 1, *rows(5)),
    "last row": (lambda x: x[-1], *rows(5, least=1)),
    "all but the last": (lambda x: x[:-1], *rows(5, least=1)),
    "differences": (lambda x: x[1:] - x[:-1], *rows(5, least=1)),
    "positions": (lambda x: x + jnp.arange(x.shape[0], dtype=F)[:, None], *rows(5)),
    "take": (lambda x, i: jnp.take(x, i, axis=0), [(("b", 5), F), ((4,), I)], 1),
    "gather": (lambda x, i: x[i], [((7, 5), F), (("b",), I)], 0),
    "scatter": (lambda x, i: jnp.zeros((7, 5), F).at[i].add(x), [(("b", 5), F), (("b",), I)], 0),
    "segments": (lambda x, i: jax.ops.segment_sum(x, i, num_segments=3), [(("b", 5), F), (("b",), I)], 0),
    "dynamic slice": (lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 5)), [(("b", 5), F), ((), I)], 2),
    "dynamic update": (lambda x, i: lax.dynamic_update_slice(x, jnp.ones((2, 5), F), (i, 0)), [(("b", 5), F), ((), I)], 2),
    "convolution": (lambda x: lax.conv_general_dilated(x, FILTER, (1, 1), "SAME"), *rows(3, 8, 8)),
    "convolution over the size": (lambda x: lax.conv_general_dilated(x, FILTER, (1, 1), "SAME"), [((1, 3, 8, "b"), F)], 2),
    "pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 1), "SAME"), [((4, "b"), F)], 0),
    "attention": (lambda q, k, v: jax.nn.softmax(q @ k.T / 4., axis=-1) @ v, [(("b", 16), F)] * 3, 0),
    "batched attention": (lambda q, k: jax.nn.softmax(jnp.einsum("bsd,btd->bst", q, k) / 4., axis=-1) @ k, [(("b", "s", 16), F)] * 2, 0),
    "two sizes": (lambda x: (x.sum(0), x.sum(1), x.reshape(-1)), [(("b", "s"), F)], 0),
    "where": (lambda x: jnp.where(x > 0, x, 0).sum(), [(("b", "s"), F)], 0),
    "any and all": (lambda x: ((x > 0).any(0), (x > 0).all(0)), *rows(5)),
    "loop": (lambda x: lax.fori_loop(0, 3, lambda i, c: c * 0.5 + x, x).sum(0), *rows(5)),
    "scan": (lambda x: lax.scan(lambda c, r: (c + r, c * r), jnp.zeros(5, F), x), *rows(5)),
    "median": (lambda x: jnp.median(x, axis=0), *rows(3, least=1)),
    "integers": (lambda x: (x.sum(0), x.max(0, initial=-100)), *rows(5, kind=I)),
    "triangle": (lambda x: jnp.tril(x @ x.T), *rows(5)),
    "one-hot": (lambda i: jax.nn.one_hot(i, 4), [(("b",), I)], 0),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, axis=0), *rows(5)),
    "transform of rows": (lambda x: jnp.abs(jnp.fft.fft(x, axis=-1)), *rows(8)),
    "repeat and tile": (lambda x: (jnp.repeat(x, 2, axis=0), jnp.tile(x, (2, 1))), *rows(3)),
    "roll": (lambda x: jnp.roll(x, 1, axis=0), *rows(5, least=1)),
    "gradient": (lambda x: jax.grad(lambda w: ((x @ w) ** 2).mean())(jnp.ones((5, 2), F)), *rows(5, least=1)),
    "complex": (lambda x: (x * 1j).sum(0).imag, *rows(5)),
    "heads": (lambda x: x.reshape(x.shape[0], 2, 5).transpose(1, 0, 2).reshape(2, -1), *rows(10)),
    "top k": (lambda x: lax.top_k(x, 3), *rows(8, least=1)),
    "random numbers": (lambda x: x + jax.random.uniform(jax.random.key(0), x.shape), *rows(4, least=1)),
    "branches": (lambda x: lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: -v, x), *rows(4, least=1)),
    "layer norm and gelu": (lambda x: jax.nn.gelu((x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)), *rows(8, least=1)),
    "products in a batch": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), [(("b", 3, 4), F), (("b", 4, 5), F)], 1),
    "first half": (lambda x: x[:x.shape[0] // 2], *rows(4, least=2)),
    "every second": (lambda x: (x[::2], x[::-2]), *rows(4, least=1)),
    "pad to a multiple": (lambda x: jnp.pad(x, ((0, -x.shape[0] % 4), (0, 0))), *rows(4, least=1)),
    "split": (lambda x: jnp.split(x, [1], axis=0), *rows(4, least=2)),
    "loop over rows": (lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + lax.dynamic_slice_in_dim(x, i, 1, 0)[0], jnp.zeros(4, F)), *rows(4, least=1)),
    "transposed convolution": (lambda x: lax.conv_transpose(x, np.ones((3, 4, 2), F), (2,), "SAME"), [((1, "b", 4), F)], 2),
    "causal attention": (lambda q: jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool)), q @ q.T, -jnp.inf)) @ q, *rows(8, least=1)),
    "pool with strides": (lambda x: lax.reduce_window(x, 0., lax.add, (1, 2), (1, 2), "VALID"), [((4, "b"), F)], 2),
    "factors in a batch": (lambda x: jnp.linalg.cholesky(x @ x.transpose(0, 2, 1) + 3 * jnp.eye(3)), [(("b", 3, 3), F)], 1),
    "differences of all": (lambda x: x[:, None, :] - x[None, :, :], *rows(4, least=1)),
    "cross entropy": (lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], axis=1).mean(), [(("b", 5), F), (("b",), I)], 1),
    "joined sizes": (lambda x, y: jnp.concatenate([x, y]), [(("a", 4), F), (("b", 4), F)], 1),
}


def run(heddle, folder, function, arguments, least):
    """None, or what is wrong."""
    names = sorted({size for shape, _ in arguments for size in shape if isinstance(size, str)})
    scope = export.SymbolicScope([text for name in names for text in (f"{name}<={BOUND}", f"{name}>={least}")])
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(", ".join(map(str, shape)), scope=scope) if shape else (), kind) for shape, kind in arguments]
    model, artifact = folder / "model.bin", folder / "model.heddle"
    exported = export.export(jax.jit(function), platforms=["cpu"])(*specs)
    model.write_bytes(exported.serialize())
    made = subprocess.run([heddle, "compile", model, "-o", artifact, *(f"--dim={name}={least}..{BOUND}" for name in names)], capture_output=True, text=True)
    if made.returncode:
        return made.stderr.strip()
    points = [dict.fromkeys(names, size) for size in sorted({least, max(least, 1), 3, BOUND})]
    if len(names) > 1:
        points.append({name: 4 - 2 * i for i, name in enumerate(names)})
    for point in points:
        random = np.random.RandomState(3)
        inputs = []
        for shape, kind in arguments:
            shape = [point.get(size, size) for size in shape]
            inputs.append(random.randint(0, 3, shape).astype(kind) if kind is I else random.randn(*shape).astype(kind))
        expected = jax.tree.leaves(jax.jit(function)(*inputs))
        for i, value in enumerate(inputs):
            np.save(folder / f"{i}.npy", np.asarray(value))
        results = folder / "results"
        shutil.rmtree(results, ignore_errors=True)
        call = subprocess.run([heddle, "run", artifact, "--output", results, "--json", *(f"--input={i}=@{folder / f'{i}.npy'}" for i in range(len(inputs)))],
                              capture_output=True, text=True)
        # An exported program says itself which sizes it takes: for most, none of 0.
        try:
            exported.call(*inputs)
        except ValueError as error:
            said = json.loads(call.stderr)["message"] if call.returncode else "is taken"
            if call.returncode and (str(error).partition(". ")[0] in said or said.startswith("the input is ")):
                continue
            return f"{point}: {said}; jax says {error}"
        if call.returncode:
            return f"{point}: {call.stderr.strip()}"
        for number, (output, right) in enumerate(zip(json.loads(call.stdout)["outputs"], expected, strict=True)):
            value, right = np.load(results / output["file"]), np.asarray(right)
            if value.shape != right.shape or not np.allclose(value, right, rtol=2e-5, atol=2e-5, equal_nan=True):
                return f"{point}: result {number} differs"
    return None


def share(text):
    part, parts = map(int, text.split("/"))
    return part % parts, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=shutil.which("heddle"))
    parser.add_argument("--share", default="1/1", help="K/N: only a part of the cases; which follows from their names")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    part, parts = share(options.share)
    passed = failed = 0
    for name, (function, arguments, least) in CASES.items():
        if options.names and name not in options.names or zlib.crc32(name.encode()) % parts != part:
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(options.heddle, pathlib.Path(folder), function, arguments, least)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong is not None:
            print(f"failed {name}: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
