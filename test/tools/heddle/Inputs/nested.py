"""Prints a program whose branches are nested DEPTH deep: nested.py DEPTH."""

import sys


def inside(depth):
    if depth == 0:
        return "%r0 = stablehlo.add %a, %a : tensor<f32>"
    return f"""%r{depth} = "stablehlo.if"(%p) ({{
{inside(depth - 1)}
stablehlo.return %r{depth - 1} : tensor<f32>
}}, {{
%e{depth} = stablehlo.multiply %a, %a : tensor<f32>
stablehlo.return %e{depth} : tensor<f32>
}}) : (tensor<i1>) -> tensor<f32>"""


depth = int(sys.argv[1])
print(f"func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {{\n{inside(depth)}\nreturn %r{depth} : tensor<f32>\n}}")
