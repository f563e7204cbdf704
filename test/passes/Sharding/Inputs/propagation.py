"""Counts the functions of a file of Shardy's tests that get the same shardings: propagation.py HEDDLE-OPT FILE OPTIONS.

Each function is run alone, with the meshes of its piece, and checked by FileCheck with the file's own lines. Prints the names of those that
differ, then `... of ... functions are the same`.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def main() -> int:
    opt, path, options = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    same = total = 0
    with tempfile.TemporaryDirectory() as folder:
        checks = pathlib.Path(folder) / "function.mlir"
        for piece in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            meshes = [line for line in piece.split("\n") if line.startswith("sdy.mesh")]
            for function in re.split(r"(?=^// CHECK-LABEL)", piece, flags=re.MULTILINE)[1:]:
                total += 1
                text = function if "sdy.mesh" in function else "\n".join([*meshes, function])
                checks.write_text(text)
                ours = subprocess.run([opt, f"--heddle-sharding-propagate={options}", "-"], input=text.replace("expected-", "wanted-"),
                                      capture_output=True, text=True)
                found = ours.returncode == 0 and subprocess.run(["FileCheck", checks], input=ours.stdout, capture_output=True,
                                                                text=True).returncode == 0
                same += found
                if not found:
                    print(re.search(r"@(\w+)", function)[1])
    print(f"{same} of {total} functions are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
