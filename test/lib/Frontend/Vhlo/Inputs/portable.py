"""Portable artifacts against jaxlib's reader and writer: portable.py TRANSLATE FOLDER SHARE [SEED].

Of the programs of the folder, one in SHARE is taken, which ones is decided by a hash of name and seed. For every version:

- what jaxlib writes, heddle reads, and the program is the one that jaxlib reads;
- what heddle writes, jaxlib reads, and the program is the same one;
- a version that cannot hold the program is refused by both, by heddle with a message.

Versions that jaxlib does not know yet make the way through heddle alone.
"""

import os
import subprocess
import sys
import tempfile
import zlib

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

VERSIONS = ["0.9.0", "1.0.0", "1.5.0", "1.10.0"]
NEWEST = "1.20.0"


def translate(tool, arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"ended with {done.returncode}: {done.stderr[-400:]}")
    return done.stderr.strip() or "no message" if done.returncode else None


def without_locations(text):
    return "\n".join(line for line in text.splitlines() if not line.startswith("#loc"))


class Program:
    """One program on its ways; `faults` says what went wrong, `ways` how many went right."""

    def __init__(self, tool, path, folder):
        self.tool, self.path, self.faults, self.ways, self.refused = tool, path, [], 0, 0
        self.base = os.path.join(folder, os.path.basename(path))

    def parse(self, text):
        return str(ir.Module.parse(text))

    def canonical(self, context, version):
        """The program as jaxlib reads what it wrote itself; None if it cannot write it."""
        try:
            data = stablehlo.serialize_portable_artifact(self.module, version)
        except ValueError:
            return None, None
        return data, str(stablehlo.deserialize_portable_artifact(context, data))

    def read_back(self, data, name):
        """The text of what heddle reads from these bytes, as jaxlib prints it; or None after a fault."""
        artifact, text = self.base + ".mlirbc", self.base + ".read.mlir"
        with open(artifact, "wb") as out:
            out.write(data)
        error = translate(self.tool, ["--deserialize", artifact, "-o", text])
        if error:
            self.faults.append(f"{name}: not read: {error[:300]}")
            return None
        with open(text) as read:
            return read.read()

    def write(self, version):
        artifact = self.base + ".written.mlirbc"
        error = translate(self.tool, ["--serialize", f"--target={version}", self.path, "-o", artifact])
        if error:
            return None, error
        with open(artifact, "rb") as written:
            return written.read(), None

    def check_version(self, context, version):
        theirs, canonical = self.canonical(context, version)
        ours, error = self.write(version)
        if theirs is None or ours is None:
            if (theirs is None) != (ours is None):
                self.faults.append(f"{version}: jaxlib {'writes' if theirs else 'refuses'} it, heddle says: {error}"[:300])
            elif version.rsplit(".", 1)[0] not in error and "no place in VHLO" not in error:
                self.faults.append(f"{version}: the message does not name the version: {error}")
            else:
                self.refused += 1
            return
        text = self.read_back(theirs, f"{version} of jaxlib")
        if text is None:
            return
        if self.parse(text) != canonical:
            self.faults.append(f"{version}: heddle reads another program than jaxlib")
            return
        try:
            back = str(stablehlo.deserialize_portable_artifact(context, ours))
        except ValueError:
            self.faults.append(f"{version}: jaxlib does not read what heddle wrote")
            return
        if back != canonical:
            self.faults.append(f"{version}: jaxlib reads another program from what heddle wrote")
            return
        self.ways += 1

    def run(self, context, versions):
        try:
            with open(self.path) as source:
                self.module = ir.Module.parse(source.read())
        except ir.MLIRError as fault:
            # Some programs check themselves by a dialect that only heddle's interpreter knows.
            _, error = self.write(NEWEST)
            if "unregistered dialect" in str(fault) and error and ("no place in VHLO" in error or "unregistered" in error):
                self.refused += 1
            else:
                self.faults.append(f"jaxlib does not parse it: {fault}"[:300])
            return self
        for version in versions:
            self.check_version(context, version)
        # Newer than jaxlib: heddle reads what it wrote, and it is what jaxlib's newest version holds.
        ours, error = self.write(NEWEST)
        _, canonical = self.canonical(context, versions[-1])
        if ours is None:
            if canonical is not None:
                self.faults.append(f"{NEWEST}: {error}")
            return self
        text = self.read_back(ours, f"{NEWEST} of heddle")
        if text is not None and canonical is not None:
            if self.parse(text) == canonical:
                self.ways += 1
            else:
                self.faults.append(f"{NEWEST}: heddle reads another program than it wrote")
        return self


def main(tool, folder, share, seed="0"):
    versions = VERSIONS + [stablehlo.get_current_version()]
    paths = sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names
                   if name.endswith(".mlir"))
    chosen = [path for path in paths
              if zlib.crc32((os.path.basename(path) + seed).encode()) % int(share) == 0]
    programs = []
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = False
    with context, ir.Location.unknown(), tempfile.TemporaryDirectory() as scratch:
        for path in chosen:
            program = Program(tool, path, scratch)
            try:
                programs.append(program.run(context, versions))
            except RuntimeError as error:
                program.faults.append(str(error))
                programs.append(program)
            for fault in program.faults:
                print(f"{os.path.basename(path)}: {fault}", flush=True)
    failed = sum(bool(program.faults) for program in programs)
    print(f"{len(programs)} programs, {sum(p.ways for p in programs)} ways, "
          f"{sum(p.refused for p in programs)} refused by both, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
