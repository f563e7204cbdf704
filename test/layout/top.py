"""Checks that the top level has nothing but what belongs there, as a file that a command left in the checkout would not.

usage: top.py ROOT [FILE...]
"""

import subprocess
import sys

TOP = set("""
.ci .clang-format .dockerignore .gitignore CHANGELOG.md CMakeLists.txt CMakePresets.json CONTRIBUTING.md LICENSE README.md SECURITY.md
dialects docs include lib passes pyproject.toml python runtime test tools
""".split())


def main() -> int:
    files = sys.argv[2:] or subprocess.run(["git", "-C", sys.argv[1], "ls-files"], check=True, capture_output=True, text=True).stdout.splitlines()
    found = sorted({file.split("/")[0] for file in files} - TOP)
    print("\n".join(f"{name} does not belong at the top level" for name in found) or f"{len(files)} files lie where they belong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
