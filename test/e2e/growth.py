"""Compiles programs of a number of operations and of four times as many: a step of training may take five times the time, 4.4 times the memory.

Programs of operations that are alike may take 5.5 times the time: they are linear, but of many values at once the caches hold ever less (measured
without other work: 3.3 to 4.4; beside other tests up to a sixth more). What is quadratic takes up to sixteen times.

usage: growth.py HEDDLE TRAINING ALIKE FOLDER

TRAINING writes an unrolled step of training, ALIKE programs of operations that are alike. Time is that of processors, which other work on the
machine changes little; the best of two counts, of up to five where that is beyond.
"""

import os
import pathlib
import subprocess
import sys

MOST_TIME_OF_STEP, MOST_TIME_ALIKE, MOST_MEMORY, MOST_ROUNDS = 5.0, 5.5, 4.4, 5


def compile_once(heddle: str, model: pathlib.Path) -> tuple[float, int]:
    process = subprocess.Popen([heddle, "compile", "-q", "--force", "--custom-call", "f", model, "-o", model.with_suffix(".heddle")])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{model}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def grows_right(name: str, heddle: str, generator: list[str], least: int, most_time: float, folder: pathlib.Path) -> bool:
    models = []
    for count in (least, 4 * least):
        models.append(folder / f"{name}-{count}.mlir")
        with models[-1].open("w") as file:
            subprocess.run([sys.executable, *generator, str(count)], stdout=file, check=True)
    # Other work on the machine only adds: both sizes are measured twice, and again where that is beyond; the least of each counts. The larger is
    # measured once where that is within: a second time could only bring it further within.
    runs = [[compile_once(heddle, models[0])], []]
    for rounds in range(1, MOST_ROUNDS + 1):
        if rounds != 2:
            runs[0].append(compile_once(heddle, models[0]))
        runs[1].append(compile_once(heddle, models[1]))
        costs = [[min(column) for column in zip(*each)] for each in runs]
        time, memory = (large / small for small, large in zip(*costs))
        if time <= most_time and memory <= MOST_MEMORY:
            break
    for count, (seconds, kibibytes) in zip((least, 4 * least), costs):
        print(f"{name}, {count} operations: {seconds:.2f} s of processors, {kibibytes / 1024:.0f} MiB")
    print(f"{name}, four times the operations: {time:.2f} times the time, {memory:.2f} times the memory, measured {len(runs[0])} and {len(runs[1])} times")
    return time <= most_time and memory <= MOST_MEMORY


def main(heddle: str, training: str, alike: str, folder: str) -> int:
    good = [grows_right("step", heddle, [training], 10000, MOST_TIME_OF_STEP, pathlib.Path(folder))]
    for kind in ("weights", "buffers", "outputs", "products", "rows", "readers", "loops", "equals"):
        good.append(grows_right(kind, heddle, [alike, kind], 10000, MOST_TIME_ALIKE, pathlib.Path(folder)))
    # Fewer are enough to see these grow.
    for kind in ("nested", "derived", "folded", "calls"):
        good.append(grows_right(kind, heddle, [alike, kind], 5000, MOST_TIME_ALIKE, pathlib.Path(folder)))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
