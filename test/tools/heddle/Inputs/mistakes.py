"""Files for slips on the command line: mistakes.py FOLDER [cut], the latter after FOLDER/four.heddle is there."""

import pathlib
import sys

import numpy as np

PROGRAM = """func.func @main(%x: {0}) -> {0} {{
  %0 = stablehlo.add %x, %x : {0}
  return %0 : {0}
}}
"""


def models(folder):
    (folder / "four.mlir").write_text(PROGRAM.format("tensor<4xf32>"))
    (folder / "open.mlir").write_text(PROGRAM.format("tensor<?x4xf32>"))
    np.save(folder / "f64.npy", np.zeros(4))
    np.save(folder / "words.npy", np.array(["one", "two"]))
    (folder / "cut.npy").write_bytes((folder / "f64.npy").read_bytes()[:60])
    np.savez(folder / "two.npz", first=np.zeros(4, "f4"), second=np.zeros(4, "f4"))


def damaged(folder):
    artifact = bytearray((folder / "four.heddle").read_bytes())
    (folder / "cut.heddle").write_bytes(artifact[:3000])
    artifact[-200] ^= 1
    (folder / "flipped.heddle").write_bytes(artifact)


if __name__ == "__main__":
    (damaged if sys.argv[2:] else models)(pathlib.Path(sys.argv[1]))
