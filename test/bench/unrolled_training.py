"""Writes a training step of about COUNT StableHLO operations: unrolled_training.py COUNT > step.mlir

A chain of dense layers with tanh and a fixed mask, forward, backward and the update by momentum, everything written out as JAX unrolls it.
Each layer has parameters of its own, which come in and go out, and a constant of its own. What the compiler does should grow as COUNT does.
"""

import sys

ROWS, WIDTH = 4, 16
H, W, B = f"tensor<{ROWS}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>", f"tensor<{WIDTH}xf32>"
#: Operations a layer has below.
LAYER = 19


def mask(layer: int) -> str:
    """Zeros and twos, others for each layer."""
    bits = [(layer + 1) * (i + 7) * 2654435761 >> 13 & 1 for i in range(ROWS * WIDTH)]
    return str([[2.0 * bits[row * WIDTH + i] for i in range(WIDTH)] for row in range(ROWS)])


def dot(lhs: str, rhs: str, contracting: tuple[int, int], types: tuple[str, str, str]) -> str:
    return f"stablehlo.dot_general {lhs}, {rhs}, contracting_dims = [{contracting[0]}] x [{contracting[1]}] : ({types[0]}, {types[1]}) -> {types[2]}"


def main(count: int) -> None:
    layers = max(1, count // LAYER)
    out = sys.stdout
    arguments = [f"%x: {H}", f"%y: {H}"]
    results = []
    for i in range(layers):
        arguments += [f"%w{i}: {W}", f"%v{i}: {W}", f"%b{i}: {B}"]
        results += [(f"%wn{i}", W), (f"%vn{i}", W), (f"%bn{i}", B)]
    print(f"func.func @main({', '.join(arguments)}) -> ({', '.join(type for _, type in results)}) {{", file=out)

    def op(name: str, text: str) -> None:
        print(f"  %{name} = {text}", file=out)

    for name, value, type in (("lr", "0.01", W), ("lrb", "0.01", B), ("mu", "0.9", W), ("one", "1.0", H), ("zero", "0.0", "tensor<f32>")):
        op(name, f"stablehlo.constant dense<{value}> : {type}")
    h = "%x"
    for i in range(layers):
        op(f"z{i}", dot(h, f"%w{i}", (1, 0), (H, W, H)))
        op(f"s{i}", f"stablehlo.broadcast_in_dim %b{i}, dims = [1] : ({B}) -> {H}")
        op(f"a{i}", f"stablehlo.add %z{i}, %s{i} : {H}")
        op(f"t{i}", f"stablehlo.tanh %a{i} : {H}")
        op(f"m{i}", f"stablehlo.constant dense<{mask(i)}> : {H}")
        op(f"h{i}", f"stablehlo.multiply %t{i}, %m{i} : {H}")
        h = f"%h{i}"
    op("loss", f"stablehlo.subtract {h}, %y : {H}")
    gradient = "%loss"
    for i in reversed(range(layers)):
        before = f"%h{i - 1}" if i else "%x"
        op(f"gm{i}", f"stablehlo.multiply {gradient}, %m{i} : {H}")
        op(f"tt{i}", f"stablehlo.multiply %t{i}, %t{i} : {H}")
        op(f"to{i}", f"stablehlo.subtract %one, %tt{i} : {H}")
        op(f"ga{i}", f"stablehlo.multiply %gm{i}, %to{i} : {H}")
        op(f"gw{i}", dot(before, f"%ga{i}", (0, 0), (H, H, W)))
        op(f"gb{i}", f"stablehlo.reduce(%ga{i} init: %zero) applies stablehlo.add across dimensions = [0] : ({H}, tensor<f32>) -> {B}")
        op(f"gh{i}", dot(f"%ga{i}", f"%w{i}", (1, 1), (H, W, H)))
        gradient = f"%gh{i}"
        op(f"vm{i}", f"stablehlo.multiply %v{i}, %mu : {W}")
        op(f"vn{i}", f"stablehlo.add %vm{i}, %gw{i} : {W}")
        op(f"wl{i}", f"stablehlo.multiply %vn{i}, %lr : {W}")
        op(f"wn{i}", f"stablehlo.subtract %w{i}, %wl{i} : {W}")
        op(f"bl{i}", f"stablehlo.multiply %gb{i}, %lrb : {B}")
        op(f"bn{i}", f"stablehlo.subtract %b{i}, %bl{i} : {B}")
    print(f"  return {', '.join(name for name, _ in results)} : {', '.join(type for _, type in results)}\n}}", file=out)


if __name__ == "__main__":
    main(int(sys.argv[1]))
