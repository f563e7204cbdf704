"""Runs each pass alone on each program: every_pass.py FOLDER SHARE SEED PROGRAM....

A pass may refuse a program that the passes before it would have prepared, with an error; it may not crash, abort or hang. FOLDER is
for output. Of all pairs, one in SHARE is tried; which ones SEED decides.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SECONDS = 120
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


def main(folder, share, seed, *programs):
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)

    def chosen(pair):
        digest = hashlib.sha256(f"{seed} {pair[0]} {pathlib.Path(pair[1]).name}".encode()).digest()
        return int.from_bytes(digest[:8], "little") % int(share) == 0

    names = passes()
    pairs = [pair for program in programs for name in names if chosen(pair := (name, program))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [(pair, text) for pair, text in zip(pairs, pool.map(lambda pair: fault(*pair), pairs)) if text]
    for (name, program), text in faults:
        print(f"--{name} {program}: {text}")
    print(f"{len(pairs)} runs: {len(faults)} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
