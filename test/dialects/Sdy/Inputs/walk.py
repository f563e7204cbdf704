"""Runs heddle-opt over the programs of a folder of Shardy's tests, piece by piece.

A piece without expected errors must parse, verify and print; what is printed must read back to the same, pretty and generic. A piece with
expected errors must be refused, with an error at each line that the piece names and at no other; the wording is ours. Files whose first line
pipes into FileCheck are checked by it, too. The last line printed counts the pieces: `... read back, ... refused, ... checked, ... failed`.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

EXPECTED = re.compile(r"expected-error\s*(?:@\s*(below|above|[+-]\d+))?\s*\{\{")
REPORTED = re.compile(r"^<stdin>:(\d+):\d+: error:", re.MULTILINE)


def run(command: list[str], text: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, input=text, capture_output=True, text=True)


def expected_lines(piece: str) -> set[int]:
    found = set()
    lines = piece.split("\n")
    for number, line in enumerate(lines, 1):
        for match in EXPECTED.finditer(line):
            if match[1] == "below":
                # The next line that is no annotation itself.
                found.add(next(i for i in range(number + 1, len(lines) + 1) if not EXPECTED.search(lines[i - 1])))
            else:
                found.add(number + (-1 if match[1] == "above" else int(match[1] or 0)))
    return found


def refused(opt: str, piece: str, expected: set[int]) -> str | None:
    # The annotations are ours to check.
    result = run([opt, "-"], piece.replace("expected-", "wanted-"))
    if result.returncode == 0:
        return "is accepted"
    reported = {int(line) for line in REPORTED.findall(result.stderr)}
    if reported != expected:
        return f"has errors at lines {sorted(reported)}, wanted at {sorted(expected)}: {result.stderr.strip().splitlines()[0]}"
    return None


def reads_back(opt: str, piece: str) -> str | None:
    printed = run([opt, "-"], piece)
    if printed.returncode != 0:
        return f"is refused: {printed.stderr.strip().splitlines()[0]}"
    for generic in ([], ["--mlir-print-op-generic"]):
        text = run([opt, "-", *generic], piece).stdout
        again = run([opt, "-"], text)
        if again.stdout != printed.stdout:
            return "reads back to something else"
    return None


def checked(opt: str, path: pathlib.Path) -> str | None:
    line = path.read_text().splitlines()[0]
    match = re.match(r"// RUN: sdy_opt %s(.*?)(?: 2>&1)? \| FileCheck %s", line)
    if not match:
        return None
    printed = subprocess.run([opt, path, *match[1].split()], capture_output=True, text=True)
    result = run(["FileCheck", str(path)], printed.stdout)
    return f"is printed otherwise: {result.stderr.strip()}" if result.returncode else ""


def main() -> int:
    opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    tasks = []
    counts = {"read back": 0, "refused": 0, "checked": 0}
    failed = []
    for path in sorted(folder.glob("*.mlir")):
        found = checked(opt, path)
        if found is not None:
            counts["checked"] += found == ""
            failed += [f"{path.name} {found}"] if found else []
        line = 1
        for piece in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            expected = expected_lines(piece)
            tasks.append((f"{path.name}:{line}", piece, expected))
            line += piece.count("\n")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outcomes = pool.map(lambda task: refused(opt, task[1], task[2]) if task[2] else reads_back(opt, task[1]), tasks)
        for (where, _, expected), problem in zip(tasks, outcomes):
            if problem:
                failed.append(f"{where} {problem}")
            else:
                counts["refused" if expected else "read back"] += 1
    print("\n".join(failed))
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + f", {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
