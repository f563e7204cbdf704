"""Every command with --json that fails: one document on standard output, JSON lines on standard error, and both say the same.

    json_failures.py MODEL FOLDER
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from onnx import TensorProto, helper

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
    print(" ".join(command[:1]) or "nothing", code, first["code"] if first else "without an error")


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

# A command is missing: the first word of the line below is the option's.
fails()
# What would write into the document or between the lines of errors.
fails("compile", model, "-o", "a.heddle", "--dump-after", "import=-")
fails("compile", model, "-o", "a.heddle", "--dump-after", "import=/dev/stdout")
fails("compile", model, "-o", "/dev/stdout")
fails("compare", pathlib.Path(model).parent / "rounding.mlir", "--rtol", "0", "--atol", "0", "--reduce", "-o", "-")
# Python's own message is no line of JSON.
(folder / "python").write_text("#!/bin/sh\necho on standard output\necho Traceback >&2\necho RuntimeError: no peer >&2\nexit 1\n")
(folder / "python").chmod(0o755)
os.environ["HEDDLE_PYTHON"] = str(folder / "python")
onnx_model = folder / "relu.onnx"
value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in ("x", "y")]
onnx_model.write_bytes(helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", value[:1], value[1:]),
                                         opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())
fails("compare", onnx_model, "--against", "onnxruntime")


def succeeds(*command):
    run = subprocess.run(["heddle", *map(str, command), "--json"], check=True, capture_output=True, text=True, cwd=folder)
    document = json.loads(run.stdout)
    assert document["status"] == "ok" and document["exit_code"] == 0, (command, document)
    return document


assert "Subcommands" in succeeds("--help")["help"]
assert succeeds("compile", "--help")["command"] == "compile"
assert succeeds("help", "compile")["help"] == succeeds("compile", "--help")["help"]
steps = [step["step"] for step in succeeds("compare", model, "--stages")["stages"]]
print("stages:", ", ".join(steps))
# A library that prints while it is loaded: not into the document.
library = folder / "loud.so"
(folder / "loud.c").write_text("#include <stdio.h>\n__attribute__((constructor)) static void speak(void) { puts(\"loud\"); fflush(stdout); }\n"
                               "int loud(void *call) { (void)call; return 0; }\n")
subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", folder / "loud.c", "-o", library], check=True)
succeeds("run", model, "--custom-call", f"loud={library}")
print("a library that prints")

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
