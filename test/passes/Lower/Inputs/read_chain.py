"""Prints a program of a chain of values computed from a constant, each of which is read: read_chain.py COUNT."""

import sys

TYPE = "tensor<4xf32>"

count = int(sys.argv[1])
print(f"func.func @main(%x0: {TYPE}) -> {TYPE} {{\n%c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : {TYPE}\n%v0 = stablehlo.negate %c : {TYPE}")
for i in range(count):
    print(f"%v{i + 1} = stablehlo.subtract %v{i}, %c : {TYPE}\n%x{i + 1} = stablehlo.add %x{i}, %v{i + 1} : {TYPE}")
print(f"return %x{count} : {TYPE}\n}}")
