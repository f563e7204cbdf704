"""Random StableHLO programs on integers of less than a byte: compiled against interpreted, because jaxlib computes with them in bytes.

    narrow_programs.py HEDDLE [--count N] [--seed S] [--keep FOLDER]

Only whole numbers are results, and every bit of them counts.
"""

import argparse
import pathlib
import sys
import tempfile

from elements import FLOATS, SMALL_INTS
from random_programs import generate
from reduction import run_tests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs; default: a temporary one")
    options = parser.parse_args()
    seed = options.seed
    print(f"seeds {seed} to {seed + options.count - 1}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for number in range(seed, seed + options.count):
            program = generate(number, set(SMALL_INTS + FLOATS), narrow=0.7)
            # What runs on several devices is interpreted in another form than it is compiled in.
            if any(step.interpreted for step in program.steps) or not program.whole_results():
                continue
            files.append(folder / f"narrow-{number}.mlir")
            files[-1].write_text(program.unchecked())
        report = run_tests(options.heddle, [], files)
    # Numbers are made up: some are places that no tensor has.
    failures = [failure for failure in report["failures"] if "HDL-0381" not in failure["message"]]
    for failure in failures:
        print(failure)
    for skip in report["skips"]:
        print(f"not compiled: {skip}")
    print(f"{len(files)} programs, {report['passed']} equal, {len(failures)} differ, {report['skipped']} not compiled")
    return 1 if failures or len(files) < 0.5 * options.count else 0


if __name__ == "__main__":
    sys.exit(main())
