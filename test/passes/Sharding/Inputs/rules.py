"""Compares rules with those that Shardy's tests name: rules.py HEDDLE-OPT FILE.

Each function of the file names the rules of some of its operations, in order. Prints the functions whose rules differ, then
`... of ... functions have the same rules`.
"""

import pathlib
import re
import subprocess
import sys

RULE = re.compile(r"#sdy\.op_sharding_rule<(.*?)>(?=[,}\s]|$)")


def functions(text: str) -> dict[str, str]:
    """Each function's text, by its name; comments behind it are of the next."""
    parts = re.split(r"^\s*(?=func\.func )", text, flags=re.MULTILINE)
    found = {}
    for part in parts[1:]:
        name = re.match(r"func\.func (?:private |public )?@(\w+)", part)[1]
        found[name] = part[: part.rindex("}") + 1]
    return found


def rules_of(opt: str, function: str) -> list[str]:
    result = subprocess.run([opt, "--heddle-annotate-rules", "--allow-unregistered-dialect", "-"],
                            input=function.replace("expected-", "wanted-"), capture_output=True, text=True)
    if result.returncode:
        return [result.stderr.splitlines()[0]]
    return [match[1] for match in RULE.finditer(result.stdout)]


def main() -> int:
    opt, path = sys.argv[1], pathlib.Path(sys.argv[2])
    same = total = 0
    for name, body in functions(path.read_text()).items():
        wanted = [match[1] for line in body.split("\n") if "CHECK" in line for match in RULE.finditer(line + " ")]
        if not wanted:
            continue
        total += 1
        found = rules_of(opt, body)
        # Functions name the rules of some operations only, but in order.
        rest = iter(found)
        if all(rule in rest for rule in wanted):
            same += 1
        else:
            print(f"{name}: {' | '.join(found)}\n  wanted {' | '.join(wanted)}")
    print(f"{same} of {total} functions have the same rules")
    return 0


if __name__ == "__main__":
    sys.exit(main())
