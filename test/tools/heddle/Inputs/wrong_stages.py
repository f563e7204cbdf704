"""Dumps given to --start-from as every stage that a build can start from: which are refused, and how.

    wrong_stages.py FOLDER
"""

import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
stages = {"import": "import", "graph": "heddle-graph", "lower": "heddle-lower", "dispatch": "heddle-dispatch", "kernel": "heddle-kernel-cpu",
          "plan": "heddle-plan"}
# StableHLO before and after heddle-graph looks alike; what it lacks then is added.
alike = {("import", "import"), ("import", "heddle-graph"), ("graph", "import"), ("graph", "heddle-graph")}
tried = 0
for file, made in stages.items():
    for wanted in list(stages.values())[:4]:
        run = subprocess.run(["heddle", "compile", "-q", f"{file}.mlir", f"--start-from={wanted}", "-t", "x86-64-v3", "-o", "tried.heddle"],
                             stderr=subprocess.PIPE, text=True, cwd=folder)
        errors = re.findall(r"error\[.*", run.stderr)
        tried += 1
        if made == wanted or (file, wanted) in alike:
            assert run.returncode == 0, (file, wanted, run.stderr)
            continue
        named = "heddle-graph" if file == "import" else made
        assert run.returncode == 2, (file, wanted, run.returncode, run.stderr)
        assert errors == [f"error[HDL-0111]: the file holds IR as it is after {named}, not after {wanted}"], (file, wanted, run.stderr)
print(f"each of {tried} is right")
