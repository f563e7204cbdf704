"""Imports damaged copies of a file: cut off, and with bytes changed.

damage.py HEDDLE-TRANSLATE FILE COUNT. An import may succeed or fail with an error; it may not end by a signal or take long.
"""

import pathlib
import random
import subprocess
import sys
import tempfile


def main() -> int:
    tool, original, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    data = original.read_bytes()
    chance = random.Random(0)
    crashed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / ("damaged" + original.suffix)
        for number in range(count):
            damaged = bytearray(data)
            if number % 4 == 0:
                del damaged[chance.randrange(len(data)):]
            else:
                for _ in range(chance.choice([1, 1, 4, 16])):
                    damaged[chance.randrange(len(data))] = chance.randrange(256)
            path.write_bytes(damaged)
            command = [tool, "--import-stablehlo", str(path), "-o", "/dev/null"]
            try:
                result = subprocess.run(command, capture_output=True, timeout=60, check=False)
            except subprocess.TimeoutExpired:
                result = None
            if result is None or result.returncode not in (0, 1):
                crashed += 1
                print(f"number {number}:", "hangs" if result is None else f"exit code {result.returncode}")
    print(f"{count} damaged files, {crashed} crashed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
