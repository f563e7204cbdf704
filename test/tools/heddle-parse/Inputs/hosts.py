"""heddle in hosts of many kinds: hosts.py HEDDLE BYTECODE FOLDER.

Prints how `heddle compile` ends with a good file in bytecode where its host ignores SIGCHLD, blocks all signals, has closed its standard streams, has
little stack, and where heddle-parse is missing, ends at once, is something else, or does not answer.
"""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

heddle, model, folder = sys.argv[1:]


def check(name, file=model, parser=None, expected=0, arguments=(), **settings):
    environment = dict(os.environ)
    if parser is not None:
        environment["HEDDLE_PARSE"] = parser
    start = time.monotonic()
    done = subprocess.run([heddle, "compile", "-q", file, "-o", f"{folder}/out.heddle", *arguments], capture_output=not settings.pop("bare", False), text=True, env=environment, **settings)
    errors = [line for line in (done.stderr or "").splitlines() if "error[" in line]
    print(f"{name}: {done.returncode}", *errors, sep=" | ")
    assert done.returncode == expected, done
    return time.monotonic() - start


def script(name, text):
    path = pathlib.Path(folder) / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def ignore_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def block_all():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))


def close_streams():
    for stream in (0, 1, 2):
        os.close(stream)


def still_there(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
empty = f"{folder}/empty"
pathlib.Path(empty).touch(0o755)
damaged = pathlib.Path(folder) / "deep.mlir"
damaged.write_text("module attributes {a = " + "[" * 300000 + "]" * 300000 + "} {}\n")

check("as it is")
check("children ignored", preexec_fn=ignore_children)
check("damaged, children ignored", file=damaged, expected=1, preexec_fn=ignore_children)
check("signals blocked", preexec_fn=block_all)
check("streams closed", bare=True, preexec_fn=close_streams)
check("little stack", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20)))
check("missing", parser="/nowhere/heddle-parse", expected=1)
check("ends", parser="/bin/false", expected=1)
# Its socket stays open, in what it has started.
seconds = check("ends, but not all of it", parser=script("left", "sleep 30 <&0 & exit 0"), expected=1)
assert seconds < 5, seconds
check("an empty name", parser="", expected=1)
check("an empty file", parser=empty, expected=1)
check("a folder", parser=folder, expected=1)
check("other", parser=script("other", "printf nonsense >&0; sleep 60"), expected=1)
# Three seconds of processor time are a sixth of what is waited for.
seconds = check("silent", parser=script("silent", "sleep 60"), expected=1)
assert 5 < seconds < 40, seconds

# What was started does not stay behind, nor what that has started.
seconds = check("silent for longer than may be", parser=script("stuck", f"echo $$ > {folder}/stuck.pid; sleep 60 & echo $! >> {folder}/stuck.pid; wait"),
                arguments=["--time-limit", "1"], expected=6)
assert seconds < 4, seconds
time.sleep(0.2)
left = [process for process in pathlib.Path(f"{folder}/stuck.pid").read_text().split() if still_there(process)]
assert not left, left
