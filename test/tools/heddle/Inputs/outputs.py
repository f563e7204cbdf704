"""Outputs that cannot be written: prints how each command ends, and what is left in the folder.

    outputs.py MODEL FOLDER
"""

import os
import pathlib
import re
import resource
import subprocess
import sys

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
rounding = pathlib.Path(model).parent / "rounding.mlir"
(folder / "folder").mkdir()
os.mkfifo(folder / "pipe")


def try_it(what, *arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    # A command that waits for a pipe's other end would wait forever.
    run = subprocess.run(["heddle", *map(str, arguments)], stderr=subprocess.PIPE, text=True, timeout=60, cwd=folder, **options)
    found = re.search(r'(error\[HDL-0[0-9]*\]: .*|"code":"HDL-[0-9]*")', run.stderr)
    print(f"{what}: {run.returncode} {found[0] if found else ''}".rstrip())


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


try_it("a folder", "compile", "-q", model, "-o", folder / "folder")
try_it("a folder by force", "compile", "-q", "--force", model, "-o", folder / "folder")
try_it("a pipe with a name", "compile", "-q", model, "-o", folder / "pipe")
try_it("standard output that is a pipe", "compile", "-q", model, "-o", "/dev/stdout")
try_it("a missing folder", "compile", "-q", model, "-o", folder / "nowhere" / "a.heddle")
try_it("a file that may not grow", "compile", "-q", model, "-o", folder / "small.heddle", preexec_fn=small_files)
with open("/dev/full", "w") as full:
    try_it("a full standard output", "version", stdout=full)
    try_it("a document for a full one", "version", "--json", stdout=full)
# The next file that is opened would become standard output, and get what is printed.
def nowhere():
    os.close(1)


try_it("a closed standard output", "compile", model, "-o", folder / "closed.heddle", stdout=None, preexec_fn=nowhere)
try_it("the same with a document", "version", "--json", stdout=None, preexec_fn=nowhere)
try_it("the same with nothing to say", "compile", "-q", model, "-o", folder / "closed.heddle", stdout=None, preexec_fn=nowhere)
subprocess.run(["heddle", "verify", folder / "closed.heddle"], check=True, stdout=subprocess.DEVNULL)
try_it("a dump to a full disk", "compile", "-q", model, "--stop-after", "heddle-graph", "--dump-after", "heddle-graph=/dev/full")
try_it("a reduced piece to a full disk", "compare", "-q", rounding, "--rtol", "0", "--atol", "0", "--reduce", "-o", "/dev/full")
try_it("an input that is a pipe", "check", folder / "pipe")
print("left:", ", ".join(sorted(path.name for path in folder.iterdir())))
