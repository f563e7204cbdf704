"""Writes the parameters of a small model into a folder: all.npz, all.safetensors, b.npy."""

import json
import pathlib
import struct
import sys

import numpy


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    tensors = {
        "w": numpy.arange(800, dtype=numpy.float32).reshape(100, 8),
        "b": numpy.arange(8, dtype=numpy.float32),
    }
    numpy.savez(folder / "all.npz", **tensors)
    numpy.save(folder / "b.npy", tensors["b"])
    header, data = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    (folder / "all.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


main()
