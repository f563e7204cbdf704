"""Compares each artifact of golden/ with the numbers stored beside it.

usage: golden.py HEDDLE

Prints a line for each that is not right, and `N artifacts of N functions, N wrong`.
"""

import pathlib
import subprocess
import sys

# Sizes that the exporter left open.
OPTIONS = {"batches": ["--shape", "0=2x3x3"]}


def main():
    folder = pathlib.Path(__file__).parent / "golden"
    wrong, names = 0, set()
    artifacts = sorted(file for file in folder.iterdir() if file.suffix in (".bin", ".mlirbc"))
    for file in artifacts:
        name = file.name.split(".")[0]
        names.add(name)
        done = subprocess.run([sys.argv[1], "compare", "-q", file, "--inputs", folder / f"{name}.inputs.npz", "--against",
                               folder / f"{name}.outputs.npz", "--rtol", "1e-5", "--atol", "2e-6",
                               *OPTIONS.get(name, [])],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode or "WRONG" in done.stdout:
            wrong += 1
            print(f"{file.name}: {done.stdout}")
    print(f"{len(artifacts)} artifacts of {len(names)} functions, {wrong} wrong")


if __name__ == "__main__":
    main()
