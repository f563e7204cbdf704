"""Compares the bytes of scaled-weight.mlir's weight with its layout, spelled out: by panels of 3 columns and pairs of rows."""

import sys

import numpy

numbers = numpy.array([[1, 2, 3, 4, 5, 6], [-1, -2, -3, -4, -5, -6], [0, 1, 0, 1, 0, 1], [7, 6, 5, 4, 3, 2]], numpy.int8)
stored = numpy.load(sys.argv[1]).view(numpy.uint8)
pairs = numbers.astype(numpy.uint8).reshape(2, 2, 2, 3).transpose(2, 0, 3, 1) & 15  # [panel, pair, column, row of the pair]
wanted = (pairs[..., :1] | pairs[..., 1:] << 4)
print("as the layout says" if numpy.array_equal(stored, wanted) else f"{stored.tolist()}, not {wanted.tolist()}")
