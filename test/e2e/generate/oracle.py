"""What jaxlib's CPU compiler makes of StableHLO programs: an implementation that shares no line with heddle.

jaxlib aborts on some programs that it does not take, so it works in a process of its own, which starts again when it died. Most of what it
takes for a small program is the same for several in one module, so it gets them together; a group that it does not take is divided
until the program that it does not take is alone.
"""

import os
import pickle
import re
import subprocess
import sys

# Programs run once: what they are compiled to need not be fast. Its emitters of fusions start a compiler of their own for each operation.
FLAGS = ("--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true "
         "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1")


class Refused(Exception):
    """jaxlib does not take the program."""


class Oracle:

    def __init__(self):
        self.worker = None

    def run(self, programs):
        """For each program, a pair of text and arguments, the results of @main as numpy arrays; or the Refused that says why there are none."""
        if not programs:
            return []
        answers = self.ask(programs)
        if isinstance(answers, list):
            return answers
        if len(programs) == 1:
            return [answers]
        half = len(programs) // 2
        return self.run(programs[:half]) + self.run(programs[half:])

    def ask(self, programs):
        """The list of answers; or the Refused that jaxlib makes of the group."""
        if self.worker is None:
            self.worker = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            pickle.dump(programs, self.worker.stdin)
            self.worker.stdin.flush()
            return pickle.load(self.worker.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            status = self.worker.wait()
            self.worker = None
            return Refused(f"jaxlib died of signal {-status}" if status < 0 else f"jaxlib ended with status {status}")

    def close(self):
        if self.worker is not None:
            self.worker.stdin.close()
            self.worker.wait()
            self.worker = None


def together(programs):
    """One module of several: @main takes the arguments of all and gives the results of all. `programs` are texts with the types of their
    @main's arguments and results."""
    functions, parameters, calls, results, types = [], [], [], [], []
    for number, (text, inputs, outputs) in enumerate(programs):
        functions.append(re.sub(r"@f(\d+)\b", rf"@p{number}f\1", text).replace("func.func @main(", f"func.func private @p{number}(", 1))
        names = [f"%p{number}a{i}" for i in range(len(inputs))]
        parameters += map("{}: {}".format, names, inputs)
        calls.append(f"  %p{number}r:{len(outputs)} = call @p{number}({', '.join(names)}) : ({', '.join(inputs)}) -> ({', '.join(outputs)})")
        results += [f"%p{number}r#{i}" for i in range(len(outputs))]
        types += outputs
    return "\n".join([f"func.func @main({', '.join(parameters)}) -> ({', '.join(types)}) {{", *calls,
                      f"  return {', '.join(results)} : {', '.join(types)}", "}", *functions])


def serve():
    os.environ.setdefault("XLA_FLAGS", FLAGS)
    import jax  # pylint: disable=import-outside-toplevel
    import numpy as np  # pylint: disable=import-outside-toplevel
    from jax._src import xla_bridge  # pylint: disable=import-outside-toplevel
    from jax._src.interpreters import mlir as jax_mlir  # pylint: disable=import-outside-toplevel
    from jaxlib import xla_client  # pylint: disable=import-outside-toplevel
    from jaxlib.mlir import ir  # pylint: disable=import-outside-toplevel

    jax.config.update("jax_enable_x64", True)
    backend = xla_bridge.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))

    def evaluate(text, arguments):
        module = ir.Module.parse(text)
        options = xla_client.CompileOptions()
        options.num_replicas = options.num_partitions = 1
        executable = backend.compile_and_load(module.operation.get_asm(), devices, options)
        return [np.asarray(result) for result in executable.execute([jax.device_put(a, devices[0]) for a in arguments])]

    def signature(text):
        type = ir.Module.parse(text).body.operations[0].type
        return [str(each) for each in type.inputs], [str(each) for each in type.results]

    def answer(programs):
        answers, taken = [None] * len(programs), []
        with jax_mlir.make_ir_context():
            for i, (text, _) in enumerate(programs):
                try:
                    taken.append((i, (text, *signature(text))))
                except Exception as error:  # pylint: disable=broad-except # jaxlib raises several kinds
                    answers[i] = refusal(error)
            if taken:
                text = together([program for _, program in taken]) if len(programs) > 1 else programs[0][0]
                results = evaluate(text, [argument for i, _ in taken for argument in programs[i][1]])
            for i, (_, _, outputs) in taken:
                answers[i], results = results[:len(outputs)], results[len(outputs):]
        return answers

    answer_requests(answer)


def refusal(error):
    return Refused(str(error).split("\n", maxsplit=1)[0])


def answer_requests(answer):
    """Answers what comes by the pipe, to the last."""
    # Only answers may go to the pipe.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            programs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answered = answer(programs)
        except Exception as error:  # pylint: disable=broad-except
            answered = refusal(error)
        pickle.dump(answered, answers)
        answers.flush()


if __name__ == "__main__":
    # Answers are of this file's types as others import them, not as this process's main module has them.
    import oracle
    oracle.serve()
