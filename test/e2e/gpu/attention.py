"""Attention by tensor cores on an emulated device, against numpy in double precision: tiles that are whole and ragged, heads that share keys,
lengths, windows, sinks, masks, rows that see nothing.

usage: attention.py FOLDER TARGET: prints a line per failure, and last how many passed
       attention.py FOLDER: writes heads.mlir alone, with the usual heads
"""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
import numpy as np
from attention_numpy import Case, count_launches, differs, inputs_of, program, wanted


def usual_heads():
    """Heads of 64 and of 128, with masked steps and without."""
    yield Case(query=(1, 2, 128, 64), keys=128, width=64, type="bf16")
    yield Case(query=(2, 1, 128, 128), keys=256, width=128, type="f16")
    yield Case(query=(1, 2, 200, 64), keys=200, width=64, type="bf16", causal=True)
    yield Case(query=(1, 1, 140, 128), keys=140, width=128, type="bf16", causal=True)


def warpgroups():
    """What warpgroups do where there are such: more steps than slots, heads that share keys, windows, sinks, masks, rows that see nothing, heads that
    do not fill boxes, deep ones, one warpgroup and two."""
    yield Case(query=(1, 1, 70, 128), keys=900, width=128, type="bf16")
    yield Case(query=(1, 4, 40, 64), keys=150, width=64, key_heads=2, type="f16", causal=True)
    yield Case(query=(1, 2, 300, 64), keys=300, width=64, type="bf16", causal=True, window=20)
    yield Case(query=(1, 2, 70, 64), keys=100, width=64, type="f16", window=9, sink=True)
    yield Case(query=(2, 1, 150, 64), keys=12, width=64, type="bf16", causal=True, zero_nan_rows=True)
    yield Case(query=(2, 2, 41, 64), keys=77, width=64, type="bf16", mask="float")
    yield Case(query=(1, 2, 140, 48), keys=77, width=40, type="f16", mask="bool", zero_nan_rows=True)
    # Lengths, in the midst of a tile of keys, behind which is no number, and of nothing.
    yield Case(query=(3, 1, 70, 64), keys=290, width=64, type="bf16", lengths=(0, 133, 299), poison=True)
    yield Case(query=(3, 1, 70, 64), keys=290, width=64, type="bf16", causal=True, window=40, lengths=(290, 133, 20), poison=True)
    yield Case(query=(2, 2, 140, 128), keys=150, width=128, key_heads=1, type="f16", causal=True, lengths=(150, 70), poison=True)
    yield Case(query=(1, 1, 40, 80), keys=70, width=200, type="f16")
    yield Case(query=(1, 1, 120, 256), keys=170, width=256, type="bf16")


def cases():
    yield from usual_heads()
    # Two heads of queries to one of keys, each with its own number of keys.
    yield Case(query=(2, 4, 40, 64), keys=150, width=64, key_heads=2, type="f16", causal=True, lengths=(150, 70))
    yield Case(query=(3, 2, 20, 32), keys=90, width=32, type="bf16", lengths=(0, 33, 99), poison=True)
    yield Case(query=(3, 2, 20, 32), keys=90, width=32, type="bf16", lengths=(0, 33, -4), zero_nan_rows=True, poison=True)
    # A step of decoding.
    yield Case(query=(2, 4, 1, 64), keys=300, width=64, key_heads=2, type="bf16", causal=True, lengths=(300, 77), poison=True)
    # Windows, of which the first tiles of keys are passed over; sinks; more queries than keys.
    yield Case(query=(1, 2, 180, 32), keys=180, width=32, type="bf16", causal=True, window=20)
    yield Case(query=(1, 2, 70, 16), keys=100, width=16, type="f16", window=9, sink=True)
    yield Case(query=(2, 2, 30, 16), keys=12, width=16, type="bf16", causal=True)
    yield Case(query=(2, 2, 30, 16), keys=12, width=16, type="bf16", causal=True, zero_nan_rows=True)
    # Masks: numbers that are added, and rows that see nothing.
    yield Case(query=(2, 2, 21, 64), keys=77, width=64, type="bf16", mask="float")
    yield Case(query=(2, 2, 140, 32), keys=77, width=32, type="f16", mask="bool", zero_nan_rows=True)
    yield from warpgroups()
    # Rows that are not aligned, values that are wider than a block's columns, deep heads.
    yield Case(query=(1, 3, 21, 5), keys=37, width=7, type="bf16")
    yield Case(query=(1, 1, 33, 80), keys=70, width=200, type="f16")
    yield Case(query=(1, 1, 20, 300), keys=70, width=40, type="bf16")


def open_sizes(folder, target):
    """Queries and keys whose number each call chooses, which the processor beside the device computes."""
    artifact = folder / "open.heddle"
    sizes = ["--shape", "0=1..40x64", "--shape", "1=1..50x64"]
    subprocess.run(["heddle", "compile", pathlib.Path(__file__).parent / "Inputs" / "open-attention.mlir", *sizes, "-t", target, "-o", artifact, "-q",
                    "--force"], check=True, stdout=subprocess.DEVNULL)
    for rows, keys in ((40, 50), (1, 1), (17, 33)):
        case = Case(query=(rows, 64), keys=keys, width=64, type="bf16")
        arrays, _ = inputs_of(case)
        arrays["value"] = arrays["key"]
        np.savez(folder / "open.npz", arg0=arrays["query"], arg1=arrays["key"])
        subprocess.run(["heddle", "run", artifact, "--device", "cuda", "--inputs", folder / "open.npz", "--output", folder / "open", "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        [file] = (folder / "open").glob("*.npy")
        yield case, np.load(file).astype(np.float64), wanted(case, arrays)[0]


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) == 2:
        (folder / "heads.mlir").write_text(program(list(usual_heads()))[0])
        return 0
    target = sys.argv[2]
    all_cases = list(cases())
    text, given, answers = program(all_cases)
    model, artifact, out = folder / "program.mlir", folder / "program.heddle", folder / "out"
    model.write_text(text)
    np.savez(folder / "inputs.npz", **given)
    failures = 0
    if (kernels := count_launches(folder, model, target)) != len(all_cases):
        print(f"failed: {target} has {kernels} kernels of attention, wanted {len(all_cases)}")
        failures += 1
    subprocess.run(["heddle", "compile", model, "-t", target, "-o", artifact, "-q", "--force", "--no-host"], check=True)
    subprocess.run(["heddle", "run", artifact, "--device", "cuda", "--inputs", folder / "inputs.npz", "--output", out, "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    files = sorted(out.glob("*.npy"), key=lambda file: int(re.sub(r"\D", "", file.stem) or 0))
    results = [(case, np.load(file).astype(np.float64), answer) for file, (case, answer) in zip(files, answers, strict=True)]
    results += open_sizes(folder, target)
    passed = 0
    for case, got, answer in results:
        fault = differs(case, got, answer)
        if fault:
            print(f"failed: {case}: {fault}")
        failures += bool(fault)
        passed += not fault
    print(f"{passed} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
