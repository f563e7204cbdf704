"""Programs that JAX shards over eight devices, as it hands them to a compiler, partitioned and run.

usage: jax_programs.py PARTITIONED_PROGRAMS SCRATCH

Writes what `jit(...).lower` gives for each program and lets the tool propagate, partition and compare with one device. Prints a line for each
program with its number of collectives, and last how many are equal.
"""

import os
import pathlib
import re
import subprocess
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as Axes

MESH = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def tensor(shape, *axes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(MESH, Axes(*axes)))


def tokens(shape, *axes):
    return tensor(shape, *axes, dtype=jnp.int32)


def perceptron(parameters, x):
    hidden = jax.nn.relu(x @ parameters["w"] + parameters["b"])
    return hidden @ parameters["v"]


def training_step(parameters, moments, x, y):
    """One step of Adam without its corrections."""
    loss, gradients = jax.value_and_grad(lambda p: jnp.mean((perceptron(p, x) - y) ** 2))(parameters)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradients)
    second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g * g, moments[1], gradients)
    updated = jax.tree.map(lambda p, m, v: p - 0.01 * m / (jnp.sqrt(v) + 1e-3), parameters, first, second)
    return updated, (first, second), loss


def training_arguments(w, b, v, batch):
    parameters = {"w": tensor((16, 32), *w), "b": tensor((32,), *b), "v": tensor((32, 8), *v)}
    return parameters, (parameters, parameters), tensor((24, 16), batch, None), tensor((24, 8), batch, None)


def attention(x, wq, wk, wv, wo):
    batch, length, _ = x.shape
    q, k, v = ((x @ w).reshape(batch, length, 4, -1) for w in (wq, wk, wv))
    q = jax.lax.with_sharding_constraint(q, NamedSharding(MESH, Axes("data", None, "model", None)))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4
    causal = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, -1) @ wo


def norm(x, scale):
    centered = x - x.mean(-1, keepdims=True)
    return centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5) * scale


def block(x, scale, wq, wk, wv, wo, w, v):
    x = x + attention(norm(x, scale), wq, wk, wv, wo)
    return x + jax.nn.gelu(norm(x, scale) @ w) @ v


def block_arguments(batch="data", model="model", sequence=None):
    projection = tensor((16, 32), None, model)
    return (tensor((4, 6, 16), batch, sequence, None), tensor((16,), None), projection, projection, projection, tensor((32, 16), model, None),
            tensor((16, 64), None, model), tensor((64, 16), model, None))


def layers(x, weights):
    return jax.lax.scan(lambda h, w: (jnp.tanh(h @ w), h.sum()), x, weights)


def embedding(table, places):
    return table[places].sum(1)


def convolution(x, w, v):
    def layer(y, kernel):
        return jax.nn.relu(jax.lax.conv_general_dilated(y, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))

    return layer(layer(x, w), v).mean((1, 2))


def experts(x, gate, w, v):
    """Every expert sees all tokens; what it gives counts by the gate."""
    weights = jax.nn.softmax(x @ gate)
    hidden = jax.nn.relu(jnp.einsum("td,edh->teh", x, w))
    return jnp.einsum("te,teh,ehd->td", weights, hidden, v)


def gradient_of(function, *arguments):
    return lambda *values: jax.grad(lambda *given: (function(*given) ** 2).sum(), argnums=arguments)(*values)


WHOLE = (None, None)
PROGRAMS = {
    "step_data": (training_step, training_arguments(WHOLE, (None,), WHOLE, "data")),
    "step_tensor": (training_step, training_arguments((None, "model"), ("model",), ("model", None), None)),
    "step_data_tensor": (training_step, training_arguments((None, "model"), ("model",), ("model", None), "data")),
    "step_parameters_in_parts": (training_step, training_arguments(("data", None), ("data",), ("data", None), "data")),
    "step_two_axes_of_batch": (training_step, training_arguments(WHOLE, (None,), WHOLE, ("data", "model"))),
    "block": (block, block_arguments()),
    "block_gradient": (gradient_of(block, 0, 2, 5, 6, 7), block_arguments()),
    "block_sequence": (block, block_arguments(batch=None, model=None, sequence="model")),
    "layers": (layers, (tensor((8, 16), "data", None), tensor((3, 16, 16), None, None, "model"))),
    "layers_gradient": (gradient_of(lambda x, w: layers(x, w)[0], 1), (tensor((8, 16), "data", None), tensor((3, 16, 16), None, None, None))),
    "embedding": (embedding, (tensor((10, 8), "model", None), tokens((8, 3), "data", None))),
    "embedding_gradient": (gradient_of(embedding, 0), (tensor((10, 8), "model", None), tokens((8, 3), "data", None))),
    "convolution": (convolution, (tensor((4, 6, 6, 4), "data", None, None, None), tensor((3, 3, 4, 8), None, None, None, "model"),
                                  tensor((3, 3, 8, 4), None, None, "model", None))),
    "convolution_gradient": (gradient_of(convolution, 1, 2), (tensor((4, 6, 6, 4), "data", None, None, None), tensor((3, 3, 4, 8), None, None, None, None),
                                                              tensor((3, 3, 8, 4), None, None, None, None))),
    "experts": (experts, (tensor((8, 6), "data", None), tensor((6, 4), None, None), tensor((4, 6, 12), "model", None, None),
                          tensor((4, 12, 6), "model", None, None))),
}


def main() -> int:
    tool, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
    scratch.mkdir(parents=True, exist_ok=True)
    equal = 0
    for name, (function, arguments) in PROGRAMS.items():
        path = scratch / f"{name}.mlir"
        path.write_text(jax.jit(function).lower(*arguments).as_text())
        run = subprocess.run([tool, "--file", path], capture_output=True, text=True, check=False)
        counts = re.search(r"(\d+) on parts, (\d+) collectives, 0 wrong", run.stdout)
        if counts:
            equal += 1
            print(f"{name}: {counts[2]} collectives")
        else:
            print(f"{name}: {run.stdout.strip()} {run.stderr.strip()}")
    print(f"{equal} of {len(PROGRAMS)} programs are equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
