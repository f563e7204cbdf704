"""Loops and branches that JAX exports, compiled by heddle, against JAX's own results.

usage: jax_control.py [--heddle HEDDLE] [--bench]

Prints a line per function, and `N passed, N failed`. A result may differ by 1e-5 of the largest magnitude that JAX gives. With
--bench, also the median time of a call beside JAX's best.
"""
import argparse, os, pathlib, re, subprocess, sys, tempfile, time

os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp, numpy as np
from jax import export, lax

rng = np.random.default_rng(0)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def lstm(x, h, c, wi, wh, b):
    def step(state, xt):
        h, c = state
        i, f, o, u = jnp.split(xt @ wi + h @ wh + b, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    state, ys = lax.scan(step, (h, c), x)
    return ys, *state


def newton(a):
    return lax.while_loop(lambda s: (jnp.abs(s[0] * s[0] - a) > 1e-5 * a) & (s[1] < 50),
                          lambda s: (0.5 * (s[0] + a / s[0]), s[1] + 1), (a, 0))


def conjugate_gradient(a, b):
    def step(s):
        x, r, p, rs, k = s
        ap = a @ p
        alpha = rs / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        rn = r @ r
        return x, r, r + rn / rs * p, rn, k + 1
    start = (jnp.zeros_like(b), b, b, b @ b, 0)
    return lax.while_loop(lambda s: (s[3] > 1e-10) & (s[4] < 40), step, start)[0]


def beam_search(w, embedding, scores, tokens):
    def step(t, state):
        scores, tokens = state
        last = lax.dynamic_slice(tokens, (0, t), (tokens.shape[0], 1))[:, 0]
        total = scores[:, None] + jax.nn.log_softmax(embedding[last] @ w, -1)
        scores, best = lax.top_k(total.reshape(-1), tokens.shape[0])
        tokens = tokens[best // w.shape[1]]
        return scores, lax.dynamic_update_slice(tokens, (best % w.shape[1])[:, None].astype(tokens.dtype), (0, t + 1))
    return lax.fori_loop(0, tokens.shape[1] - 1, step, (scores, tokens))


def cache(cache, xs):
    """A cache that grows by a row each round: no copy of it in the loop."""
    def step(state, x):
        cache, i = state
        cache = lax.dynamic_update_slice(cache, (x * 2)[None], (i, 0))
        return (cache, i + 1), cache[i].sum()
    return lax.scan(step, (cache, 0), xs)


def swap(a, b, n):
    return lax.fori_loop(0, n, lambda i, s: (s[1], s[0]), (a, b))


def rotate(a, b, c, n):
    return lax.fori_loop(0, n, lambda i, s: (s[1], s[2], s[0], s[0]), (a, b, c, c))


def nested(x, n, m):
    def outer(i, x):
        y = lax.fori_loop(0, m, lambda j, y: y * 1.01 + x.sum() * 0.001 + i, x)
        return lax.cond(y[0] > x[0], lambda: y, lambda: lax.while_loop(lambda z: z[0] < 3, lambda z: z + 1, x))
    return lax.fori_loop(0, n, outer, x)


def choose(p, x, y):
    return lax.cond(p, lambda x, y: (jnp.sin(x), y), lambda x, y: (y, x), x, y)


def switch(i, x):
    return lax.switch(i, [lambda x: x + 1, lambda x: x * 2, lambda x: jnp.cumsum(x)], x)


def histogram(x):
    return lax.fori_loop(0, x.shape[0], lambda i, h: h.at[x[i] % 8].add(1), jnp.zeros(8, jnp.int32))


def scan_gradient(w, xs):
    def loss(w):
        def step(h, x):
            h = jnp.tanh(h @ w + x)
            return h, h.sum()
        return lax.scan(step, jnp.zeros(8), xs)[1].sum()
    return jax.grad(loss)(w)


MATRIX = normal(24, 24)
WEIGHTS = normal(8, 64) * np.float32(0.3), normal(16, 64) * np.float32(0.3), normal(64)
CASES = {
    "lstm": (lstm, normal(12, 2, 8), normal(2, 16), normal(2, 16), *WEIGHTS),
    "lstm-weights": (lambda x, h, c: lstm(x, h, c, *WEIGHTS), normal(12, 2, 8), normal(2, 16), normal(2, 16)),
    "newton": (newton, np.float32(7)),
    "newton-batch": (jax.vmap(newton), np.abs(normal(6)) + np.float32(0.5)),
    "conjugate-gradient": (conjugate_gradient, MATRIX @ MATRIX.T / 24 + np.eye(24, dtype=np.float32), normal(24)),
    "beam-search": (beam_search, normal(16, 50), normal(50, 16), normal(4), np.zeros((4, 9), np.int32)),
    "cache": (cache, normal(1024, 64), normal(32, 64)),
    "swap-odd": (swap, normal(5), normal(5), np.int32(7)),
    "swap-never": (swap, normal(5), normal(5), np.int32(0)),
    "rotate": (rotate, normal(3), normal(3), normal(3), np.int32(5)),
    "nested": (nested, normal(6), np.int32(4), np.int32(3)),
    "cond-true": (choose, np.bool_(True), normal(4), normal(4)),
    "cond-false": (choose, np.bool_(False), normal(4), normal(4)),
    "cond-batch": (jax.vmap(choose), np.array([True, False, True]), normal(3, 4), normal(3, 4)),
    **{f"switch-{i}": (switch, np.int32(i), normal(4)) for i in (-5, 1, 2, 9)},
    "histogram": (histogram, rng.integers(0, 100, 64).astype(np.int32)),
    "scan-gradient": (scan_gradient, normal(8, 8), normal(10, 8)),
    "map": (lambda x: lax.map(lambda v: jnp.sin(v) @ v, x), normal(5, 7)),
}


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[1]} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def check(name, function, arguments, folder, options):
    jitted = jax.jit(function)
    model, artifact = folder / f"{name}.mlir", folder / f"{name}.heddle"
    model.write_text(export.export(jitted)(*arguments).mlir_module())
    run([options.heddle, "compile", model, "-o", artifact, "--quiet"])
    feeds = []
    for i, value in enumerate(jax.tree.leaves(arguments)):
        np.save(folder / f"{name}-{i}.npy", np.asarray(value))
        feeds += ["--input", f"{i}=@{folder / f'{name}-{i}.npy'}"]
    run([options.heddle, "run", artifact, *feeds, "--output", folder / name])
    wanted = [np.asarray(value) for value in jax.tree.leaves(jitted(*arguments))]
    plan = run([options.heddle, "inspect", artifact, "--show=plan"])
    names = re.findall(r"^  output (\S+)", plan, re.MULTILINE)
    assert len(names) == len(wanted), (names, len(wanted))
    for i, (output, value) in enumerate(zip(names, wanted)):
        got = np.load(folder / name / (re.sub(r"[^A-Za-z0-9._-]", "_", output) + ".npy"))
        assert got.shape == value.shape and got.dtype == value.dtype, (output, got.dtype, got.shape)
        if value.dtype.kind == "f":
            assert np.isfinite(got).all() and np.abs(got - value).max() <= 1e-5 * max(np.abs(value).max(), 1e-3), output
        else:
            assert (got == value).all(), output
    if name == "cache":
        inner = re.findall(r"^   block [1-9].*\n((?:    .*\n)+)", plan, re.MULTILINE)
        assert inner and not any(re.search("^    copy", block, re.MULTILINE) for block in inner), "the loop copies"
    if options.bench:
        seconds = []
        for _ in range(200):
            start = time.perf_counter()
            jax.block_until_ready(jitted(*arguments))
            seconds.append(time.perf_counter() - start)
        ours = re.search(r"p50 +(\S+ ms)", run([options.heddle, "bench", artifact, *feeds])).group(1)
        print(f"  {ours}, JAX {min(seconds) * 1e3:.3f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", default="heddle")
    parser.add_argument("--bench", action="store_true")
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (function, *arguments) in CASES.items():
            try:
                check(name, function, arguments, pathlib.Path(folder), options)
                passed += 1
                print("passed ", name)
            except (AssertionError, RuntimeError, OSError) as error:
                failed += 1
                print("failed ", name, error)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
