"""jnp, lax, nn, fft, image and random: functions as users write them."""

import jax
import jax.numpy as jnp
from jax import lax

from cases import booleans, case, integers, normal, uniform

# --- jnp -------------------------------------------------------------------------------------------------------------------------------


@case("jnp.elementary", uniform(64, 300, low=0.1, high=3))
def elementary(x):
    return jnp.exp(x), jnp.log(x), jnp.sin(x), jnp.cos(x), jnp.tanh(x), jnp.log1p(x), jnp.expm1(x)


@case("jnp.hyperbolic", uniform(64, 300, low=-0.9, high=0.9))
def hyperbolic(x):
    return jnp.sinh(x), jnp.cosh(x), jnp.arcsinh(x), jnp.arctanh(x), jnp.arctan(x), jnp.arcsin(x), jnp.arccosh(x + 2)


@case("jnp.roots", uniform(1000, low=0.1, high=9), uniform(1000, low=-2, high=2))
def roots(x, y):
    return jnp.cbrt(x), jnp.sqrt(x), jnp.power(x, y), jnp.hypot(x, y), jnp.arctan2(y, x), lax.rsqrt(x)


@case("jnp.where", normal(50, 70), normal(70), booleans(50, 1))
def where(x, y, choose):
    return jnp.where(choose, jnp.clip(x, -1, 1), y) + jnp.abs(x) * jnp.sign(y)


@case("jnp.logaddexp", normal(100, 33, scale=5), normal(33, scale=5))
def logaddexp(x, y):
    return jnp.logaddexp(x, y), jnp.sinc(x), jnp.nan_to_num(x / y)


@case("jnp.einsum", normal(8, 32, 16), normal(16, 24), normal(8, 24))
def einsum(a, b, c):
    return jnp.einsum("bik,kj,bj->bi", a, b, c), jnp.einsum("bii->b", a[:, :16, :]), jnp.einsum("ij->ji", b)


@case("jnp.matmul", normal(4, 65, 130), normal(4, 130, 70), normal(70))
def matmul(a, b, c):
    return a @ b @ c, jnp.tensordot(a, b, axes=([0, 2], [0, 1])), jnp.outer(c, c)


@case("jnp.cumulative", uniform(60, 200, low=0.9, high=1.1))
def cumulative(x):
    return jnp.cumsum(x, axis=1), jnp.cumprod(x, axis=0), lax.cummax(x, axis=1), lax.cumlogsumexp(x, axis=0)


@case("jnp.sort", normal(40, 333))
def sort(x):
    return jnp.sort(x, axis=-1), jnp.sort(x, axis=0, descending=True)


@case("jnp.argsort", normal(20, 100), normal(20, 100))
def argsort(x, y):
    order = jnp.argsort(x, axis=1)
    return order, jnp.take_along_axis(y, order, axis=1), jnp.argmax(x, axis=1), jnp.argmin(x, axis=0)


@case("jnp.statistics", normal(30, 40, 20))
def statistics(x):
    return jnp.mean(x, axis=(0, 2)), jnp.var(x, axis=1), jnp.std(x), jnp.max(x, axis=2), jnp.prod(1 + x / 100, axis=0), jnp.ptp(x, axis=1)


@case("jnp.quantile", normal(17, 101))
def quantile(x):
    return jnp.quantile(x, jnp.array([0.1, 0.5, 0.77], x.dtype), axis=1), jnp.median(x, axis=0)


@case("jnp.searchsorted", uniform(100), uniform(500), gradient=False)
def searchsorted(edges, x):
    edges = jnp.sort(edges)
    return jnp.searchsorted(edges, x), jnp.digitize(x, edges), jnp.histogram(x, bins=10, range=(0, 1))[0]


@case("jnp.interp", uniform(500, low=-1, high=11), normal(11))
def interp(x, values):
    return jnp.interp(x, jnp.arange(11, dtype=x.dtype), values)


@case("jnp.convolve", normal(400), normal(31))
def convolve(x, kernel):
    return jnp.convolve(x, kernel, mode="same"), jnp.correlate(x, kernel, mode="valid")


@case("jnp.rearrange", normal(12, 10, 8))
def rearrange(x):
    y = jnp.concatenate([jnp.roll(x, 3, axis=1), jnp.flip(x, 0)], axis=2)
    return jnp.stack([y, jnp.rot90(y, 2)]), jnp.pad(x, ((1, 2), (0, 0), (3, 0)), mode="reflect"), jnp.tile(x, (1, 2, 1)), x[::2, 1:-1, ::-1]


@case("jnp.triangles", normal(33, 33))
def triangles(x):
    return jnp.tril(x), jnp.triu(x, 2), jnp.diag(x), jnp.trace(x), jnp.kron(x[:3, :3], x[:4, :4])


@case("jnp.at", normal(100, 16), integers(40, high=100), normal(40, 16))
def at(x, rows, updates):
    return x.at[rows].add(updates), x.at[rows].max(updates), x.at[3:7, ::2].set(0), x[rows], x.at[rows, 0].multiply(2.0)


