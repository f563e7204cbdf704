#!/usr/bin/env python3
"""Runs compiled programs under an emulator and compares with the same programs run here.

    emulated.py HEDDLE VARIANT RUNNER MODULES... [--emulator COMMAND] [--tolerance T] [--near NAME=T]...

MODULES are files of StableHLO modules, apart by `//--- NAME`. Each is compiled for x86-64-v3 and VARIANT into one file, compared with
the interpreter here, and called on the same random inputs by RUNNER (test/runtime/Inputs/run-artifact.c) under the emulator. Results of
VARIANT are equal bit for bit to those of x86-64-v3, where all sums and fused operations are the same; with --tolerance, for a
machine without fused operations, floats are as close as that, relative to the largest of a result. --near says so of one module: of
routines, where the compiler of C++ chooses for each machine which of two products is fused into their sum.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
            "ui32": np.uint32, "ui64": np.uint64, "i1": np.bool_}


def modules(path: pathlib.Path):
    """(name, text) of each module of a file."""
    parts = re.split(r"^//--- (.*)$", path.read_text(), flags=re.MULTILINE)
    if len(parts) == 1:
        yield path.stem, parts[0]
    for name, text in zip(parts[1::2], parts[2::2]):
        if name.strip().endswith(".mlir"):
            yield f"{path.stem}/{name.strip()}", text


def value(rng, dtype: str, shape):
    if dtype in ("c64", "c128"):
        return (rng.uniform(-2, 2, shape) + 1j * rng.uniform(-2, 2, shape)).astype(FLOATS[dtype])
    if dtype in FLOATS:
        return np.asarray(rng.uniform(-2, 2, shape), FLOATS[dtype])
    return np.asarray(rng.integers(0, 2 if dtype == "i1" else 4, shape), INTEGERS[dtype])


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def check(options, name: str, text: str, folder: pathlib.Path) -> str | None:
    """None if all is as it should be; "skipped: ..." or what is not."""
    model, artifact = folder / "model.mlir", folder / "model.heddle"
    model.write_text(text)
    done = run(options.heddle, "compile", "-q", model, "-o", artifact, "-t", f"x86-64-v3,{options.variant}", "--force")
    if done.returncode:
        return f"compile: {done.stderr}"
    entry = json.loads(run(options.heddle, "inspect", "--json", artifact).stdout)["entries"][0]
    rng = np.random.default_rng(12)
    given = []
    for number, tensor in enumerate(entry["inputs"]):
        if tensor["dtype"] not in FLOATS and tensor["dtype"] not in INTEGERS:
            return f"skipped: an input of {tensor['dtype']}"
        array = value(rng, tensor["dtype"], tensor["shape"])
        np.save(folder / f"in{number}.npy", array)
        (folder / f"in{number}.bin").write_bytes(array.tobytes())
        given += ["--input", f"{number}=@{folder / f'in{number}.npy'}"]
    compared = run(options.heddle, "compare", "-q", model, artifact, *given)
    if compared.returncode:
        return f"differs from the interpreter here: {compared.stdout}{compared.stderr}"
    here = run(options.heddle, "run", "-q", artifact, "--variant", "x86-64-v3", "--output", folder / "here", *given)
    if here.returncode:
        return f"run: {here.stderr}"
    there = run(*options.emulator.split(), options.runner, artifact, options.variant, folder)
    if there.returncode:
        return f"under the emulator: {there.stdout}{there.stderr}"
    for number, tensor in enumerate(entry["outputs"]):
        expected = np.load(folder / "here" / f"{tensor['name']}.npy")
        got = np.frombuffer((folder / f"out{number}.bin").read_bytes(), expected.dtype).reshape(expected.shape)
        if expected.tobytes() == got.tobytes():
            continue
        # The sign and payload of NaN are the machine's.
        differs = ~((got == expected) | ((got != got) & (expected != expected)))
        if np.iscomplexobj(expected):
            differs = got.view(expected.real.dtype) != expected.view(expected.real.dtype)
        tolerance = options.near.get(name, options.tolerance)
        if tolerance and expected.dtype.kind in "fc":
            finite = np.isfinite(expected)
            scale = max(np.abs(expected[finite]).max(initial=0), 1e-30)
            differs = (np.isfinite(got) != finite) | (np.abs(np.where(finite, got - expected, 0)) > tolerance * scale)
        if differs.any():
            where = np.nonzero(differs.reshape(expected.shape + (-1,)).any(-1))
            return (f"output {number}: {np.count_nonzero(differs)} of {differs.size} differ, first "
                    f"{got[where][0]} in place of {expected[where][0]}")
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("variant")
    parser.add_argument("runner")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--emulator", default="")
    parser.add_argument("--tolerance", type=float, default=0)
    parser.add_argument("--near", action="append", default=[])
    options = parser.parse_args()
    options.near = {name: float(tolerance) for name, tolerance in (text.split("=") for text in options.near)}
    equal = skipped = wrong = 0
    known = [name for path in options.files for name, _ in modules(path)]
    if unknown := set(options.near) - set(known):
        parser.error(f"no module has the name {unknown}")
    for path in options.files:
        for name, text in modules(path):
            with tempfile.TemporaryDirectory() as folder:
                result = check(options, name, text, pathlib.Path(folder))
            if result is None:
                equal += 1
            elif result.startswith("skipped"):
                skipped += 1
                print(f"{name}: {result}")
            else:
                wrong += 1
                print(f"{name}: {result}")
    print(f"{equal} programs as here, {wrong} not, {skipped} skipped")
    return 1 if wrong or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
