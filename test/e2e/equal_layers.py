#!/usr/bin/env python3
"""How many kernels do quantized models take?  equal_layers.py

Equal layers share a kernel, and what differs between them in numbers alone is an argument of the launch. Each model may have at most as many
kernels as stand beside it here.
"""

import json
import os
import subprocess
import sys
import tempfile

import model_accuracy

MOST_KERNELS = {"bert_int8": 25, "resnet50_int8": 32}


def compiled(name: str, folder: str) -> dict:
    command = [model_accuracy.HEDDLE, "compile", "--json", "-q", model_accuracy.materialize(name), "-t", "x86-64-v3", "-o",
               os.path.join(folder, f"{name}.heddle")]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for name, most in MOST_KERNELS.items():
            document = compiled(name, folder)
            print(f"{name}: {document['kernels']} kernels, {document['launches']} launches; at most {most}")
            failed |= not 0 < document["kernels"] <= most
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
