"""Functions that jax exports with symbolic sizes, compiled once, against jax at several sizes: none where the function takes that, the least three,
the greatest, and five at random.

usage: jax_sizes.py [--heddle HEDDLE] [--share K/N] [NAME...]

What JAX refuses to call with, heddle refuses, too: in the same words, or as no shape of the input where they became the least of a range. Prints
a line per failure, and `N passed, N failed`.
"""
import argparse, os, pathlib, random, shutil, subprocess, sys, tempfile, zlib

os.environ["JAX_PLATFORMS"] = "cpu"
import jax, numpy as np
from jax import export

import heddle
from jax_functions import CASES, I

BOUND = 12


def points(names, least):
    """Choices of sizes: name to size."""
    rows = [[size] * len(names) for size in sorted({least, *range(max(least, 1), max(least, 1) + 3), BOUND})]
    chooser = random.Random(len(names))
    rows += [[chooser.randint(max(least, 1), BOUND) for _ in names] for _ in range(5)]
    return [dict(zip(names, row)) for row in rows]


def run(program, folder, function, arguments, least, *constraints):
    """None, or what is wrong."""
    names = sorted({size for shape, _ in arguments for size in shape if isinstance(size, str)})
    scope = export.SymbolicScope([text for name in names for text in (f"{name}<={BOUND}", f"{name}>={least}")] + list(constraints))
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(", ".join(map(str, shape)), scope=scope) if shape else (), kind) for shape, kind in arguments]
    model, artifact = folder / "model.bin", folder / "model.heddle"
    exported = export.export(jax.jit(function), platforms=["cpu"])(*specs)
    model.write_bytes(exported.serialize())
    made = subprocess.run([program, "compile", model, "-o", artifact, *(f"--dim={name}={least}..{BOUND}" for name in names)], capture_output=True, text=True)
    if made.returncode:
        return made.stderr.strip()
    loaded = heddle.load(artifact)
    for point in points(names, least):
        chooser = np.random.RandomState(3)
        inputs = []
        for shape, kind in arguments:
            shape = [point.get(size, size) for size in shape]
            inputs.append(np.asarray(chooser.randint(0, 3, shape) if kind is I else chooser.randn(*shape), kind))
        try:
            results, said = list(loaded(*inputs).values()), "is taken"
        except heddle.HeddleError as error:
            results, said = None, str(error)
        # An exported program says itself which sizes it takes: for most, none of 0.
        if results is None or 0 in point.values():
            try:
                exported.call(*inputs)
            except ValueError as error:
                if results is None and (str(error).partition(". ")[0] in said or " has shape " in said):
                    continue
                return f"{point}: {said}; jax says {error}"
        if results is None:
            return f"{point}: {said}"
        for number, (value, right) in enumerate(zip(results, jax.tree.leaves(jax.jit(function)(*inputs)), strict=True)):
            right = np.asarray(right)
            if value.shape != right.shape or not np.allclose(value, right, rtol=2e-5, atol=2e-5, equal_nan=True):
                return f"{point}: result {number} differs"
    return None


def share(text):
    part, parts = map(int, text.split("/"))
    return part % parts, parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=shutil.which("heddle"))
    parser.add_argument("--share", default="1/1", help="K/N: only a part of the cases; which follows from their names")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    part, parts = share(options.share)
    passed = failed = 0
    for name, (function, *rest) in CASES.items():
        if options.names and name not in options.names or zlib.crc32(name.encode()) % parts != part:
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(options.heddle, pathlib.Path(folder), function, *rest)
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong is not None:
            print(f"failed {name}: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
