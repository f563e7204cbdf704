#!/usr/bin/env python3
"""Compiles models for several devices and compares with the cpu alone: equal bit for bit.

    placement.py HEDDLE FILES... [--models] [--by WAY]... [--place DEVICES] [--limit N]

FILES are ONNX models or files of StableHLO modules, apart by `//--- NAME`. Each is compiled for the cpu, and for DEVICES spread in each WAY of
`heddle compile --place-by`, and called on the same random inputs. A model that `heddle` refuses without devices counts as skipped; with --limit
only the first N modules of a file are taken. --models adds the models beside the checkout, but those of more than 1 GB.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = pathlib.Path(os.environ.get("HEDDLE_MODELS_DIR", ROOT.parent / "shared" / "models"))
MODELS = pathlib.Path(os.environ.get("HEDDLE_MATERIALIZED", ROOT / "build" / "models"))
LARGE_BYTES = 1e9


def modules(path: pathlib.Path, limit: int):
    """(name, model file or text) of each module of a file."""
    if path.suffix != ".mlir":
        yield path.stem, path
        return
    parts = re.split(r"^//--- (.*)$", path.read_text(), flags=re.MULTILINE)
    named = list(zip(parts[1::2], parts[2::2])) if len(parts) > 1 else [(path.stem, parts[0])]
    for name, text in named[:limit or None]:
        yield f"{path.stem}/{name.strip()}", text


def materialized() -> list[pathlib.Path]:
    """The models beside the checkout, made if they are not there."""
    recipes = {path.stem: json.loads(path.read_text()) for path in sorted(RECIPES.glob("*.json"))}
    names = [name for name, recipe in recipes.items() if recipe["weights_bytes"] <= LARGE_BYTES]
    missing = [name for name in names if not (MODELS / f"{name}.npz").exists()]
    if missing:
        subprocess.run([sys.executable, RECIPES / "materialize.py", MODELS, *missing], check=True, stdout=subprocess.DEVNULL)
    return [MODELS / f"{name}.onnx" for name in names]


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def fixed_dimensions(heddle, model: pathlib.Path, feed: pathlib.Path) -> list[str]:
    """--dim options that give a model's open dimensions the sizes of the example."""
    arrays, sizes = np.load(feed), {}
    for tensor in json.loads(run(heddle, "inspect", "--json", model).stdout)["entries"][0]["inputs"]:
        for extent, size in zip(tensor["shape"], arrays[tensor["name"]].shape):
            if not str(extent).isdigit():
                sizes[extent] = size
    return [f"--dim={name}={size}" for name, size in sizes.items()]


def outputs(heddle, artifact, folder, arguments):
    """The bytes of each output of a call; the message of one that failed."""
    done = run(heddle, "run", "-q", artifact, "--output", folder, *arguments)
    return {file.name: file.read_bytes() for file in folder.glob("*.npy")} if not done.returncode else done.stderr


def check(options, model, folder: pathlib.Path):
    """(ways that are equal, what is not as it should be or None); (0, None) for a model that is refused."""
    if isinstance(model, str):
        (folder / "model.mlir").write_text(model)
        model = folder / "model.mlir"
    feed = model.with_suffix(".npz")
    arguments = ["--inputs", feed] if feed.exists() else []
    artifact = folder / "cpu.heddle"
    compiled = ["compile", "-q", model, "-t", options.target, *(fixed_dimensions(options.heddle, model, feed) if feed.exists() else [])]
    if run(options.heddle, *compiled, "-o", artifact).returncode:
        return 0, None
    expected = outputs(options.heddle, artifact, folder / "cpu", arguments)
    if isinstance(expected, str):
        return 0, f"on the cpu: {expected}"
    for number, way in enumerate(options.by):
        artifact = folder / f"{number}.heddle"
        done = run(options.heddle, *compiled, "-o", artifact, "--place", options.place, "--place-by", way)
        if done.returncode:
            return number, f"{way}: {done.stderr}"
        got = outputs(options.heddle, artifact, folder / str(number), arguments)
        if isinstance(got, str):
            return number, f"{way}: {got}"
        if got != expected:
            return number, f"{way}: {sorted(name for name in expected if got.get(name) != expected[name])} differ"
        artifact.unlink()
    return len(options.by), None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--by", action="append")
    parser.add_argument("--place", default="cpu,sim:0,sim:1")
    parser.add_argument("--target", default="x86-64-v3")
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    options.by = options.by or ["alternate", "random:1"]
    equal = skipped = wrong = 0
    for path in options.files + (materialized() if options.models else []):
        for name, model in modules(path, options.limit):
            with tempfile.TemporaryDirectory() as folder:
                ways, fault = check(options, model, pathlib.Path(folder))
            equal += ways
            skipped += not ways and fault is None
            wrong += fault is not None
            if fault:
                print(f"{name}: {fault}")
    print(f"{equal} placements equal to the cpu, {wrong} not; {skipped} models skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
