#!/usr/bin/env python3
"""Are the models beside the checkout compiled to the right numbers?  model_accuracy.py [--large] [NAME...]

Each model is compiled, run with one thread, with two, and with one again. All three must agree bit for bit. Their relative L2 error against an
evaluation in double precision may be at most twice that of onnxruntime with its optimizations off, and at most 1e-5.

Models are materialized into build/models once (HEDDLE_MATERIALIZED names another folder); so are the double-precision results.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import f64_reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = pathlib.Path(os.environ.get("HEDDLE_MODELS_DIR", ROOT.parent / "shared" / "models"))
MODELS = pathlib.Path(os.environ.get("HEDDLE_MATERIALIZED", ROOT / "build" / "models"))
HEDDLE = os.environ.get("HEDDLE", "heddle")
# Quantized and bf16 models have bars of their own.
SKIPPED = ("int8", "bf16")
LARGE_BYTES = 1e9
# What one rounding to float32 costs: the floor of a bound that is a multiple of someone else's error, which may be 0.
ROUNDING = 6e-8
LIMIT = 1e-5


def names(arguments) -> list[str]:
    if arguments.names:
        return arguments.names
    found = []
    for recipe in sorted(RECIPES.glob("*.json")):
        large = json.loads(recipe.read_text())["weights_bytes"] > LARGE_BYTES
        if not any(word in recipe.stem for word in SKIPPED) and (arguments.large or not large):
            found.append(recipe.stem)
    return found


def materialize(name: str) -> pathlib.Path:
    path = MODELS / f"{name}.onnx"
    if not path.exists():
        subprocess.run([sys.executable, RECIPES / "materialize.py", MODELS, name], check=True)
    return path


def fixed_dimensions(path: pathlib.Path, feeds: dict) -> list[str]:
    """--dim options that give a dynamic model's dimensions the sizes of the example."""
    sizes = {}
    for value in onnx.load(path, load_external_data=False).graph.input:
        if value.name in feeds:
            for dimension, size in zip(value.type.tensor_type.shape.dim, feeds[value.name].shape):
                if dimension.dim_param:
                    sizes[dimension.dim_param] = size
    return [f"--dim={name}={size}" for name, size in sizes.items()]


def expected(path: pathlib.Path, feeds: dict) -> dict:
    cache = path.with_suffix(".f64.npz")
    if not cache.exists():
        # Through a file object, because savez would add its own suffix to another name.
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as new:
            np.savez(new, **f64_reference.evaluate(str(path), feeds))
        os.replace(new.name, cache)
    return dict(np.load(cache))


def onnxruntime_results(path: pathlib.Path, feeds: dict) -> dict:
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feeds)))


def heddle_results(artifact: pathlib.Path, feeds: pathlib.Path, threads: int, folder: pathlib.Path) -> dict:
    run = subprocess.run([HEDDLE, "run", artifact, "--inputs", feeds, "--output", folder, "--threads", str(threads), "--json"],
                         check=True, stdout=subprocess.PIPE)
    return {output["name"]: np.load(output["file"]) for output in json.loads(run.stdout)["outputs"]}


def distance(actual: np.ndarray, reference: np.ndarray) -> float:
    norm = np.linalg.norm(reference.ravel())
    return float(np.linalg.norm((actual - reference).ravel()) / (norm or 1))


def check(name: str, folder: pathlib.Path) -> list[str]:
    path = materialize(name)
    feeds_path = path.with_suffix(".npz")
    feeds = dict(np.load(feeds_path))
    artifact = folder / f"{name}.heddle"
    subprocess.run([HEDDLE, "compile", path, "-o", artifact, "--quiet", *fixed_dimensions(path, feeds)], check=True, stdout=subprocess.DEVNULL)
    runs = [heddle_results(artifact, feeds_path, threads, folder / "out") for threads in (1, 2, 1)]
    artifact.unlink()

    reference, theirs = expected(path, feeds), onnxruntime_results(path, feeds)
    problems, worst, worst_theirs = [], 0.0, 0.0
    for output, value in reference.items():
        ours = runs[0][output]
        if any(other[output].tobytes() != ours.tobytes() for other in runs[1:]):
            problems.append(f"{output}: differs between runs or thread counts")
        if ours.shape != value.shape:
            problems.append(f"{output}: shape {ours.shape}, expected {value.shape}")
            continue
        error, error_theirs = distance(ours, value), distance(theirs[output], value)
        worst, worst_theirs = max(worst, error), max(worst_theirs, error_theirs)
        # Written so that a NaN fails.
        if not error <= min(LIMIT, max(2 * error_theirs, ROUNDING)):
            problems.append(f"{output}: error {error:.2e}, onnxruntime's {error_theirs:.2e}")
    print(f"{name}: error {worst:.2e}, onnxruntime's {worst_theirs:.2e}", flush=True)
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also the models with more than 1 GB of weights")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names(arguments):
            try:
                problems = check(name, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                problems = [f"{' '.join(map(str, error.cmd[:2]))} ended with {error.returncode}"]
            for problem in problems:
                print(f"FAILED {name}: {problem}", flush=True)
            failed += bool(problems)
    print(f"{failed} models failed" if failed else "all models are right")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
