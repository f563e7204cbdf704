"""Checks that programs parse, and that what is printed reads back to the same.

round_trip.py HEDDLE-OPT FOLDER SHARE: takes one program of SHARE, chosen by a hash of its name. Prints the failures, then how many
programs there were.
"""

import pathlib
import subprocess
import sys
import zlib


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


def main() -> int:
    opt, folder, share = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    programs = sorted(p for p in folder.rglob("*.mlir") if zlib.crc32(p.name.encode()) % share == 0)
    failed = 0
    for program in programs:
        if message := failure(opt, program):
            failed += 1
            print(f"{program.relative_to(folder)}: {message}")
    print(f"{len(programs)} programs, {failed} failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
