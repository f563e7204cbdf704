"""Random StableHLO programs: compiled and interpreted by heddle, against jaxlib's CPU compiler.

    random_programs.py HEDDLE [--count N] [--seed S] [--keep FOLDER]

Prints each program that differs, with a command that repeats it. Programs S, S + 1, ... depend on their number alone; without --seed they
start at a hash of the tool, so that each build of it sees other programs, and the same build the same ones.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import operations
from oracle import Oracle, Refused
from program import Program, Type


def generate(seed, size=None):
    program = Program(seed)
    for _ in range(2):
        program.input(Type(program.shape(), program.element()))
    wanted = size or program.random.randint(1, 8)
    while len(program.lines) < wanted:
        add = program.random.choice(operations.ALL)
        before = len(program.values)
        if add(program) is None:
            continue
        # Nothing grows without end.
        if any(value.type.size > 20000 for value in program.values[before:]):
            return generate(seed + (1 << 32), size)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", help="folder for the programs; default: a temporary one")
    options = parser.parse_args()
    if options.seed is None:
        tool = shutil.which(options.heddle) or options.heddle
        options.seed = int.from_bytes(hashlib.sha256(pathlib.Path(tool).read_bytes()).digest()[:4], "little")
    print(f"seeds {options.seed} to {options.seed + options.count - 1}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.exit(check(options, folder))


def check(options, folder):
    oracle, refused, files = Oracle(), collections.Counter(), []
    for seed in range(options.seed, options.seed + options.count):
        program = generate(seed)
        try:
            expected = oracle.run(program.with_arguments(), [data for _, data in program.inputs])
        except Refused as error:
            refused[str(error)[:100]] += 1
            continue
        path = folder / f"program-{seed}.mlir"
        path.write_text(program.checking(expected))
        files.append(str(path))
    for reason, count in refused.most_common():
        print(f"jaxlib refuses {count}: {reason}")

    failed = 0
    for how in ([], ["--interpret"]):
        name = "interpreted" if how else "compiled"
        report = {"failures": [], "skips": [], "passed": 0, "failed": 0, "skipped": 0, "checks": 0}
        for begin in range(0, len(files), 1000):  # command lines are finite
            run = subprocess.run([options.heddle, "test", "--json", *how, *files[begin:begin + 1000]], stdout=subprocess.PIPE, text=True,
                                 check=False)
            for key, value in json.loads(run.stdout).items():
                report[key] += value
        shown = set()
        for failure in report["failures"]:
            seed = pathlib.Path(failure["file"]).stem.split("-")[1]
            print(f"{name}: seed {seed}: {failure['message']}")
            if seed not in shown:
                print(f"    repeat: {sys.executable} {os.path.abspath(__file__)} {options.heddle} --seed {seed} --count 1 --keep /tmp/random")
            shown.add(seed)
        failed += report["failed"]
        reasons = collections.Counter(skip["reason"] for skip in report["skips"])
        for reason, count in reasons.most_common(20):
            print(f"{name}: skipped {count}: {reason}")
        print(f"{name}: {report['passed']} passed, {report['failed']} failed, {report['skipped']} skipped, {report['checks']} checks")
    print(f"{len(files)} programs compared, {sum(refused.values())} that jaxlib refuses, {failed} differ")
    # A generator whose programs nobody takes would prove nothing.
    return 1 if failed or len(files) < 0.8 * options.count else 0


if __name__ == "__main__":
    main()
