"""Compiles programs for a device and a processor, runs both, and says whether results have the same bits.

usage: same.py FOLDER NAME...: of each name, FOLDER has a .mlir and a .safetensors with the inputs
"""

import pathlib
import subprocess
import sys

TARGETS = "cuda:sm_90a,x86-64-v3"


def main() -> int:
    folder, *names = sys.argv[1:]
    for name in names:
        base = pathlib.Path(folder) / name
        artifact = base.with_suffix(".heddle")
        subprocess.run(["heddle", "compile", "-q", base.with_suffix(".mlir"), "-t", TARGETS, "-o", artifact], check=True)
        results = []
        for device in ("cuda", "cpu"):
            output = pathlib.Path(f"{base}-{device}")
            subprocess.run(["heddle", "run", "-q", artifact, "--device", device, "--inputs", base.with_suffix(".safetensors"), "--output", output],
                           check=True, stdout=subprocess.DEVNULL)
            results.append({path.name: path.read_bytes() for path in sorted(output.iterdir())})
        same = results[0] == results[1] and results[0] and any(any(data[128:]) for data in results[0].values())
        print(f"{name}: {'the same bits' if same else 'other bits'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
