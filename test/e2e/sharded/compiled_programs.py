"""Sharded programs, compiled for the devices of their mesh, compute what they compute compiled for one device.

usage: compiled_programs.py HEDDLE SCRATCH [FILE...] [--random PARTITIONED_PROGRAMS COUNT FIRST]

The programs of files, divided by `// -----`, and COUNT random ones from number FIRST on. Integers and truths must be
equal, floats within the error of sums in another order (relative to the largest element, as in partitioned-programs); a second run, by processes in place of threads, must
give the same bits. Prints a line for each program that differs, and last how many were tried.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np

RELATIVE_ERROR = 1e-5


def mesh_of(text: str) -> str:
    """The axes of the program's mesh, as --mesh has them."""
    axes = re.findall(r'"(\w+)"=(\d+)', re.search(r"sdy\.mesh @\w+ = <\[(.*?)\]", text)[1])
    return ",".join(f"{name}={size}" for name, size in axes)


def call(command: list[str]) -> dict:
    """The document that a command prints; an error as it tells it."""
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit code {done.returncode}")
    return json.loads(done.stdout)


def compiled(heddle: str, path: pathlib.Path, artifact: pathlib.Path, options: list[str]) -> pathlib.Path:
    call([heddle, "compile", str(path), "-o", str(artifact), *options])
    return artifact


def inputs_for(heddle: str, artifact: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """Options that give each input numbers of either sign; integers are small, as some say where something is."""
    random = np.random.default_rng(7)
    options = []
    for index, tensor in enumerate(call([heddle, "inspect", str(artifact)])["entries"][0]["inputs"]):
        kind, shape = tensor["dtype"], tensor["shape"]
        if kind == "i1":
            values = random.integers(0, 2, shape).astype(np.bool_)
        elif kind[0] == "f":
            values = random.uniform(-1, 1, shape).astype(f"float{kind[1:]}")
        else:
            values = random.integers(0, 5, shape).astype(kind.replace("ui", "uint") if kind[0] == "u" else f"int{kind[1:]}")
        file = folder / f"input{index}.npy"
        np.save(file, values)
        options += ["--input", f"{tensor['name']}=@{file}"]
    return options


def run(heddle: str, artifact: pathlib.Path, folder: pathlib.Path, options: list[str]) -> dict[str, np.ndarray]:
    """The outputs of one run, by name."""
    document = call([heddle, "run", str(artifact), "--output", str(folder), *options])
    return {output["name"]: np.load(output["file"]) for output in document["outputs"]}


def difference(expected: np.ndarray, given: np.ndarray) -> str:
    if expected.dtype != given.dtype or expected.shape != given.shape:
        return f"is {given.dtype}{given.shape}, not {expected.dtype}{expected.shape}"
    if expected.tobytes() == given.tobytes() or expected.size == 0:
        return ""
    if not np.issubdtype(expected.dtype, np.floating):
        return "differs"
    same = (expected == given) | (np.isnan(expected) & np.isnan(given))
    finite = np.abs(expected[np.isfinite(expected)])
    largest = max(1.0, float(finite.max()) if finite.size else 1.0)
    with np.errstate(invalid="ignore"):
        same |= np.abs(expected - given) <= RELATIVE_ERROR * largest
    return "" if same.all() else f"differs by up to {np.nanmax(np.abs(expected - given))}, the largest element is {largest}"


def problem(heddle: str, path: pathlib.Path, scratch: pathlib.Path) -> str:
    mesh = mesh_of(path.read_text())
    try:
        one = compiled(heddle, path, scratch / "one.heddle", ["--force"])
        many = compiled(heddle, path, scratch / "many.heddle", ["--force", "--mesh", mesh])
        inputs = inputs_for(heddle, one, scratch)
        devices = ["--devices", str(np.prod([int(axis.split("=")[1]) for axis in mesh.split(",")]))]
        whole = run(heddle, one, scratch / "whole", inputs)
        parts = run(heddle, many, scratch / "parts", inputs + devices)
        again = run(heddle, many, scratch / "again", [*inputs, *devices, "--engine", "processes"])
    except RuntimeError as error:
        return str(error)
    for name, expected in whole.items():
        if found := difference(expected, parts[name]):
            return f"{name} {found}"
        if parts[name].tobytes() != again[name].tobytes():
            return f"{name} has other bits in a second run, by processes"
    return ""


def sharded_programs(files: list[str], random: list[str]) -> dict[str, str]:
    """Programs by name: those of files, divided by `// -----`, and random ones."""
    programs = {}
    for file in map(pathlib.Path, files):
        for text in file.read_text().split("// -----"):
            function = re.search(r"func\.func (?:public )?@(\w+)", text)[1]
            programs[file.stem if function == "main" else function] = text
    if random:
        tool, count, first = random[0], int(random[1]), int(random[2])
        for number in range(first, first + count):
            programs[f"program {number}"] = subprocess.run([tool, "--sharded", str(number)], capture_output=True, text=True, check=True).stdout
    return programs


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--random", nargs=3, metavar=("PARTITIONED_PROGRAMS", "COUNT", "FIRST"))
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    programs = sharded_programs(options.files, options.random)
    equal = 0
    for name, text in programs.items():
        path = options.scratch / f"{name.replace(' ', '-')}.mlir"
        path.write_text(text)
        if found := problem(options.heddle, path, options.scratch):
            print(f"{name}: {found}")
        else:
            equal += 1
    print(f"{equal} of {len(programs)} programs are equal")
    return 0 if equal == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
