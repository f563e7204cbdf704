"""Decodes a few steps by `heddle run`, with the cache handed from call to call as a file, and says whether both ways are the same:
as an input and an output (plain artifact), and as a state (stateful artifact)."""

import pathlib
import subprocess
import sys

import numpy as np

plain, stateful, folder = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(exist_ok=True)
np.save(folder / "cache.npy", np.zeros((16, 8), np.float32))
np.save(folder / "state.npy", np.zeros((16, 8), np.float32))
for step in range(4):
    np.save(folder / "x.npy", np.random.default_rng(step).standard_normal((1, 8), dtype=np.float32))
    feeds = ["--input", f"x=@{folder}/x.npy", "--input", f"position={step}"]
    for artifact, cache, name in ((plain, "cache", "present"), (stateful, "state", "past")):
        subprocess.run(["heddle", "run", "-q", artifact, *feeds, "--input", f"past=@{folder}/{cache}.npy", "--output", folder / cache],
                       check=True, stdout=subprocess.DEVNULL)
        (folder / cache / f"{name}.npy").replace(folder / f"{cache}.npy")
    for left, right in (("cache.npy", "state.npy"), ("cache/scores.npy", "state/scores.npy")):
        assert (folder / left).read_bytes() == (folder / right).read_bytes(), (step, left)
used = np.count_nonzero(np.load(folder / "state.npy").any(axis=1))
print(f"{used} rows, both ways the same")
