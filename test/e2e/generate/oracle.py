"""What jaxlib's CPU compiler makes of a StableHLO program: an implementation that shares no line with heddle."""

import os

# Programs run once: what they are compiled to need not be fast.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

# pylint: disable=wrong-import-position
import jax
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jaxlib import xla_client
from jaxlib.mlir import ir


jax.config.update("jax_enable_x64", True)


class Refused(Exception):
    """jaxlib does not take the program."""


class Oracle:

    def __init__(self):
        self.backend = xla_bridge.get_backend("cpu")
        self.devices = xla_client.DeviceList(tuple(self.backend.local_devices()[:1]))

    def run(self, text, arguments):
        """The results of @main as numpy arrays."""
        try:
            context = jax_mlir.make_ir_context()
            with context:
                module = ir.Module.parse(text)
                options = xla_client.CompileOptions()
                options.num_replicas = options.num_partitions = 1
                executable = self.backend.compile_and_load(module.operation.get_asm(), self.devices, options)
            buffers = [jax.device_put(a, self.devices[0]) for a in arguments]
            return [np.asarray(result) for result in executable.execute(buffers)]
        except Exception as error:  # jaxlib raises several kinds
            raise Refused(str(error).split("\n")[0]) from error
