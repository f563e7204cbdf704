"""Cuts an artifact short while it runs, on two threads: lost_file.py FOLDER."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import numpy as np

folder = pathlib.Path(sys.argv[1])
model, weights, artifact = folder / "model.mlir", folder / "weights.npz", folder / "model.heddle"
np.savez(weights, w=np.ones((2048, 2048), np.float32))
model.write_text("func.func @main(%x: tensor<64x2048xf32> {heddle.name = \"x\"}, %w: tensor<2048x2048xf32> {heddle.name = \"w\"}) "
                 "-> tensor<64x2048xf32> {\n  %y = stablehlo.dot %x, %w : (tensor<64x2048xf32>, tensor<2048x2048xf32>) -> tensor<64x2048xf32>\n"
                 "  return %y : tensor<64x2048xf32>\n}\n")
for form in ("text", "--json"):
    subprocess.run(["heddle", "compile", "-q", model, "--bind", f"w=@{weights}", "-o", artifact], check=True)
    process = subprocess.Popen(["heddle", "bench", artifact, "--seconds", "60", "--threads", "2", *([form] if form != "text" else [])],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env={**os.environ, "TMPDIR": str(folder)})
    time.sleep(1)
    os.truncate(artifact, 4096)
    output, errors = process.communicate(timeout=60)
    if form == "--json":
        code = json.loads(output)["error"]["code"]
        assert json.loads(errors)["code"] == code
    else:
        code = re.search(r"HDL-[0-9]+", errors)[0] if "HDL-" in errors else errors
    print(f"{form}: {process.returncode} {code}")
print("reports:", len(list(folder.glob("heddle-reports-*"))))
