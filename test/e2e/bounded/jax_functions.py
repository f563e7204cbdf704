"""Functions that jax exports with symbolic sizes: operations by themselves, and what models are made of.

A case is a function, its arguments (shape and type), the least size that it takes, and what else is asked of its sizes.
"""
import jax, jax.numpy as jnp, numpy as np
from jax import lax

F, I = np.float32, np.int32
WEIGHTS = np.random.RandomState(0).randn(10, 6).astype(F)
FILTER = np.random.RandomState(1).randn(4, 3, 3, 3).astype(F)


def rows(*rest, least=0, kind=F):
    return [(("b", *rest), kind)], least


# Name, function, arguments (shape and type), least size, constraints between sizes.
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


def rotated(x):
    """Rotary positions along [batch, position, head, channel]."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1], dtype=F)[:, None, None] * 100. ** (-jnp.arange(half, dtype=F) / half)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), b * jnp.cos(angles) + a * jnp.sin(angles)], axis=-1)


def rotary_attention(q, k, v):
    scores = jnp.einsum("bqhc,bkhc->bhqk", rotated(q), rotated(k)) / 3.
    causal = jnp.arange(k.shape[1])[None, :] <= jnp.arange(q.shape[1])[:, None]
    return jnp.einsum("bhqk,bkhc->bqhc", jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1), v)


def group_norm(x):
    groups = x.reshape(x.shape[0], 3, 2, *x.shape[2:])
    mean, variance = groups.mean((2, 3, 4), keepdims=True), groups.var((2, 3, 4), keepdims=True)
    return ((groups - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape)


def small_net(x):
    x = jax.nn.relu(lax.conv_general_dilated(x, FILTER, (2, 2), ((1, 1), (1, 1))))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return x.mean((2, 3)) @ WEIGHTS[:4]


def gated_steps(x):
    """A recurrent cell over the sequence [position, batch, channel]."""
    def step(h, row):
        z = jax.nn.sigmoid(row @ WEIGHTS[:4] + h)
        h = (1 - z) * h + z * jnp.tanh(row @ WEIGHTS[4:8])
        return h, h
    return lax.scan(step, jnp.zeros((x.shape[1], 6), F), x)


def sample(logits, noise):
    """The best of the three likeliest, with given noise."""
    values, places = lax.top_k(logits, 3)
    return jnp.take_along_axis(places, jnp.argmax(values + noise, axis=-1)[:, None], axis=-1)


def nucleus(logits):
    """What is left of probabilities whose sum reaches 0.9."""
    order = jnp.argsort(-logits, axis=-1)
    ordered = jax.nn.softmax(jnp.take_along_axis(logits, order, axis=-1), axis=-1)
    kept = jnp.cumsum(ordered, axis=-1) - ordered < 0.9
    return jnp.where(jnp.take_along_axis(kept, jnp.argsort(order, axis=-1), axis=-1), logits, -1e9)


def append(cache, new, at):
    """A key that goes into a cache, and a query over what is there."""
    cache = lax.dynamic_update_slice(cache, new, (0, at, 0))
    scores = jnp.einsum("bc,bkc->bk", new[:, 0], cache)
    scores = jnp.where(jnp.arange(cache.shape[1])[None, :] <= at, scores, -1e9)
    return cache, jnp.einsum("bk,bkc->bc", jax.nn.softmax(scores, axis=-1), cache)


def segment_means(x, i):
    sums = jax.ops.segment_sum(x, i, num_segments=3)
    counts = jax.ops.segment_sum(jnp.ones(x.shape[0], F), i, num_segments=3)
    return sums / jnp.maximum(counts, 1)[:, None], jax.ops.segment_max(x, i, num_segments=3)


def power_spectrum(x):
    return jnp.abs(jnp.fft.rfft(x, axis=-1)) ** 2, jnp.fft.irfft(jnp.fft.rfft(x, axis=-1), axis=-1)


def chunks(x):
    """Sums of neighbouring rows, two by two, of an even number of them."""
    pairs = x[:x.shape[0] // 2 * 2].reshape(x.shape[0] // 2, 2, x.shape[1])
    return pairs.sum(1), jax.vmap(lambda p: p.T @ p)(pairs)


def experts(x):
    """The best of three products for each row, and how many rows took which."""
    best = jnp.argmax(x @ WEIGHTS[:4, :3], axis=-1)
    each = jnp.einsum("bi,eio->beo", x, jnp.stack([WEIGHTS[:4], WEIGHTS[2:6], WEIGHTS[5:9]]))
    return jnp.take_along_axis(each, best[:, None, None], axis=1)[:, 0], jnp.bincount(best, length=3)


CASES |= {
    "rotary attention": (rotary_attention, [(("b", "s", 2, 8), F)] * 3, 1),
    "group norm": (group_norm, [(("b", 6, 4, 4), F)], 1),
    "group norm of open images": (group_norm, [(("b", 6, "h", "w"), F)], 1),
    "small net": (small_net, [(("b", 3, 8, 8), F)], 1),
    "small net over open images": (small_net, [(("b", 3, "h", "h"), F)], 4),
    "gated steps": (gated_steps, [(("s", "b", 4), F)], 1),
    "sample": (sample, [(("b", 9), F), (("b", 3), F)], 1),
    "nucleus": (nucleus, [(("b", 9), F)], 1),
    "nucleus of an open vocabulary": (nucleus, [((2, "v"), F)], 1),
    "append to a cache": (append, [(("b", 8, 4), F), (("b", 1, 4), F), ((), I)], 1),
    "append to an open cache": (append, [(("b", "s", 4), F), (("b", 1, 4), F), ((), I)], 3),
    "segment means": (segment_means, [(("b", 5), F), (("b",), I)], 1),
    "power spectrum": (power_spectrum, [(("b", 8), F)], 1),
    "chunks": (chunks, [(("b", 3), F)], 2),
    "experts": (experts, [(("b", 4), F)], 1),
    "mapped softmax": (lambda x: jax.vmap(lambda r: jax.nn.softmax(r @ r.T))(x), [(("b", 3, 4), F)], 1),
    "mapped gather": (lambda x, i: jax.vmap(lambda r, j: r[j])(x, i), [(("b", 7), F), (("b", 2), I)], 1),
    "mapped dynamic slice": (lambda x, i: jax.vmap(lambda r, j: lax.dynamic_slice(r, (j,), (3,)))(x, i), [(("b", 7), F), (("b",), I)], 1),
    "mapped update": (lambda x, i: jax.vmap(lambda r, j: lax.dynamic_update_slice(r, jnp.ones(2, F), (j,)))(x, i), [(("b", 7), F), (("b",), I)], 1),
    "contraction of three": (lambda x, y: jnp.einsum("bij,jk,bkl->bil", x, WEIGHTS[:5], y), [(("b", "s", 5), F), (("b", 6, 3), F)], 1),
    "last token": (lambda x: x[:, -1] @ WEIGHTS, [(("b", "s", 10), F)], 1),
    "cumulative sums of two sizes": (lambda x: (jnp.cumsum(x, axis=0), lax.cumprod(x, axis=1), lax.cummax(x, axis=0, reverse=True)), [(("b", "s"), F)], 1),
    "cumulative sums beside others": (lambda x: jnp.cumsum(jnp.broadcast_to(x[..., None], (*x.shape, 37)), axis=1), [(("b", "s"), F)], 1),
    "logarithms of cumulative sums": (lambda x: lax.cumlogsumexp(x, axis=0), [(("b", 3), F)], 1),
    "associative scan": (lambda x: lax.associative_scan(jnp.add, x, axis=1), [(("b", 8), F)], 1),
    "histogram": (lambda i: jnp.bincount(i, length=4), [(("b",), I)], 1),
    "gradient of a net": (lambda x: jax.grad(lambda w: jnp.log1p(jnp.exp(jnp.tanh(x @ w) @ WEIGHTS[:6].T)).sum())(WEIGHTS), [(("b", 10), F)], 1),
    "distances": (lambda x, y: jnp.sqrt(((x[:, None] - y[None]) ** 2).sum(-1) + 1e-6).argmin(1), [(("a", 3), F), (("b", 3), F)], 1),
    "convolution behind a place": (lambda x, y: lax.conv_general_dilated(x[..., y.shape[0]:], FILTER[0], (1,), "SAME"), [((1, 3, "a"), F), (("b",), F)], 1, "a>=b"),
}
