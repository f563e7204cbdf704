"""Runs each pass alone on each program: every_pass.py FOLDER SHARE SEED PROGRAM....

A pass may refuse a program that the passes before it would have prepared, with an error; it may not crash, abort or hang. FOLDER is
for output. Of all pairs, one in SHARE is tried; which ones SEED decides.

One process tries a pass on several programs, apart from each other. What it does not show to be well is tried again, each program alone.
"""

import bisect
import hashlib
import itertools
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SECONDS = 120
# Programs of one process.
GROUP = 32
MARK = "// ==== the next program ===="
DEATH = re.compile("LLVM ERROR|Assertion|Stack dump|PLEASE submit|AddressSanitizer|runtime error")


def passes():
    text = subprocess.run(["heddle-opt", "--help"], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"^ +--(heddle-[a-z0-9-]+)", text, re.MULTILINE)))


def fault(name, program):
    try:
        run = subprocess.run(["heddle-opt", f"--{name}", "--allow-unregistered-dialect", str(program), "-o", os.devnull],
                             capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {SECONDS} s"
    if run.returncode in (0, 1) and not DEATH.search(run.stderr):
        # A failure says why.
        return None if run.returncode == 0 or "error" in run.stderr else "fails without an error"
    return f"exit status {run.returncode}: {run.stderr[-600:]}"


def unsure(name, programs):
    """Those of the programs of which one process for all does not show that the pass takes them, or refuses them with an error in their lines."""
    texts = [pathlib.Path(program).read_bytes() for program in programs]
    command = ["heddle-opt", f"--{name}", "--allow-unregistered-dialect", f"--split-input-file={MARK}", f"--output-split-marker={MARK}"]
    try:
        run = subprocess.run(command, input=f"\n{MARK}\n".encode().join(texts), capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return programs
    errors = run.stderr.decode(errors="replace")
    outputs = run.stdout.split(MARK.encode())
    if run.returncode not in (0, 1) or DEATH.search(errors) or len(outputs) != len(programs):
        return programs
    ends = list(itertools.accumulate(text.count(b"\n") + 2 for text in texts))
    refused = {bisect.bisect_left(ends, int(line)) for line in re.findall(r"^<stdin>:(\d+):\d+: error: ", errors, re.MULTILINE)}
    return [program for i, program in enumerate(programs) if not outputs[i].strip() and i not in refused]


def faults_of(name, programs):
    """What is wrong with the pass on these programs: pairs of the program and a text."""
    alone = unsure(name, programs) if len(programs) > 1 else programs
    return [(program, text) for program in alone if (text := fault(name, program))]


def main(folder, share, seed, *programs):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)

    def chosen(pair):
        digest = hashlib.sha256(f"{seed} {pair[0]} {pathlib.Path(pair[1]).name}".encode()).digest()
        return int.from_bytes(digest[:8], "little") % int(share) == 0

    runs, groups = 0, []
    for name in passes():
        mine = [program for program in programs if chosen((name, program))]
        runs += len(mine)
        groups += [(name, mine[begin:begin + GROUP]) for begin in range(0, len(mine), GROUP)]
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _), faults in zip(groups, pool.map(lambda group: faults_of(*group), groups)):
            for program, text in faults:
                print(f"--{name} {program}: {text}")
            wrong += len(faults)
    print(f"{runs} runs: {wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
