"""scan, while, cond, map and their transformations."""

import jax
import jax.numpy as jnp
from jax import lax

from cases import booleans, case, integers, normal, positive_definite, uniform


@case("scan.rnn", normal(8, 20), normal(25, 8, 12), normal(12, 20, scale=0.2), normal(20, 20, scale=0.2))
def rnn(state, sequence, weights, recurrent):
    def step(h, x):
        h = jnp.tanh(x @ weights + h @ recurrent)
        return h, h.sum(axis=-1)
    return lax.scan(step, state, sequence)


@case("scan.lstm", normal(30, 4, 16), normal(32, 64, scale=0.2), normal(64))
def lstm(sequence, weights, bias):
    def step(carry, x):
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([x, h], axis=1) @ weights + bias, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    start = jnp.zeros((4, 16), sequence.dtype)
    return lax.scan(step, (start, start), sequence)[1]


@case("scan.nested", normal(6, 7, 5), uniform(5))
def nested(x, decay):
    def outer(carry, row):
        total, _ = lax.scan(lambda c, v: (c * decay + v, None), carry, row)
        return total, total
    return lax.scan(outer, jnp.zeros(5, x.dtype), x, reverse=True)


@case("while.newton", uniform(64, low=0.5, high=20), gradient=False)
def newton(x):
    def more(state):
        guess, count = state
        return (count < 40) & (jnp.max(jnp.abs(guess * guess - x)) > 1e-4)
    return lax.while_loop(more, lambda state: ((state[0] + x / state[0]) / 2, state[1] + 1), (x, 0))[0]


@case("while.conjugate_gradient", positive_definite(n=32), normal(32))
def conjugate_gradient(a, b):
    return jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, tol=1e-5, maxiter=60)[0]


@case("while.vmap", uniform(20, low=1, high=100), gradient=False)
def while_vmap(x):
    def halvings(value):
        return lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] / 2, s[1] + 1), (value, 0))[1]
    return jax.vmap(halvings)(x)


@case("fori.power_iteration", positive_definite(n=24), normal(24))
def power_iteration(a, v):
    def step(_, v):
        v = a @ v
        return v / jnp.linalg.norm(v)
    v = lax.fori_loop(0, 30, step, v)
    return v @ a @ v


@case("fori.game_of_life", booleans(24, 24), gradient=False)
def game_of_life(board):
    def step(_, board):
        cells = board.astype(jnp.int32)
        near = sum(jnp.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
        return (near == 3) | (board & (near == 2))
    return lax.fori_loop(0, 20, step, board)


@case("cond.branches", normal(30, 30), integers(high=2))
def cond(x, choose):
    return lax.cond(choose == 0, lambda v: jnp.sin(v) @ v, lambda v: v.T * 2, x)


@case("cond.switch", normal(50), integers(high=4))
def switch(x, which):
    return lax.switch(which, [jnp.sin, jnp.cos, lambda v: v * v, jnp.cumsum], x)


@case("cond.vmap", normal(16, 10), booleans(16))
def cond_vmap(x, choose):
    return jax.vmap(lambda c, v: lax.cond(c, lambda u: u[::-1], lambda u: u * u, v))(choose, x)


@case("map.sequence", normal(9, 12, 12))
def map_sequence(x):
    return lax.map(lambda m: jnp.tanh(m @ m).sum(axis=0), x)


@case("scan.beam_search", normal(17, 17, scale=2), gradient=False)
def beam_search(transition):
    """Eight steps with four beams over a table of transition scores."""
    table = jax.nn.log_softmax(transition)

    def step(carry, _):
        scores, last = carry
        total = scores[:, None] + table[last]
        scores, flat = lax.top_k(total.reshape(-1), 4)
        last = flat % 17
        return (scores, last), (flat // 17, last)
    start = (jnp.array([0, -100, -100, -100], transition.dtype), jnp.zeros(4, jnp.int32))
    return lax.scan(step, start, None, length=8)


@case("scan.kalman", normal(40, 2), uniform(4, 4, low=-0.2, high=0.2))
def kalman(measured, coupling):
    f, h = jnp.eye(4, dtype=measured.dtype) + coupling, jnp.eye(2, 4, dtype=measured.dtype)

    def step(carry, z):
        mean, cov = carry
        mean, cov = f @ mean, f @ cov @ f.T + 0.01 * jnp.eye(4, dtype=z.dtype)
        gain = jnp.linalg.solve(h @ cov @ h.T + 0.1 * jnp.eye(2, dtype=z.dtype), h @ cov).T
        mean, cov = mean + gain @ (z - h @ mean), cov - gain @ h @ cov
        return (mean, cov), mean
    return lax.scan(step, (jnp.zeros(4, measured.dtype), jnp.eye(4, dtype=measured.dtype)), measured)[1]


@case("vmap.jacobian", normal(6, 5), normal(5, 7))
def jacobian(x, weights):
    return jax.vmap(jax.jacrev(lambda v: jnp.tanh(v @ weights)))(x), jax.vmap(jax.hessian(lambda v: jnp.sum(jnp.tanh(v @ weights) ** 2)))(x)


@case("checkpoint.scan", normal(16, 32), normal(10, 32, 32, scale=0.1))
def checkpointed(x, weights):
    return lax.scan(jax.checkpoint(lambda h, w: (jax.nn.relu(h @ w) + h, None)), x, weights)[0]
