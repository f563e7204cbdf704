"""Every command with --json that fails: one document on standard output, JSON lines on standard error, and both say the same.

    json_failures.py MODEL FOLDER
"""

import json
import pathlib
import signal
import subprocess
import sys
import time

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
broken = folder / "broken.mlir"
broken.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n  return %x : tensor<2xf32>\n}\n")
(folder / "text.heddle").write_text("no artifact\n")
checks = folder / "checks.mlir"
checks.write_text("func.func @main() {\n  %a = stablehlo.constant dense<1> : tensor<i32>\n  %b = stablehlo.constant dense<2> : tensor<i32>\n"
                  "  stablehlo.custom_call @check.expect_eq(%a, %b) : (tensor<i32>, tensor<i32>) -> ()\n  return\n}\n")


def verify(command, code, output, errors):
    document = json.loads(output)
    lines = [json.loads(line) for line in errors.splitlines()]
    assert document["status"] == "failed" and document["exit_code"] == code, (command, code, document)
    first = next((line for line in lines if line["severity"] == "error"), None)
    assert document.get("error") == first, (command, document.get("error"), first)
    print(" ".join(command[:1]), code, first["code"] if first else "without an error")


def fails(*command):
    run = subprocess.run(["heddle", *map(str, command), "--json"], capture_output=True, text=True, cwd=folder)
    assert run.returncode, command
    verify(command, run.returncode, run.stdout, run.stderr)


fails("check", broken)
fails("compile", broken, "-o", "a.heddle")
fails("compile", folder / "missing.mlir")
fails("compile", model, "-o", "a.heddle", "--fail-after", "heddle-graph")
fails("compile", model, "-o", "a.heddle", "--time-limit", "0.001")
fails("compile", model, "-o", "a.heddle", "--max-memory", "2M")
fails("run", model, "--input", "nothing=ones")
fails("compare", broken)
fails("bench", folder / "text.heddle")
fails("inspect", folder / "missing.heddle")
fails("verify", folder / "text.heddle")
fails("explain", "HDL-9999")
fails("test", folder / "missing.mlir")
fails("test", checks)
for command in ("targets", "devices", "version"):
    fails(command, "more")
fails("help", "nothing")
fails("frobnicate")

# A crash, which here comes from outside, in a call that takes long enough for it.
slow = folder / "slow.mlir"
slow.write_text("func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {\n"
                "  %y = stablehlo.dot %x, %x : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>\n"
                "  return %y : tensor<1024x1024xf32>\n}\n")
process = subprocess.Popen(["heddle", "bench", slow, "--seconds", "60", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
time.sleep(1)
process.send_signal(signal.SIGSEGV)
output, errors = process.communicate()
verify(("bench",), process.returncode, output, errors)
