"""Programs to damage: seeds.py HEDDLE-OPT FOLDER FILE... writes each as text and as bytecode.

Of the functions of a file only one of fixed sizes stays public, so that it is the entry point, or the first; comments are left out.
"""

import pathlib
import re
import subprocess
import sys

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for source in map(pathlib.Path, sys.argv[3:]):
    text = re.sub(r"^ *//.*\n", "", source.read_text(), flags=re.MULTILINE)
    head, *functions = re.split(r"(?=func\.func @)", text)
    entry = next((function for function in functions if "?" not in function.partition("{")[0]), functions[0])
    text = head + "".join(part if part is entry else part.replace("func.func @", "func.func private @", 1) for part in functions)
    path = folder / source.name
    path.write_text(text)
    subprocess.run([tool, path, "--emit-bytecode", "-o", path.with_suffix(".mlirbc")], check=True)
