#!/usr/bin/env python3
"""Takes each wait and each signal out of a plan, one at a time: all of these plans are refused.

    each_wait.py HEDDLE_OPT PLAN.mlir

So no wait is there without need, and the verifier finds every one that is missing.
"""

import re
import subprocess
import sys


def accepts(tool: str, text: str) -> bool:
    return subprocess.run([tool, "-"], input=text, capture_output=True, text=True).returncode == 0


def main() -> int:
    tool, path = sys.argv[1:]
    text = open(path).read()
    if not accepts(tool, text):
        print("the plan itself is refused")
        return 1
    removed, wrong = 0, 0
    for match in re.finditer(r" (after|signals) \[([0-9, ]+)\]", text):
        events = match[2].split(", ")
        for i in range(len(events)):
            rest = ", ".join(events[:i] + events[i + 1:])
            changed = f" {match[1]} [{rest}]" if rest else ""
            mutant = text[:match.start()] + changed + text[match.end():]
            removed += 1
            if accepts(tool, mutant):
                wrong += 1
                print(f"without {match[0]}: accepted")
    print(f"{removed} plans refused, {wrong} not" if not wrong else f"{wrong} of {removed} plans accepted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
