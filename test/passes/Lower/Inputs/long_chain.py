"""Prints a program that sums what a long chain of operations makes of a constant: long_chain.py COUNT."""

import sys

TYPE = "tensor<4xf32>"

count = int(sys.argv[1])
print(f"func.func @main() -> tensor<f32> {{\n%v0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : {TYPE}")
for i in range(count):
    print(f"%v{i + 1} = stablehlo.negate %v{i} : {TYPE}")
print(f"""%zero = stablehlo.constant dense<0.0> : tensor<f32>
%sum = stablehlo.reduce(%v{count} init: %zero) applies stablehlo.add across dimensions = [0] : ({TYPE}, tensor<f32>) -> tensor<f32>
return %sum : tensor<f32>
}}""")
