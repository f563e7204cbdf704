"""Sums up the lit reports and steps in a folder: failures, skips by reason, and a last line with the total."""

import collections
import json
import pathlib
import re
import sys


def skip_reason(test: dict) -> str:
    match = re.search(r"unavailable features: (.*)", test["output"])
    if match:
        return f"needs {match[1]}"
    return test["output"].strip().splitlines()[-1] if test["output"].strip() else "no reason given"


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    passed, failures, skips = 0, [], collections.defaultdict(list)
    for report in sorted(folder.glob("*.json")):
        for test in json.loads(report.read_text())["tests"]:
            name = f"{report.stem}: {test['name']}"
            if test["code"] in ("PASS", "FLAKYPASS", "XFAIL"):
                passed += 1
            elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
                skips[skip_reason(test)].append(name)
            else:
                failures.append(f"{name} ({test['code']})")
    for step in sorted(folder.glob("*.step")):
        if step.read_text().strip() == "pass":
            passed += 1
        else:
            failures.append(step.stem)

    for reason, names in sorted(skips.items()):
        print(f"skipped, {reason}:")
        for name in names:
            print(f"  {name}")
    for name in failures:
        print(f"failed: {name}")
    skipped = sum(len(names) for names in skips.values())
    print(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    # A run in which nothing ran is not a success.
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
