"""Runs a command and succeeds when it ends with the code asked for: exits.py CODE COMMAND...

Its output and errors come together on standard output, in order.
"""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
actual = subprocess.run(command, stderr=subprocess.STDOUT).returncode
if actual != expected:
    sys.exit(f"{command[0]} ended with {actual}, not {expected}")