@case("jnp.take", normal(50, 12), integers(9, 5, high=50))
def take(table, indices):
    return jnp.take(table, indices, axis=0), table[indices[:, 0], indices[:, 1] % 12]


@case("jnp.nonzero", integers(200, low=-3, high=4), gradient=False)
def nonzero(x):
    return jnp.nonzero(x, size=150, fill_value=-1), jnp.unique(x, size=10, fill_value=99), jnp.bincount(jnp.abs(x), length=5)


@case("jnp.bits", integers(30, 40, low=-(2**31), high=2**31 - 1), integers(30, 40, low=1, high=31), gradient=False)
def bits(x, y):
    return x & y, x ^ (y << 3), x >> y, lax.population_count(x), lax.clz(x), x // y, x % y, ~x, lax.shift_right_logical(x, y)


@case("jnp.polyval", normal(8), uniform(300, low=-1, high=1))
def polyval(coefficients, x):
    return jnp.polyval(coefficients, x), jnp.vander(x[:10], 4), jnp.gradient(x), jnp.diff(x, n=2), jnp.trapezoid(x)


@case("jnp.mod", uniform(500, low=-20, high=20), uniform(500, low=0.5, high=3), gradient=False)
def mod(x, y):
    return jnp.mod(x, y), jnp.fmod(x, y), jnp.floor_divide(x, y), jnp.round(x), jnp.trunc(x), jnp.isfinite(x)


# --- lax -------------------------------------------------------------------------------------------------------------------------------


@case("lax.conv", normal(2, 14, 13, 8), normal(3, 3, 4, 16))
def conv(x, kernel):
    return lax.conv_general_dilated(x, kernel, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                    feature_group_count=2)


@case("lax.conv_nchw", normal(2, 6, 20, 20), normal(12, 6, 3, 3))
def conv_nchw(x, kernel):
    return lax.conv(x, kernel, (1, 1), "VALID")


@case("lax.conv_transpose", normal(2, 9, 9, 6), normal(4, 4, 6, 5))
def conv_transpose(x, kernel):
    return lax.conv_transpose(x, kernel, (2, 2), "SAME")


@case("lax.conv_1d", normal(3, 50, 8), normal(5, 8, 10))
def conv_1d(x, kernel):
    return lax.conv_general_dilated(x, kernel, (1,), [(4, 0)], dimension_numbers=("NWC", "WIO", "NWC"))


@case("lax.pool", normal(2, 24, 24, 8))
def pool(x):
    largest = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    mean = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    return largest, mean


@case("lax.top_k", normal(30, 200))
def top_k(x):
    return lax.top_k(x, 7)


@case("lax.approx_max_k", normal(16, 512))
def approx_max_k(x):
    return lax.approx_max_k(x, 5)


@case("lax.dynamic_slice", normal(40, 30), normal(5, 6), integers(2, high=40))
def dynamic_slice(x, update, start):
    return lax.dynamic_slice(x, (start[0], start[1]), (8, 9)), lax.dynamic_update_slice(x, update, (start[1], start[0]))


@case("lax.segment_sum", normal(300, 8), integers(300, high=20))
def segment_sum(x, segments):
    return jax.ops.segment_sum(x, segments, 20), jax.ops.segment_max(x, segments, 20)


@case("lax.sort", integers(15, 64, high=9), normal(15, 64))
def sort_pairs(keys, values):
    return lax.sort((keys, values), dimension=1, num_keys=2)


@case("lax.associative_scan", uniform(100, 12, low=0.5, high=1), normal(100, 12))
def associative_scan(decay, x):
    def combine(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]
    return lax.associative_scan(combine, (decay, x))[1]


@case("lax.special", uniform(40, 50, low=0.1, high=0.9))
def special(x):
    return lax.erf(x), lax.erfc(x), lax.erf_inv(x), lax.lgamma(x + 1), lax.digamma(x + 1), jax.scipy.special.i1e(x)


@case("lax.reduce", normal(20, 30, 10))
def reduce(x):
    return lax.reduce(x, jnp.array(1, x.dtype), lambda a, b: a * b + 0 * b, (1,)), lax.reduce_max(x, (0,)), jnp.any(x > 2, axis=0)


# --- nn --------------------------------------------------------------------------------------------------------------------------------


@case("nn.softmax", normal(32, 10, 77, scale=3))
def softmax(x):
    return jax.nn.softmax(x), jax.nn.log_softmax(x, axis=1), jax.nn.logsumexp(x, axis=(0, 2))


@case("nn.activations", normal(64, 100, scale=2))
def activations(x):
    return jax.nn.relu(x), jax.nn.gelu(x), jax.nn.gelu(x, approximate=False), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.elu(x), jax.nn.mish(x)


