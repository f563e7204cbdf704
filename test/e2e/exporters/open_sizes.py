"""Models as torch's two exporters write them, compiled once with ranges of sizes, against onnxruntime at several of them.

usage: open_sizes.py [--heddle HEDDLE] [--share K/N] [NAME...]

Sizes are the least three of each range, the greatest, and five at random, in turn in one session. Prints a line per failure, and `N passed, N failed`.
"""
import argparse, json, os, pathlib, random, shutil, subprocess, sys, tempfile, time, zlib

import numpy as np
import onnxruntime

import heddle
from weights import complete

INPUTS = pathlib.Path(__file__).parent / "Inputs"
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_}
# Of the largest element of a result: sums of f32 in another order, through some tens of layers.
TOLERANCE = 2e-4


def points(sizes):
    """Choices of sizes: name to size."""
    rows = {name: list(range(least, most + 1, multiple[0] if multiple else 1)) for name, (least, most, *multiple) in sizes.items()}
    for place in (0, 1, 2, -1):
        yield {name: row[min(place, len(row) - 1)] for name, row in rows.items()}
    chooser = random.Random(4)
    for _ in range(5):
        yield {name: chooser.choice(row) for name, row in rows.items()}


def values(port, point, integers, chooser):
    shape = [point.get(size, size) for size in port.shape]
    kind = TYPES[port.type]
    if integers.get(port.name) == "mask":
        # Each row is padded behind some words, none is nothing but padding.
        lengths = chooser.integers(1, shape[-1] + 1, shape[:-1])
        return (np.arange(shape[-1]) < lengths[..., None]).astype(kind)
    if port.name in integers:
        return chooser.integers(0, integers[port.name], shape).astype(kind)
    return chooser.standard_normal(shape).astype(kind)


def run(program, folder, path, case):
    """None, or what is wrong."""
    model, artifact = folder / path.name, folder / "model.heddle"
    whole = complete(path)
    model.write_bytes(whole.SerializeToString())
    session = onnxruntime.InferenceSession(model.read_bytes(), providers=["CPUExecutionProvider"])
    open_sizes = {size for port in session.get_inputs() for size in port.shape if isinstance(size, str)}
    if unknown := open_sizes - set(case["sizes"]):
        return f"unknown sizes {unknown}"
    sizes = {name: row for name, row in case["sizes"].items() if name in open_sizes}
    ranges = [f"--dim={name}={row[0]}..{row[1]}" + (f":{row[2]}" if len(row) > 2 else "") for name, row in sizes.items()]
    made = subprocess.run([program, "compile", "--quiet", model, "-o", artifact, *ranges], capture_output=True, text=True)
    if made.returncode:
        return f"exit {made.returncode}: {made.stderr.strip()}"
    loaded = heddle.load(artifact)
    chooser = np.random.default_rng(zlib.crc32(path.name.encode()))
    for point in points(sizes):
        inputs = {port.name: values(port, point, case["integers"], chooser) for port in session.get_inputs()}
        expected = session.run(None, inputs)
        try:
            results = loaded(**{name: value for name, value in inputs.items()})
        except heddle.HeddleError as error:
            return f"{point}: {error}"
        for port, right in zip(session.get_outputs(), expected, strict=True):
            value = np.asarray(results[port.name])
            if value.shape != right.shape:
                return f"{point}: {port.name} has shape {value.shape}, onnxruntime's {right.shape}"
            if right.size and not np.abs(value - right).max() <= TOLERANCE * max(1, np.abs(right).max()):
                return f"{point}: {port.name} differs by {np.abs(value - right).max()} of {np.abs(right).max()}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=shutil.which("heddle"))
    parser.add_argument("--share", default="0/1", help="K/N: only a part of the models; which follows from their names")
    parser.add_argument("--verbose", action="store_true", help="a line per model that passes, too")
    parser.add_argument("names", nargs="*", help="as bert, or bert.script")
    options = parser.parse_args()
    part, parts = map(int, options.share.split("/"))
    cases = json.loads((INPUTS / "sizes.json").read_text())
    passed = failed = 0
    for path in sorted(INPUTS.glob("*.onnx")):
        name = path.stem.split(".")[0]
        if options.names and name not in options.names and path.stem not in options.names or zlib.crc32(path.stem.encode()) % parts != part % parts:
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(options.heddle, pathlib.Path(folder), path, cases[name])
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong is not None:
            print(f"failed {path.stem}: {wrong}", flush=True)
        elif options.verbose:
            print(f"passed {path.stem} in {time.monotonic() - begun:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
