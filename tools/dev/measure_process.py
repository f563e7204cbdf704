"""Runs a command without its standard output, and prints time, peak memory and exit status as JSON: measure_process.py COMMAND...

In a process of its own: what a program's memory peaks at counts from the fork, when it still is the program that started it.
"""

import json
import os
import sys
import time

begin = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
json.dump({"seconds": time.perf_counter() - begin, "peak_bytes": usage.ru_maxrss * 1024, "status": os.waitstatus_to_exitcode(status)}, sys.stdout)
