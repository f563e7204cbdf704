"""Runs commands that may start no further threads, or few: no_threads.py MODEL ARTIFACT FOLDER. Each must say so, or do without."""

import os
import resource
import subprocess
import sys

# The limit is of a user who is not root.
NOBODY = 65533


def limited(threads: int):
    def limit():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
    return limit


def main() -> int:
    model, artifact, folder = sys.argv[1:]
    os.chmod(folder, 0o777)
    refused = 0
    for threads in range(1, 7):
        for command in (["inspect", artifact], ["run", artifact], ["check", model], ["compile", model, "-o", f"{folder}/{threads}.heddle"]):
            done = subprocess.run(["heddle", *command], preexec_fn=limited(threads), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            said = "error[HDL-0820]" in done.stderr
            if done.returncode not in (0, 6) or (done.returncode == 6) != said or "terminate" in done.stderr or "LLVM ERROR" in done.stderr:
                print(f"heddle {command[0]} with {threads} threads ended with {done.returncode}: {done.stderr}")
            refused += done.returncode == 6
    print(f"{refused} commands were refused threads" if refused else "no command was refused a thread")
    return 0


if __name__ == "__main__":
    sys.exit(main())
