"""Runs rows of test/bench/*.json: run_benchmarks.py [--check] [--json FILE] [--plot PICTURE] [--seconds S] [NAME...]

A row of kind "run" measures a model's steady calls by `heddle bench --vs`: heddle's and each peer's by turns, so that the machine's moods hit both.
The ratio is heddle's time over the peer's, below 1 where heddle is faster; of rounds, their geometric mean with its 95 % interval. One
with "quantized" quantizes its model first, in the way it says; with "precision": "bf16" heddle runs the model with its contractions cast (cast_contractions.py),
the peers the model as it is. With the peer "heddle-python" it is what calls from Python cost: "least" is the ratio below which they cost too much.
A row of kind "compile" measures import and compilation, in processes of their own. A row of kind "sizes" measures an
artifact with open sizes (size_benchmarks.py). Peers that are not installed are named as missing (tools/dev/setup --bench installs them).
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import cast_contractions
import model_accuracy
import plot_benchmarks
import size_benchmarks

ROOT = pathlib.Path(__file__).resolve().parents[2]


def machine() -> str:
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return f"{line.split(':')[1].strip()}, {os.cpu_count()} processors"
    return platform.processor()


def commit() -> str:
    run = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


class OneBatch:
    """What the quantizer finds ranges on: one example of the inputs."""

    def __init__(self, feeds: dict):
        self.left = [feeds]

    def get_next(self) -> dict | None:
        return self.left.pop() if self.left else None


def quantized(path: pathlib.Path, feeds: dict, how: str) -> pathlib.Path:
    """The model with products of integers, as onnxruntime quantizes it; made once.

    "dynamic": weights of i8, and ranges of activations that each call finds. "u8s8-channel" and its like: between QuantizeLinear and
    DequantizeLinear, types of activations and of weights, scales by channel or by tensor, ranges of activations found on `feeds`.
    """
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static
    made = ROOT / "build" / "bench" / f"{path.stem}-{how}.onnx"
    if made.exists():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    # The quantizer writes a file beside the model, and takes no weights that have another name elsewhere.
    with tempfile.TemporaryDirectory() as folder:
        for file in (path, path.with_suffix(".weights")):
            shutil.copy(file, folder)
        copied = pathlib.Path(folder) / path.name
        if how == "dynamic":
            quantize_dynamic(copied, made, weight_type=QuantType.QInt8)
            return made
        types, scales = how.split("-")
        activations = {"u8s8": QuantType.QUInt8, "s8s8": QuantType.QInt8}[types]
        quantize_static(copied, made, OneBatch(feeds), quant_format=QuantFormat.QDQ, per_channel={"channel": True, "tensor": False}[scales],
                        activation_type=activations, weight_type=QuantType.QInt8, extra_options={"ActivationSymmetric": types == "s8s8"})
    return made


def model_of(row: dict) -> tuple[pathlib.Path, dict]:
    """The model's file and its inputs."""
    if row["model"] != "demo":
        path = model_accuracy.materialize(row["model"])
        feeds = dict(np.load(path.with_suffix(".npz")))
        return quantized(path, feeds, row["quantized"]) if "quantized" in row else path, feeds
    path = ROOT / "build" / "demo" / "minilm.onnx"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, ROOT / "tools" / "dev" / "sentence_model.py", path], check=True)
    shape = tuple(row["dims"].values())
    random = np.random.default_rng(0)
    return path, {"input_ids": random.integers(0, 30522, shape), "attention_mask": np.ones(shape, np.int64)}


