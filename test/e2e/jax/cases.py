"""The programs of the JAX suite: a registry, and what their inputs are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Make = Callable[[np.random.Generator], np.ndarray]


@dataclasses.dataclass
class Case:
    """A function and its inputs. Every output of floating point is measured against the same function evaluated in double precision."""
    name: str
    function: Callable[..., Any]
    inputs: Callable[[np.random.Generator], tuple]
    # Why double precision says nothing here, if so: results are then held against jax's own in single precision.
    single: str = ""


ALL: dict[str, Case] = {}


def case(name: str, *inputs: Any, gradient: bool = True, single: str = ""):
    """Registers a function under `name`, and its gradient by all inputs of floating point under `name/grad`."""
    def register(function):
        def make(random: np.random.Generator) -> tuple:
            return tuple(jax.tree.map(lambda leaf: leaf(random), tree) for tree in inputs)

        ALL[name] = Case(name, function, make, single)
        if gradient:
            ALL[f"{name}/grad"] = Case(f"{name}/grad", gradient_of(function), make, single)
        return function
    return register


def is_float(value) -> bool:
    return jnp.issubdtype(value.dtype, jnp.floating)


def gradient_of(function):
    """The vector-Jacobian product with fixed cotangents: a gradient that does not vanish for sums and norms."""
    def weight(leaf):
        angles = jnp.arange(leaf.size, dtype=leaf.real.dtype).reshape(leaf.shape)
        return jnp.sum(leaf.real * jnp.cos(angles)) + (jnp.sum(leaf.imag * jnp.sin(angles)) if jnp.iscomplexobj(leaf) else 0)

    def gradient(*args):
        leaves, tree = jax.tree.flatten(args)
        floats = [index for index, leaf in enumerate(leaves) if is_float(leaf)]

        def scalar(values):
            merged = list(leaves)
            for index, value in zip(floats, values):
                merged[index] = value
            results = jax.tree.leaves(function(*jax.tree.unflatten(tree, merged)))
            return sum(weight(leaf) for leaf in results if jnp.issubdtype(leaf.dtype, jnp.inexact))
        return jax.grad(scalar)([leaves[index] for index in floats])
    return gradient


def normal(*shape: int, scale: float = 1.0) -> Make:
    return lambda random: (random.standard_normal(shape) * scale).astype(np.float32)


def uniform(*shape: int, low: float = 0.0, high: float = 1.0) -> Make:
    return lambda random: random.uniform(low, high, shape).astype(np.float32)


def integers(*shape: int, low: int = 0, high: int = 100, dtype=np.int32) -> Make:
    return lambda random: random.integers(low, high, shape, dtype=dtype)


def booleans(*shape: int) -> Make:
    return lambda random: random.integers(0, 2, shape).astype(bool)


def ones(*shape: int) -> Make:
    return lambda random: np.ones(shape, np.float32)


def zeros(*shape: int) -> Make:
    return lambda random: np.zeros(shape, np.float32)


def positive_definite(*batch: int, n: int) -> Make:
    def make(random: np.random.Generator) -> np.ndarray:
        root = random.standard_normal((*batch, n, n))
        return (root @ root.swapaxes(-1, -2) / n + np.eye(n)).astype(np.float32)
    return make


def well_conditioned(*batch: int, n: int) -> Make:
    """Random with a strong diagonal: solving loses few digits."""
    def make(random: np.random.Generator) -> np.ndarray:
        return (random.standard_normal((*batch, n, n)) / np.sqrt(n) + 2 * np.eye(n)).astype(np.float32)
    return make
