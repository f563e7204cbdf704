"""Checks that programs parse, and that what is printed reads back to the same.

round_trip.py HEDDLE-OPT FOLDER: prints the failures, then how many programs there were.

One process reads several programs, apart from each other; where something fails, each of these is read alone to name it.
"""

import pathlib
import subprocess
import sys

# Programs of one process.
GROUP = 32
MARK = "// ==== the next program ===="


def run(opt: str, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess:
    # A few programs compare by ops of a `check` dialect, which only the interpreter knows.
    command = [opt, "--allow-unregistered-dialect", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def failure(opt: str, program: pathlib.Path) -> str | None:
    first = run(opt, str(program))
    if first.returncode:
        return first.stderr.strip().splitlines()[0]
    for flags in ([], ["--mlir-print-op-generic"]):
        printed = run(opt, *flags, str(program)).stdout if flags else first.stdout
        second = run(opt, "-", text=printed)
        if second.returncode:
            return "what was printed does not parse: " + second.stderr.strip().splitlines()[0]
        if second.stdout != first.stdout:
            return "prints differently the second time"
    return None


def all_right(opt: str, programs: list[pathlib.Path]) -> bool:
    """Whether `failure` finds none in any of the programs."""
    together = [f"--split-input-file={MARK}", f"--output-split-marker={MARK}", "-"]
    text = f"\n{MARK}\n".join(program.read_text() for program in programs)
    first = run(opt, *together, text=text)
    if first.returncode or first.stdout.count(MARK) != len(programs) - 1:
        return False
    generic = run(opt, "--mlir-print-op-generic", *together, text=text)
    return all(second.returncode == 0 and second.stdout == first.stdout
               for second in (run(opt, *together, text=printed) for printed in (first.stdout, generic.stdout)))


def main() -> int:
    opt, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    programs = sorted(folder.rglob("*.mlir"))
    failed = 0
    for begin in range(0, len(programs), GROUP):
        group = programs[begin:begin + GROUP]
        if all_right(opt, group):
            continue
        for program in group:
            if message := failure(opt, program):
                failed += 1
                print(f"{program.relative_to(folder)}: {message}")
    print(f"{len(programs)} programs, {failed} failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
