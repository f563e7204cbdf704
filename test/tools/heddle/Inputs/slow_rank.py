"""Stops a rank in the middle of its calls, and lets it go on once it has been named: slow_rank.py FILE.heddle RANKS

Where a run is over before, or the rank was stopped before there were calls, another one is tried, in which it is stopped a little later.
"""

import os
import selectors
import signal
import subprocess
import sys
import time

file, ranks = sys.argv[1], int(sys.argv[2])
last = f"rank {ranks - 1} is slow"


def children(process: subprocess.Popen) -> list[int]:
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as listed:
            return [int(word) for word in listed.read().split()]
    except FileNotFoundError:
        return []


def wait_for_line(process: subprocess.Popen, seconds: float) -> str:
    """What the process says within that time; empty: nothing."""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stderr, selectors.EVENT_READ)
        return process.stderr.readline() if selector.select(seconds) else ""


for attempt in range(12):
    process = subprocess.Popen(["heddle", "bench", file, "--engine", "processes", "--seconds", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while len(children(process)) < ranks and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2 * attempt)
    forked = children(process)
    if process.poll() is None and len(forked) >= ranks:
        os.kill(forked[-1], signal.SIGSTOP)
        said = wait_for_line(process, 20)
        if process.poll() is None:
            os.kill(forked[-1], signal.SIGCONT)
    else:
        said = ""
    rest = process.communicate()[1]
    if said:
        assert last in said and " s for it, and it has not ended" in said, said
        assert process.returncode == 0 and not rest, (process.returncode, rest)
        print(said, end="")
        sys.exit(0)
sys.exit("no rank was named")
