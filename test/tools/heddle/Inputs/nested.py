"""Prints a program whose branches or loops are nested DEPTH deep: nested.py branches|loops DEPTH."""

import sys


def branches(depth):
    if depth == 0:
        return "%r0 = stablehlo.add %a, %a : tensor<f32>"
    return f"""%r{depth} = "stablehlo.if"(%p) ({{
{branches(depth - 1)}
stablehlo.return %r{depth - 1} : tensor<f32>
}}, {{
%e{depth} = stablehlo.multiply %a, %a : tensor<f32>
stablehlo.return %e{depth} : tensor<f32>
}}) : (tensor<i1>) -> tensor<f32>"""


def loops(depth, outer="a"):
    """Of one round each; the innermost reads what %b holds, and what comes last replaces it."""
    if depth == 0:
        return f"%r0 = stablehlo.add %{outer}, %b : tensor<f32>"
    return f"""%end{depth}, %r{depth} = stablehlo.while(%goes{depth} = %p, %v{depth} = %{outer}) : tensor<i1>, tensor<f32>
cond {{
stablehlo.return %goes{depth} : tensor<i1>
}} do {{
{loops(depth - 1, f"v{depth}")}
%stop{depth} = stablehlo.constant dense<false> : tensor<i1>
%s{depth} = stablehlo.maximum %r{depth - 1}, %v{depth} : tensor<f32>
stablehlo.return %stop{depth}, %s{depth} : tensor<i1>, tensor<f32>
}}"""


kind, depth = sys.argv[1], int(sys.argv[2])
print(f"""func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {{
%b = stablehlo.multiply %a, %a : tensor<f32>
{globals()[kind](depth)}
%last = stablehlo.add %b, %r{depth} : tensor<f32>
return %last : tensor<f32>
}}""")
