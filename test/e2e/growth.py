"""Compiles a training step of 10,000 and of 40,000 operations: time may grow five times, memory 4.4 times.

usage: growth.py HEDDLE GENERATOR FOLDER

Time is that of processors, which other work on the machine changes little; the best of three counts.
"""

import os
import pathlib
import subprocess
import sys

MOST_TIME, MOST_MEMORY = 5.0, 4.4


def compile_once(heddle: str, model: pathlib.Path) -> tuple[float, int]:
    process = subprocess.Popen([heddle, "compile", "-q", "--force", model, "-o", model.with_suffix(".heddle")])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{model}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main(heddle: str, generator: str, folder: str) -> int:
    costs = []
    for count in (10000, 40000):
        model = pathlib.Path(folder) / f"step-{count}.mlir"
        with model.open("w") as file:
            subprocess.run([sys.executable, generator, str(count)], stdout=file, check=True)
        runs = [compile_once(heddle, model) for _ in range(3)]
        costs.append([min(column) for column in zip(*runs)])
        print(f"{count} operations: {costs[-1][0]:.2f} s of processors, {costs[-1][1] / 1024:.0f} MiB")
    time, memory = (large / small for small, large in zip(*costs))
    print(f"four times the operations: {time:.2f} times the time, {memory:.2f} times the memory")
    return 0 if time <= MOST_TIME and memory <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
