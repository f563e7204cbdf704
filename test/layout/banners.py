"""Checks that head comments and section banners are whole: a formatter that breaks one over two lines leaves nonsense.

A line that starts like a banner ends like one, within 80 columns, and no line is the rest of one. A breach is printed as `file:line: text`, and
the exit code is 1.
"""

import pathlib
import re
import subprocess
import sys

START = re.compile(r"\s*//===-")
WHOLE = re.compile(r"\s*//===-.*-===//$")
REST = re.compile(r"\s*//[-\s]*(-\*.*)?-===//$|\s*// .*-===//$")


def breaches(path: pathlib.Path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        # Tables of passes and operations are wider than code.
        limit = 120 if path.suffix == ".td" else 80
        broken = len(line) > limit or not WHOLE.match(line) if START.match(line) else REST.match(line)
        if broken:
            yield f"{number}: {line.strip()}"


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    if len(sys.argv) > 2:
        files = sys.argv[2:]
    else:
        files = subprocess.run(["git", "-C", root, "ls-files", "*.h", "*.hpp", "*.cpp", "*.c", "*.def", "*.td"], check=True, capture_output=True,
                               text=True).stdout.split()
    found = [f"{file}:{line}" for file in files for line in breaches(root / file)]
    print("\n".join(found) or f"the banners of {len(files)} files are whole")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
