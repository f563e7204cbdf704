"""Starts a command several times, as torchrun starts the ranks of a group, on a free port: launch.py COUNT COMMAND...

Each process has RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. What they print comes together on standard output. Ends with the highest exit
code, which of a process that a signal has ended is 128 and its number, and with 99 where a process has not ended within two minutes.
"""

import os
import socket
import subprocess
import sys

count, command = int(sys.argv[1]), sys.argv[2:]
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
place = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
processes = [subprocess.Popen(command, env={**os.environ, **place, "RANK": str(rank)}, stderr=subprocess.STDOUT) for rank in range(count)]
try:
    codes = [process.wait(timeout=120) for process in processes]
    sys.exit(max(code if code >= 0 else 128 - code for code in codes))
except subprocess.TimeoutExpired:
    for process in processes:
        process.kill()
    sys.exit(99)
