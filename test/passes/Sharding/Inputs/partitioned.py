"""Partitions the programs of Shardy's executable tests and runs the checks that go with them in the interpreter.

Some files call a sequential function that they do not have; it is made of the parallel one.

usage: partitioned.py HEDDLE_OPT HEDDLE SCRATCH FOLDER...

A file has pieces, divided by lines of `//--- NAME`: the program to partition, and a main function that runs it on all devices and compares. Prints
the name of each file whose numbers are not right, with the first line of why, and last how many are right.
"""

import pathlib
import re
import subprocess
import sys


def pieces(text: str) -> list[str]:
    return re.split(r"^//--- .*$", text, flags=re.MULTILINE)[1:]


def without_shardings(text: str) -> str:
    """The text without the attributes of sdy, each the only one of its dictionary."""
    while (start := text.find("{sdy.")) >= 0:
        end, depth = start, 0
        while depth > 0 or end == start:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[:start] + text[end:]
    return text


def missing_functions(program: str, checks: str) -> str:
    """Functions that the checks call and the file does not have: sequential ones, which are the parallel ones without their shardings."""
    functions = {re.match(r"\w+", text)[0]: text for text in re.split(r"^func\.func @", program, flags=re.MULTILINE)[1:]}
    called = set(re.findall(r"call @(sequential_\w+)", checks)) - set(functions)
    return "".join(f"func.func @{without_shardings(text)}".replace("parallel_", "sequential_", 1)
                   for name, text in functions.items() if name.replace("parallel_", "sequential_", 1) in called)


def first_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["nothing is said"])[0].split("error: ")[-1]


def try_file(opt: str, heddle: str, path: pathlib.Path, scratch: pathlib.Path) -> str:
    """Nothing where all is right, otherwise why it is not."""
    program, *checks = pieces(path.read_text())
    run = subprocess.run([opt, "--heddle-sharding-partition", "-"], input=program, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return first_line(run.stderr)
    # The checks join the functions of the module.
    module = run.stdout.rstrip()
    end = module.rindex("}") if module.startswith("module") else len(module)
    checks = "".join(checks)
    checks += missing_functions(program, checks)
    joined = scratch / path.name
    joined.write_text(module[:end] + checks + ("\n}\n" if module.startswith("module") else ""))
    run = subprocess.run([heddle, "test", "--interpret", joined], capture_output=True, text=True, check=False)
    if run.returncode != 0 or "1 passed" not in run.stdout:
        return first_line(run.stderr + run.stdout)
    return ""


def main() -> int:
    opt, heddle, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    scratch.mkdir(parents=True, exist_ok=True)
    paths = [path for folder in sys.argv[4:] for path in sorted(pathlib.Path(folder).glob("*.mlir"))]
    wrong = [(path, why) for path in paths if (why := try_file(opt, heddle, path, scratch))]
    for path, why in wrong:
        print(f"{path.parent.name}/{path.stem}: {why}")
    print(f"{len(paths) - len(wrong)} of {len(paths)} files are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