@case("nn.glu", normal(40, 64), integers(40, high=32))
def glu(x, labels):
    return jax.nn.glu(x), jax.nn.one_hot(labels, 32, dtype=x.dtype) * jax.nn.hard_swish(x[:, :32])


@case("nn.layer_norm", normal(16, 20, 96), normal(96), normal(96))
def layer_norm(x, scale, offset):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + offset, x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


@case("nn.attention", normal(2, 40, 4, 16), normal(2, 40, 4, 16), normal(2, 40, 4, 16))
def attention(query, key, value):
    return jax.nn.dot_product_attention(query, key, value), jax.nn.dot_product_attention(query, key, value, is_causal=True)


@case("nn.cross_entropy", normal(64, 50), integers(64, high=50))
def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1).mean()


# --- fft -------------------------------------------------------------------------------------------------------------------------------


@case("fft.fft", normal(10, 128), normal(10, 128))
def fft(real, imaginary):
    result = jnp.fft.fft(lax.complex(real, imaginary))
    return result.real, result.imag, jnp.abs(jnp.fft.ifft(result * result.conj()))


@case("fft.rfft", normal(20, 240))
def rfft(x):
    spectrum = jnp.fft.rfft(x)
    return jnp.abs(spectrum) ** 2, jnp.fft.irfft(spectrum * jnp.arange(121, dtype=x.dtype), n=240)


@case("fft.fft2", normal(3, 30, 36))
def fft2(x):
    spectrum = jnp.fft.fftshift(jnp.fft.fft2(x), axes=(1, 2))
    return spectrum.real, spectrum.imag


@case("fft.convolve", normal(500), normal(77))
def fft_convolve(x, kernel):
    return jax.scipy.signal.fftconvolve(x, kernel, mode="same")


# --- image -----------------------------------------------------------------------------------------------------------------------------


@case("image.resize_linear", uniform(2, 20, 24, 3))
def resize_linear(x):
    return jax.image.resize(x, (2, 33, 47, 3), "linear"), jax.image.resize(x, (2, 7, 11, 3), "linear")


@case("image.resize_cubic", uniform(2, 20, 24, 3))
def resize_cubic(x):
    return jax.image.resize(x, (2, 40, 40, 3), "cubic"), jax.image.resize(x, (2, 9, 9, 3), "lanczos3")


@case("image.resize_nearest", uniform(2, 20, 24, 3))
def resize_nearest(x):
    return jax.image.resize(x, (2, 33, 47, 3), "nearest")


@case("image.map_coordinates", uniform(30, 30), uniform(2, 20, 20, low=0, high=29))
def map_coordinates(x, coordinates):
    return jax.scipy.ndimage.map_coordinates(x, list(coordinates), order=1)


# --- random ----------------------------------------------------------------------------------------------------------------------------

_DRAWN = "the numbers drawn depend on the type"


@case("random.bits", integers(2, high=2**31 - 1, dtype="uint32"), gradient=False, single=_DRAWN)
def random_bits(key):
    first, second = jax.random.split(key)
    return jax.random.bits(first, (40, 33)), jax.random.randint(second, (100,), -5, 1000), jax.random.fold_in(key, 3)


@case("random.uniform", integers(2, high=2**31 - 1, dtype="uint32"), gradient=False, single=_DRAWN)
def random_uniform(key):
    return jax.random.uniform(key, (64, 100), jnp.float32), jax.random.bernoulli(key, jnp.float32(0.3), (50,))


@case("random.normal", integers(2, high=2**31 - 1, dtype="uint32"), gradient=False, single=_DRAWN)
def random_normal(key):
    return jax.random.normal(key, (64, 100), jnp.float32), jax.random.truncated_normal(key, jnp.float32(-1), jnp.float32(2), (77,), jnp.float32)


@case("random.permutation", integers(2, high=2**31 - 1, dtype="uint32"), gradient=False, single=_DRAWN)
def random_permutation(key):
    return jax.random.permutation(key, 200), jax.random.choice(key, 50, (20,), replace=False)


@case("random.categorical", integers(2, high=2**31 - 1, dtype="uint32"), normal(30, 20), gradient=False, single=_DRAWN)
def random_categorical(key, logits):
    return jax.random.categorical(key, logits), jax.random.gumbel(key, (40,), jnp.float32), jax.random.exponential(key, (40,), jnp.float32)


@case("random.gamma", integers(2, high=2**31 - 1, dtype="uint32"), uniform(60, low=0.5, high=5), gradient=False, single=_DRAWN)
def random_gamma(key, alpha):
    return jax.random.gamma(key, alpha, dtype=jnp.float32), jax.random.poisson(key, jnp.float32(4), (30,))


@case("random.dropout", integers(2, high=2**31 - 1, dtype="uint32"), normal(40, 50), single=_DRAWN)
def random_dropout(key, x):
    keep = jax.random.bernoulli(key, jnp.float32(0.8), x.shape)
    return jnp.where(keep, x / 0.8, 0)
