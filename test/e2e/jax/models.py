"""Whole models, small but with the real blocks, and their training steps."""

import jax
import jax.numpy as jnp
from jax import lax

from cases import case, integers, normal, ones, zeros

# --- ResNet: stem, two stages of two blocks, the second with stride and projection ---------------------------------------------------


def _convolution(x, kernel, stride=1):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def _batch_norm(x, norm):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    return (x - mean) * lax.rsqrt(variance + 1e-5) * norm["scale"] + norm["offset"]


def _norm(channels):
    return {"scale": ones(channels), "offset": zeros(channels)}


def _block(inputs, outputs):
    block = {"first": normal(3, 3, inputs, outputs, scale=0.1), "norm1": _norm(outputs),
             "second": normal(3, 3, outputs, outputs, scale=0.1), "norm2": _norm(outputs)}
    if inputs != outputs:
        block["project"] = normal(1, 1, inputs, outputs, scale=0.3)
    return block


RESNET = {"stem": normal(7, 7, 3, 16, scale=0.1), "norm": _norm(16),
          "blocks": [_block(16, 16), _block(16, 16), _block(16, 32), _block(32, 32)], "head": normal(32, 10, scale=0.2), "bias": zeros(10)}


def _resnet(parameters, images):
    x = jax.nn.relu(_batch_norm(_convolution(images, parameters["stem"], 2), parameters["norm"]))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for block in parameters["blocks"]:
        stride = 2 if "project" in block else 1
        shortcut = _convolution(x, block["project"], stride) if "project" in block else x
        y = jax.nn.relu(_batch_norm(_convolution(x, block["first"], stride), block["norm1"]))
        x = jax.nn.relu(shortcut + _batch_norm(_convolution(y, block["second"]), block["norm2"]))
    return x.mean((1, 2)) @ parameters["head"] + parameters["bias"]


def _cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1).mean()


@case("model.resnet", RESNET, normal(2, 64, 64, 3), gradient=False)
def resnet(parameters, images):
    return _resnet(parameters, images)


@case("model.resnet_gradient", RESNET, normal(2, 64, 64, 3), integers(2, high=10), gradient=False)
def resnet_gradient(parameters, images, labels):
    return jax.value_and_grad(lambda p: _cross_entropy(_resnet(p, images), labels))(parameters)


# --- Transformer: two layers, causal, a training step with Adam ----------------------------------------------------------------------

_WIDTH, _HEADS, _VOCABULARY = 64, 4, 100


def _layer():
    return {"qkv": normal(_WIDTH, 3 * _WIDTH, scale=0.1), "out": normal(_WIDTH, _WIDTH, scale=0.1), "norm1": ones(_WIDTH), "norm2": ones(_WIDTH),
            "up": normal(_WIDTH, 4 * _WIDTH, scale=0.1), "down": normal(4 * _WIDTH, _WIDTH, scale=0.1)}


TRANSFORMER = {"embedding": normal(_VOCABULARY, _WIDTH, scale=0.5), "positions": normal(32, _WIDTH, scale=0.1), "layers": [_layer(), _layer()],
               "norm": ones(_WIDTH)}
MOMENTS = jax.tree.map(lambda make: lambda random: make(random) * 0, TRANSFORMER)


def _rms_norm(x, scale):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def _transformer(parameters, tokens):
    x = parameters["embedding"][tokens] + parameters["positions"]
    batch, length, _ = x.shape
    for layer in parameters["layers"]:
        qkv = (_rms_norm(x, layer["norm1"]) @ layer["qkv"]).reshape(batch, length, 3, _HEADS, _WIDTH // _HEADS)
        attended = jax.nn.dot_product_attention(qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], is_causal=True)
        x = x + attended.reshape(batch, length, _WIDTH) @ layer["out"]
        x = x + jax.nn.gelu(_rms_norm(x, layer["norm2"]) @ layer["up"]) @ layer["down"]
    return _rms_norm(x, parameters["norm"]) @ parameters["embedding"].T


@case("model.transformer", TRANSFORMER, integers(2, 32, high=_VOCABULARY), gradient=False)
def transformer(parameters, tokens):
    return _transformer(parameters, tokens)


@case("model.transformer_adam", TRANSFORMER, MOMENTS, MOMENTS, integers(high=5), integers(2, 33, high=_VOCABULARY), gradient=False)
def transformer_adam(parameters, first, second, count, tokens):
    """One training step. The moments leave unscaled: a first step of Adam is the gradient's sign, which no precision defines near zero."""
    loss, gradients = jax.value_and_grad(lambda p: _cross_entropy(_transformer(p, tokens[:, :-1]), tokens[:, 1:]))(parameters)
    step = count.astype(loss.dtype) + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
    rate = 1e-3 * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    parameters = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-4), parameters, first, second)
    return loss, parameters, first, second


# --- Mamba: one block with a selective scan ------------------------------------------------------------------------------------------

_INNER, _STATE, _RANK = 48, 8, 4
MAMBA = {"norm": ones(24), "in": normal(24, 2 * _INNER, scale=0.2), "conv": normal(4, 1, _INNER, scale=0.4), "conv_bias": zeros(_INNER),
         "x": normal(_INNER, _RANK + 2 * _STATE, scale=0.2), "dt": normal(_RANK, _INNER, scale=0.3), "dt_bias": zeros(_INNER),
         "a_log": normal(_INNER, _STATE, scale=0.5), "d": ones(_INNER), "out": normal(_INNER, 24, scale=0.2)}


