"""Runs every program below a folder with `heddle test`; fails where one fails that the page of known differences does not list.

    stablehlo_conformance.py HEDDLE FOLDER PAGE
"""

import json
import pathlib
import re
import subprocess
import sys

# Programs that passed when this was written; refusals may only become fewer.
LEAST_PASSED = 1400

heddle, folder, page = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
known = set(re.findall(r"^\| `([^`]+)` \| (?:both|compiled) \|", page.read_text(), re.M))
files = sorted(str(path) for path in folder.rglob("*.mlir"))
run = subprocess.run([heddle, "test", "--json", *files], stdout=subprocess.PIPE, text=True)
report = json.loads(run.stdout)

unexpected = [failure for failure in report["failures"] if pathlib.Path(failure["file"]).name not in known]
for failure in unexpected:
    print(f"{failure['file']}: {failure['message']}")
reasons = {}
for skip in report["skips"]:
    reasons.setdefault(skip["reason"], []).append(pathlib.Path(skip["file"]).name)
for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
    print(f"skipped {len(names)}: {reason}: {', '.join(names[:3])}")
print(f"{report['passed']} passed, {len(unexpected)} failed unexpectedly")
if report["passed"] < LEAST_PASSED:
    sys.exit(f"{LEAST_PASSED} programs passed before")
if unexpected:
    sys.exit(1)
