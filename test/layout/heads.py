"""Checks that each source starts with what it is for: a plain comment, before anything else.

usage: heads.py ROOT [FILE...]
"""

import pathlib
import re
import subprocess
import sys

HEAD = re.compile(r"// .*\w|/\* *\w")


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    files = sys.argv[2:] or subprocess.run(["git", "-C", root, "ls-files", "*.h", "*.hpp", "*.cpp", "*.c"], check=True, capture_output=True,
                                           text=True).stdout.split()
    found = []
    for file in files:
        first = (root / file).read_text(errors="replace").partition("\n")[0]
        if not HEAD.match(first):
            found.append(f"{file}: does not start with what it is for")
    print("\n".join(found) or f"{len(files)} files say what they are for")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
