"""What jaxlib's CPU compiler makes of a StableHLO program: an implementation that shares no line with heddle.

jaxlib aborts on some programs that it does not take, so it works in a process of its own, which starts again when it died.
"""

import os
import pickle
import subprocess
import sys


class Refused(Exception):
    """jaxlib does not take the program."""


class Oracle:

    def __init__(self):
        self.worker = None

    def run(self, text, arguments):
        """The results of @main as numpy arrays."""
        if self.worker is None:
            self.worker = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            pickle.dump((text, arguments), self.worker.stdin)
            self.worker.stdin.flush()
            kind, value = pickle.load(self.worker.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            status = self.worker.wait()
            self.worker = None
            raise Refused(f"jaxlib died of signal {-status}" if status < 0 else f"jaxlib ended with status {status}") from error
        if kind == "refused":
            raise Refused(value)
        return value

    def close(self):
        if self.worker is not None:
            self.worker.stdin.close()
            self.worker.wait()
            self.worker = None


def serve():
    # Programs run once: what they are compiled to need not be fast.
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
    import jax  # pylint: disable=import-outside-toplevel
    import numpy as np  # pylint: disable=import-outside-toplevel
    from jax._src import xla_bridge  # pylint: disable=import-outside-toplevel
    from jax._src.interpreters import mlir as jax_mlir  # pylint: disable=import-outside-toplevel
    from jaxlib import xla_client  # pylint: disable=import-outside-toplevel
    from jaxlib.mlir import ir  # pylint: disable=import-outside-toplevel

    jax.config.update("jax_enable_x64", True)
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
    # Only answers may go to the pipe.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            text, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            with jax_mlir.make_ir_context():
                module = ir.Module.parse(text)
                options = xla_client.CompileOptions()
                options.num_replicas = options.num_partitions = 1
                executable = backend.compile_and_load(module.operation.get_asm(), devices, options)
            buffers = [jax.device_put(a, devices[0]) for a in arguments]
            answer = "results", [np.asarray(result) for result in executable.execute(buffers)]
        except Exception as error:  # pylint: disable=broad-except # jaxlib raises several kinds
            answer = "refused", str(error).split("\n", maxsplit=1)[0]
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    serve()