def _mamba(parameters, x, recurrence):
    hidden, gate = jnp.split(_rms_norm(x, parameters["norm"]) @ parameters["in"], 2, axis=-1)
    hidden = lax.conv_general_dilated(hidden, parameters["conv"], (1,), [(3, 0)], dimension_numbers=("NWC", "WIO", "NWC"),
                                      feature_group_count=_INNER) + parameters["conv_bias"]
    hidden = jax.nn.silu(hidden)
    projected = hidden @ parameters["x"]
    delta = jax.nn.softplus(projected[..., :_RANK] @ parameters["dt"] + parameters["dt_bias"])
    b, c = projected[..., _RANK:_RANK + _STATE], projected[..., _RANK + _STATE:]
    decay = jnp.exp(delta[..., None] * -jnp.exp(parameters["a_log"]))
    states = recurrence(decay, (delta * hidden)[..., None] * b[:, :, None, :])
    y = jnp.einsum("blds,bls->bld", states, c) + hidden * parameters["d"]
    return x + (y * jax.nn.silu(gate)) @ parameters["out"]


def _sequential(decay, drive):
    def step(state, inputs):
        state = inputs[0] * state + inputs[1]
        return state, state
    moved = (decay.swapaxes(0, 1), drive.swapaxes(0, 1))
    return lax.scan(step, jnp.zeros_like(drive[:, 0]), moved)[1].swapaxes(0, 1)


def _associative(decay, drive):
    return lax.associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (decay, drive), axis=1)[1]


@case("model.mamba", MAMBA, normal(2, 40, 24))
def mamba(parameters, x):
    return _mamba(parameters, x, _sequential)


@case("model.mamba_parallel", MAMBA, normal(2, 40, 24))
def mamba_parallel(parameters, x):
    return _mamba(parameters, x, _associative)


# --- Mixture of experts: top-2 routing with capacity, dispatched by scatter and gather ------------------------------------------------

_EXPERTS, _CAPACITY = 8, 24
MOE = {"router": normal(32, _EXPERTS, scale=0.5), "up": normal(_EXPERTS, 32, 64, scale=0.2), "down": normal(_EXPERTS, 64, 32, scale=0.2)}


@case("model.moe", MOE, normal(64, 32))
def moe(parameters, tokens):
    gates, experts = lax.top_k(jax.nn.softmax(tokens @ parameters["router"]), 2)
    gates = gates / gates.sum(-1, keepdims=True)
    assigned = jax.nn.one_hot(experts.reshape(-1), _EXPERTS, dtype=jnp.int32)
    position = (jnp.cumsum(assigned, axis=0) * assigned).sum(-1) - 1
    expert, kept = experts.reshape(-1), position < _CAPACITY
    slot = jnp.where(kept, position, _CAPACITY)
    buffers = jnp.zeros((_EXPERTS, _CAPACITY + 1, 32), tokens.dtype).at[expert, slot].add(jnp.repeat(tokens, 2, axis=0))
    hidden = jax.nn.silu(jnp.einsum("ecd,edf->ecf", buffers, parameters["up"]))
    outputs = jnp.einsum("ecf,efd->ecd", hidden, parameters["down"])
    gathered = outputs[expert, slot] * (gates.reshape(-1) * kept)[:, None]
    return gathered.reshape(64, 2, 32).sum(1)


# --- A perceptron's training step, a convolutional autoencoder, a graph network -------------------------------------------------------


@case("model.perceptron_sgd", [normal(30, 64, scale=0.2), normal(64, 64, scale=0.2), normal(64, 5, scale=0.2)], normal(40, 30), normal(40, 5),
      gradient=False)
def perceptron_sgd(weights, x, y):
    def loss(weights):
        h = x
        for weight in weights[:-1]:
            h = jax.nn.relu(h @ weight)
        return ((h @ weights[-1] - y) ** 2).mean()
    value, gradients = jax.value_and_grad(loss)(weights)
    return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)


@case("model.autoencoder", {"down": normal(4, 4, 1, 8, scale=0.2), "mean": normal(8 * 49, 6, scale=0.1), "up": normal(6, 8 * 49, scale=0.1),
                            "transposed": normal(4, 4, 8, 1, scale=0.2)}, normal(3, 14, 14, 1), normal(3, 6))
def autoencoder(parameters, images, noise):
    h = jax.nn.elu(_convolution(images, parameters["down"], 2)).reshape(3, -1)
    code = h @ parameters["mean"] + 0.1 * noise
    h = jax.nn.elu(code @ parameters["up"]).reshape(3, 7, 7, 8)
    image = lax.conv_transpose(h, parameters["transposed"], (2, 2), "SAME")
    return ((jax.nn.sigmoid(image) - images) ** 2).mean() + 0.01 * (code**2).mean(), code


@case("model.graph_network", normal(40, 16), integers(150, high=40), integers(150, high=40), normal(32, 16, scale=0.3), normal(16, 16, scale=0.3))
def graph_network(nodes, senders, receivers, message, update):
    for _ in range(2):
        messages = jax.nn.relu(jnp.concatenate([nodes[senders], nodes[receivers]], axis=1) @ message)
        nodes = jnp.tanh(jax.ops.segment_sum(messages, receivers, 40) @ update + nodes)
    return nodes