def measure_calls(row: dict, path: pathlib.Path, feeds: dict, peers: list[str], seconds: float, folder: pathlib.Path) -> dict:
    """What `heddle bench --vs` measured, as its document has it."""
    np.savez(folder / "feeds.npz", **feeds)
    model = path
    if row.get("precision") == "bf16":
        model = folder / f"{path.stem}_bf16.onnx"
        cast_contractions.cast(path, model)
    command = ["heddle", "bench", model, "--json", "--quiet", "--threads", row["threads"], "--seconds", seconds, "--inputs", folder / "feeds.npz",
               *model_accuracy.fixed_dimensions(path, feeds)]
    if peers:
        command += [f"--vs={','.join(peers)}", "--vs-model", path]
    run = subprocess.run([str(word) for word in command], env={**os.environ, "HEDDLE_PYTHON": sys.executable}, check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def compile_command(name, path, feeds, folder):
    if name == "heddle":
        return [["heddle", "compile", path, "-o", folder / "a.heddle", "--quiet", *model_accuracy.fixed_dimensions(path, feeds)]]
    tools = pathlib.Path(sys.executable).parent
    # Weights in a file of their own, as its documentation advises for large models.
    large = path.with_suffix(".weights").exists() and path.with_suffix(".weights").stat().st_size > 2e9
    return [[tools / "iree-import-onnx", path, "-o", folder / "a.mlir", "--externalize-params", "--save-params-to", folder / "a.irpa",
             *(["--large-model"] if large else ["--opset-version", "17"])],
            [tools / "iree-compile", folder / "a.mlir", "-o", folder / "a.vmfb", "--iree-hal-target-device=local",
             "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3",
             # Without these it refuses BERT ("exceeded stack allocation limit").
             "--iree-opt-data-tiling", "--iree-llvmcpu-stack-allocation-limit=1048576"]]


def measure_compilation(name, path, feeds, folder) -> dict:
    """Summed time, and the largest process's memory."""
    seconds, peak = 0.0, 0
    for command in compile_command(name, path, feeds, folder):
        run = subprocess.run([sys.executable, ROOT / "tools" / "dev" / "measure_process.py", *map(str, command)], check=True, stdout=subprocess.PIPE)
        measured = json.loads(run.stdout)
        if measured["status"]:
            raise subprocess.CalledProcessError(measured["status"], command)
        seconds += measured["seconds"]
        peak = max(peak, measured["peak_bytes"])
    return {"seconds": seconds, "peak_bytes": peak}


def present(peer: str) -> bool:
    return importlib.util.find_spec(peer.removesuffix("-bf16").removesuffix("-python")) is not None


def run_row(row: dict, seconds: float, folder: pathlib.Path) -> dict:
    path, feeds = model_of(row)
    peers = [peer for peer in row["peers"] if present(peer)]
    if row["kind"] == "sizes":
        return size_benchmarks.run_row(row, path, feeds, peers, seconds, folder)
    result = {"name": row["name"], "missing": [peer for peer in row["peers"] if peer not in peers], "within": True}
    if row["kind"] == "compile":
        rounds = {name: [measure_compilation(name, path, feeds, folder) for _ in range(row.get("repeats", 1))] for name in ["heddle", *peers]}
        result["seconds"] = {name: min(r["seconds"] for r in runs) for name, runs in rounds.items()}
        result["peak_bytes"] = {name: max(r["peak_bytes"] for r in runs) for name, runs in rounds.items()}
        for peer in peers:
            ratio = result["peak_bytes"]["heddle"] / result["peak_bytes"][peer]
            result.setdefault("memory_ratio", {})[peer] = ratio
            result["within"] &= ratio <= row["memory_bar"]
        result["ratio"] = {peer: result["seconds"]["heddle"] / result["seconds"][peer] for peer in peers}
    else:
        measured = measure_calls(row, path, feeds, peers, seconds, folder)
        programs = {"heddle": measured, **{peer["name"]: peer for peer in measured.get("peers", [])}}
        result["seconds"] = {name: program["p50_seconds"] for name, program in programs.items()}
        result["rounds"] = len(measured.get("round_seconds", []))
        # From the first to the ninth tenth of the rounds, as a part of the median.
        result["spread"] = {name: float(np.subtract(*np.percentile(program["round_seconds"], [90, 10])) / program["p50_seconds"])
                            for name, program in programs.items() if "round_seconds" in program}
        result["ratio"] = {peer["name"]: peer["ratio"] for peer in measured.get("peers", [])}
        result["interval"] = {peer["name"]: [peer["ratio_low"], peer["ratio_high"]] for peer in measured.get("peers", [])}
    result["within"] &= all(row.get("least", 0) <= ratio <= row["bar"] for ratio in result["ratio"].values())
    return result


def show(result: dict, bar: float) -> None:
    for name, value in result["seconds"].items():
        line = f"{result['name']:18} {name:12} {value * 1e3:10.2f} ms"
        if name in result.get("spread", {}):
            line += f"  spread {result['spread'][name] * 100:4.1f} %"
        if "peak_bytes" in result:
            line += f"  peak {result['peak_bytes'][name] / 2**20:7.0f} MiB"
        if name in result["ratio"]:
            line += f"  ratio {result['ratio'][name]:.2f}"
            if "interval" in result:
                line += " [{:.2f}, {:.2f}]".format(*result["interval"][name])
            line += f" (bar {bar})"
        print(line, flush=True)
    for peer in result["missing"]:
        print(f"{result['name']:18} {peer:12} not installed", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 when a bar is missed")
    parser.add_argument("--json", help="append a line per row to this file")
    parser.add_argument("--plot", help="draw the rows into this PNG file")
    parser.add_argument("--seconds", type=float, default=3, help="of measuring per program and row")
    parser.add_argument("names", nargs="*", help="rows; default: all of kind run")
    arguments = parser.parse_args()
    rows = [row for file in sorted((ROOT / "test" / "bench").glob("*.json")) for row in json.loads(file.read_text())]
    unknown = set(arguments.names) - {row["name"] for row in rows}
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    rows = [row for row in rows if (row["name"] in arguments.names if arguments.names else row["kind"] == "run")]
    print(f"{machine()}; commit {commit()}")
    good = True
    drawn = []
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = run_row(row, arguments.seconds, pathlib.Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"{row['name']:18} failed: {error.cmd[0]} ended with {error.returncode}", flush=True)
                good = False
                continue
        if row["kind"] == "sizes":
            size_benchmarks.show(result)
        else:
            show(result, row["bar"])
            drawn.append(result)
        good &= result["within"]
        if arguments.json:
            with open(arguments.json, "a") as out:
                out.write(json.dumps({"machine": machine(), "commit": commit(), **result}) + "\n")
    if arguments.plot and drawn:
        plot_benchmarks.draw([{"machine": machine(), "commit": commit(), **result} for result in drawn], arguments.plot)
    sys.exit(1 if arguments.check and not good else 0)


if __name__ == "__main__":
    main()
