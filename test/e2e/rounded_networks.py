"""Networks as files for heddle, and the same in NumPy, with products whose factors are rounded as the formats of `--precision auto` say.

Each function gives name, file, options and samples of a model, and a function that computes it.
"""

import ml_dtypes
import numpy as np

SAMPLES = 64
WIDTH, ROWS, LAYERS = 256, 48, 5


def in_blocks(weight, bits):
    """Of each 32 terms of a column: integers in units of the bf16 nearest to the number of the largest magnitude over 127, or over -8."""
    blocks = weight.reshape(WIDTH // 32, 32, WIDTH)
    place = np.abs(blocks).argmax(1)
    extreme = np.take_along_axis(blocks, place[:, None], 1)
    scale = (extreme / np.float32(127 if bits == 8 else -8)).astype(ml_dtypes.bfloat16).astype(np.float32)
    numbers = np.clip(np.round(blocks / scale), -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return (numbers * scale).reshape(weight.shape)


def rounded(kind, left, right):
    """The factors of a product of f32 in a narrower format."""
    if kind == "bf16":
        return tuple(a.astype(np.float32).astype(ml_dtypes.bfloat16) for a in (left, right))
    return left, in_blocks(right, int(kind[1]))


def scale_of(least, largest):
    """Of bytes from the least number to the largest, zero among them, and which of them is zero."""
    least, largest = min(least, 0.0), max(largest, 0.0)
    scale = np.float32((largest - least) / 255)
    return scale, int(np.rint(-least / scale))


def multiplied_bytes(left, right, scale, zero):
    """The product of bytes: a first factor in units of one scale, a weight in units of one for each column, of which the number of the largest magnitude is 127."""
    stored = np.clip(np.rint(left.astype(np.float32) / scale) + zero, 0, 255).astype(np.int64)
    extreme = np.take_along_axis(right, np.abs(right).argmax(0)[None], 0)[0]
    scales = extreme / np.float32(127)
    weight = np.clip(np.rint(right / scales), -128, 127).astype(np.int64)
    return ((stored - zero) @ weight) * (scale * scales).astype(np.float64)


def network(folder, rows=ROWS):
    """x + tanh(x w) s for several layers, the scales of which make their products matter more or less."""
    random = np.random.default_rng(5)
    weights = {f"w{i}": (random.standard_normal((WIDTH, WIDTH)) / 16).astype(np.float32) for i in range(LAYERS)}
    scales = [2.0, 1.0, 0.3, 0.1, 0.03]
    arguments, lines, binds, value = [f'%x: tensor<{rows}x{WIDTH}xf32> {{heddle.name = "x"}}'], [], [], "%x"
    kind, square = f"tensor<{rows}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>"
    for i, (name, weight) in enumerate(weights.items()):
        np.save(folder / f"{name}.npy", weight)
        binds += ["--bind", f"{name}=@{folder / name}.npy"]
        arguments.append(f'%{name}: {square} {{heddle.name = "{name}"}}')
        lines += [f"%p{i} = stablehlo.dot_general {value}, %{name}, contracting_dims = [1] x [0] : ({kind}, {square}) -> {kind} loc(\"layer{i}/product\")",
                  f"%t{i} = stablehlo.tanh %p{i} : {kind}",
                  f"%s{i} = stablehlo.constant dense<{scales[i]}> : {kind}",
                  f"%m{i} = stablehlo.multiply %t{i}, %s{i} : {kind}",
                  f"%y{i} = stablehlo.add {value}, %m{i} : {kind}"]
        value = f"%y{i}"
    text = f"func.func @main({', '.join(arguments)}) -> ({kind} {{heddle.name = \"y\"}}) {{\n  " + "\n  ".join(lines) + f"\n  return {value} : {kind}\n}}\n"
    (folder / "network.mlir").write_text(text)

    def compute(x, kinds={}, first_scales=None, met=None):
        """The result where products of some layers have other factors; `met` gets the first factor of each."""
        x = x.astype(np.float64)
        for i, weight in enumerate(weights.values()):
            if met is not None:
                met.append(x)
            if kinds.get(i) == "w8a8":
                product = multiplied_bytes(x, weight, *first_scales[i])
            else:
                left, right = rounded(kinds[i], x, weight) if i in kinds else (x, weight)
                product = left.astype(np.float64) @ right.astype(np.float64)
            x = x + np.tanh(product) * np.float32(scales[i])
        return x
    samples = {"x": random.standard_normal((SAMPLES, rows, WIDTH)).astype(np.float32)}
    return ("network", folder / "network.mlir", binds, samples), compute


def windows(x, size, step):
    """Rows of all points of windows over images [n, h, w, channels] with zeros around: [n, h', w', size * size * channels]."""
    x = np.pad(x, ((0, 0), (size // 2, size // 2), (size // 2, size // 2), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))[:, ::step, ::step]
    return views.transpose(0, 1, 2, 4, 5, 3).reshape(*views.shape[:3], -1)


def images(folder):
    """Two convolutions with a ReLU between: the first has numbers of both signs around which it pads, the second none below zero."""
    random = np.random.default_rng(6)
    shapes, steps = [(3, 3, 16, 32), (3, 3, 32, 32)], [1, 2]
    kinds = ["tensor<1x12x12x16xf32>", "tensor<1x12x12x32xf32>", "tensor<1x6x6x32xf32>"]
    weights, arguments, lines, binds, value = [], [f'%x: {kinds[0]} {{heddle.name = "x"}}'], [], [], "%x"
    for i, (shape, step) in enumerate(zip(shapes, steps)):
        weights.append((random.standard_normal(shape) / 12).astype(np.float32))
        np.save(folder / f"f{i}.npy", weights[-1])
        binds += ["--bind", f"f{i}=@{folder}/f{i}.npy"]
        kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
        arguments.append(f'%f{i}: {kind} {{heddle.name = "f{i}"}}')
        lines.append(f"%p{i} = stablehlo.convolution({value}, %f{i}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
                     f"window = {{stride = [{step}, {step}], pad = [[1, {2 - step}], [1, {2 - step}]]}} {{feature_group_count = 1 : i64, batch_group_count = 1 : i64}} : "
                     f"({kinds[i]}, {kind}) -> {kinds[i + 1]} loc(\"layer{i}/product\")")
        value = f"%p{i}"
        if i == 0:
            lines += [f"%zero = stablehlo.constant dense<0.0> : {kinds[1]}", f"%relu = stablehlo.maximum {value}, %zero : {kinds[1]}"]
            value = "%relu"
    text = f"func.func @main({', '.join(arguments)}) -> ({kinds[2]} {{heddle.name = \"y\"}}) {{\n  " + "\n  ".join(lines) + f"\n  return {value} : {kinds[2]}\n}}\n"
    (folder / "images.mlir").write_text(text)

    def compute(x, kinds={}, first_scales=None, met=None):
        x = x.astype(np.float64)
        for i, (weight, step) in enumerate(zip(weights, steps)):
            if met is not None:
                met.append(x)
            left, right = windows(x, 3, step), weight.reshape(-1, weight.shape[-1])
            if kinds.get(i) == "w8a8":
                x = multiplied_bytes(left, right, *first_scales[i])
            else:
                left, right = rounded(kinds[i], left, right) if i in kinds else (left, right)
                x = left.astype(np.float64) @ right.astype(np.float64)
            x = np.maximum(x, 0) if i == 0 else x
        return x
    samples = {"x": random.standard_normal((SAMPLES, 1, 12, 12, 16)).astype(np.float32)}
    return ("images", folder / "images.mlir", binds, samples), compute
