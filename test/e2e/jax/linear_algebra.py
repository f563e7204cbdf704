"""jnp.linalg and jax.scipy.linalg. What is unique only up to signs is returned in a form that is unique."""

import jax
import jax.numpy as jnp

from cases import case, normal, positive_definite, well_conditioned


def _signed(q, r):
    signs = jnp.sign(jnp.diagonal(r, axis1=-2, axis2=-1))
    return q * signs[..., None, :], r * signs[..., :, None]


@case("linalg.cholesky", positive_definite(3, n=40))
def cholesky(a):
    return jnp.linalg.cholesky(a)


@case("linalg.solve", well_conditioned(n=60), normal(60, 7))
def solve(a, b):
    return jnp.linalg.solve(a, b)


@case("linalg.inv", well_conditioned(2, n=30))
def inv(a):
    return jnp.linalg.inv(a)


@case("linalg.det", well_conditioned(4, n=12))
def det(a):
    return jnp.linalg.det(a), *jnp.linalg.slogdet(a)


@case("linalg.lu", well_conditioned(n=24))
def lu(a):
    p, lower, upper = jax.scipy.linalg.lu(a)
    return p, lower, upper


@case("linalg.qr", normal(3, 40, 24))
def qr(a):
    return _signed(*jnp.linalg.qr(a))


@case("linalg.qr_complete", normal(20, 12), gradient=False)
def qr_complete(a):
    q, r = jnp.linalg.qr(a, mode="complete")
    return q @ r, q @ q.T


@case("linalg.eigh", positive_definite(2, n=24))
def eigh(a):
    values, vectors = jnp.linalg.eigh(a)
    return values, vectors * jnp.sign(vectors[..., :1, :])


@case("linalg.svd", normal(2, 30, 20))
def svd(a):
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    return s, u * jnp.sign(u[..., :1, :]), vt * jnp.sign(u[..., :1, :]).swapaxes(-1, -2)


@case("linalg.pinv", normal(25, 15))
def pinv(a):
    return jnp.linalg.pinv(a), jnp.linalg.norm(a, ord=2), jnp.linalg.norm(a, ord="nuc")


@case("linalg.lstsq", normal(30, 8), normal(30, 2))
def lstsq(a, b):
    return jnp.linalg.lstsq(a, b)[0]


@case("linalg.expm", normal(20, 20, scale=0.3))
def expm(a):
    return jax.scipy.linalg.expm(a)


@case("linalg.solve_triangular", well_conditioned(n=50), normal(50, 9))
def solve_triangular(a, b):
    return jax.scipy.linalg.solve_triangular(a, b, lower=True), jax.scipy.linalg.solve_triangular(a, b, trans=1)


@case("linalg.cho_solve", positive_definite(n=48), normal(48))
def cho_solve(a, b):
    return jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b)


@case("linalg.eigvals", normal(16, 16), gradient=False)
def eigvals(a):
    values = jnp.linalg.eigvals(a)
    return jnp.sort(jnp.abs(values)), jnp.sum(values).real, jnp.prod(values).real


@case("linalg.schur", normal(12, 12), gradient=False)
def schur(a):
    t, z = jax.scipy.linalg.schur(a)
    return z @ t @ z.T, z @ z.T


@case("linalg.matrix_power", well_conditioned(n=20))
def matrix_power(a):
    return jnp.linalg.matrix_power(a / 4, 5), jnp.linalg.multi_dot([a, a[:, :3], a[:3, :]]), jnp.linalg.cond(a)


@case("linalg.tridiagonal_solve", normal(64, scale=0.2), normal(64, scale=0.2), normal(64, 3))
def tridiagonal_solve(lower, upper, b):
    diagonal = 2 + 0 * lower
    return jax.lax.linalg.tridiagonal_solve(lower.at[0].set(0), diagonal, upper.at[-1].set(0), b)


@case("linalg.gaussian_log_density", positive_definite(n=16), normal(100, 16))
def gaussian_log_density(covariance, x):
    return jax.scipy.stats.multivariate_normal.logpdf(x, jnp.zeros(16, x.dtype), covariance)
