"""Writes results of jax.export into a folder: export.py FOLDER."""

import dataclasses
import os
import pathlib
import struct
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from jax._src import effects


class Noise(effects.Effect):
    """An effect that nobody knows."""

    def __eq__(self, other):
        return isinstance(other, Noise)

    def __hash__(self):
        return 1


def layer(params, x):
    return {"y": jnp.tanh(x @ params["w"] + params["b"])}, x.sum()


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    params = {"w": jax.ShapeDtypeStruct((3, 4), np.float32), "b": jax.ShapeDtypeStruct((4,), np.float32)}
    x = jax.ShapeDtypeStruct((2, 3), np.float32)

    def save(name, exported):
        (folder / f"{name}.bin").write_bytes(exported.serialize())

    plain = export.export(jax.jit(layer))(params, x)
    save("plain", plain)
    (folder / "module.mlirbc").write_bytes(plain.mlir_module_serialized)
    # The platform's number is an argument, and decides what is computed.
    choose = jax.jit(lambda x: jax.lax.platform_dependent(x, cuda=lambda x: -x, cpu=lambda x: x + 1))
    save("platforms", export.export(choose, platforms=["cuda", "cpu"])(x))
    save("tpu", export.export(jax.jit(layer), platforms=["tpu"])(params, x))
    (rows,) = export.symbolic_shape("rows")
    save("symbolic", export.export(jax.jit(layer))(params, jax.ShapeDtypeStruct((rows, 3), np.float32)))

    # Sizes that follow from others.
    rows, both = export.symbolic_shape("rows, 2*rows^2 + floordiv(rows, 2)")
    join = jax.jit(lambda x, y: jnp.concatenate([x, jnp.roll(x, 1, axis=0), y[1:]], axis=0) / x.shape[0])
    save("following", export.export(join)(jax.ShapeDtypeStruct((rows, 3), np.float32), jax.ShapeDtypeStruct((both, 3), np.float32)))

    # A constraint, a loop over slices of computed starts, a window over all rows.
    (rows,) = export.symbolic_shape("rows", constraints=["rows>=2"])

    def walk(x):
        total, _ = jax.lax.scan(lambda sum, row: (sum + row.sum(), None), 0.0, x[:-1])
        return total + x[-1].sum(), jnp.cumsum(x, axis=0)

    save("assertion", export.export(jax.jit(walk))(jax.ShapeDtypeStruct((rows, 3), np.float32)))
    # JAX does not serialize host callbacks, the usual reason of effects.
    save("effects", dataclasses.replace(plain, ordered_effects=(Noise(),)))
    mesh = jax.make_mesh((2,), ("d",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("d"))
    save("devices", export.export(jax.jit(lambda x: x * 2, in_shardings=sharding))(x))
    automatic = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    parts = jax.shard_map(lambda x: jax.lax.psum(x, "d"), mesh=automatic, in_specs=sharding.spec, out_specs=jax.sharding.PartitionSpec())
    save("parts", export.export(jax.jit(parts))(x))

    data = bytearray(plain.serialize())
    (folder / "cut.bin").write_bytes(data[: len(data) // 2])
    # A vector that claims to be longer than the file.
    at = data.find(b"ML\xefR")
    data[at - 4 : at] = struct.pack("<I", 1 << 30)
    (folder / "long.bin").write_bytes(data)


main(sys.argv[1])
