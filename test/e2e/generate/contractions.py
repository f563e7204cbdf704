"""Products of tensors: any order of dimensions, batches, groups, dilations."""

import numpy as np

from elements import COMPLEX, FLOATS, NUMPY, literal
from picks import dims, exact, fits, numeric, ordinary
from program import Type


def product_bound(x, y, count):
    return None if x.bound is None else (2 if x.type.element in COMPLEX else 1) * max(count, 1) * x.bound * y.bound


def emit_product(p, text, result, bound, terms):
    """A sum of so many products. Of one term jaxlib makes a product, which may be -0: it gets the sum of that and 0. heddle drops these lines."""
    if terms != 1 or result.element not in FLOATS:
        return p.emit(text, result, bound=bound)
    product = p.emit_text(text)
    # Whose value is known would be dropped.
    zero = p.constant(0.0, result)
    zero = p.emit_text(f"stablehlo.optimization_barrier {zero} : {result}")
    return p.emit(text, result, bound=bound, oracle=f"stablehlo.add {product}, {zero} : {result}")


def dot_general(p):
    x = p.pick(lambda v: numeric(v) and v.type.rank > 0)
    if not x:
        return None
    order = list(range(x.type.rank))
    p.random.shuffle(order)
    batches = p.random.choice([0, 0, 1, 2])
    batch, rest = order[:batches], order[batches:]
    contracted = rest[:p.random.choice([0, 1, 1, 1, 2])]
    kept = sorted(d for d in range(x.type.rank) if d not in batch and d not in contracted)
    free = list(p.shape(p.random.choice([0, 1, 1, 2])))
    sizes = [("b", d) for d in batch] + [("c", d) for d in contracted] + [("f", s) for s in free]
    p.random.shuffle(sizes)
    y = p.pick_or_input(x.type.shaped([s if kind == "f" else x.type.shape[s] for kind, s in sizes]), exact)
    right_batch = [sizes.index(("b", d)) for d in batch]
    right_contracted = [sizes.index(("c", d)) for d in contracted]
    right_free = [y.type.shape[d] for d in range(y.type.rank) if d not in right_batch and d not in right_contracted]
    terms = int(np.prod([x.type.shape[d] for d in contracted], dtype=np.int64))
    bound = product_bound(x, y, terms)
    if bound is not None and not fits(x.type.element, bound):
        return None
    result = x.type.shaped([x.type.shape[d] for d in batch] + [x.type.shape[d] for d in kept] + right_free)
    if result.size > 20000:
        return None
    text = f"batching_dims = {dims(batch)} x {dims(right_batch)}, " if batch else ""
    precision = ", precision = [HIGHEST, HIGHEST]" if p.random.random() < 0.2 else ""
    return emit_product(p, f"stablehlo.dot_general {x.name}, {y.name}, {text}contracting_dims = {dims(contracted)} x {dims(right_contracted)}"
                        f"{precision} : ({x.type}, {y.type}) -> {result}", result, bound, terms)


def dot(p):
    """The legacy forms."""
    x = p.pick(lambda v: numeric(v) and v.type.rank in (1, 2))
    if not x:
        return None
    k = x.type.shape[-1]
    y = p.pick_or_input(x.type.shaped([k] + list(p.shape(p.random.choice([0, 1])))), exact)
    bound = product_bound(x, y, k)
    if bound is not None and not fits(x.type.element, bound):
        return None
    result = x.type.shaped(x.type.shape[:-1] + y.type.shape[1:])
    if p.random.random() < 0.5:
        return emit_product(p, f"stablehlo.dot {x.name}, {y.name} : ({x.type}, {y.type}) -> {result}", result, bound, k)
    left, right = "ab"[2 - x.type.rank:], "bc"[:y.type.rank]
    config = f"{left},{right}->{left[:-1]}{right[1:]}"
    return emit_product(p, f'stablehlo.einsum {x.name}, {y.name}, config = "{config}" : ({x.type}, {y.type}) -> {result}', result, bound, k)


def ragged_dot(p):
    """Groups of rows, each by a matrix of its own."""
    x = p.pick(lambda v: ordinary(v) and v.type.rank == 2 and v.type.element in ("f32", "f64") and all(v.type.shape))
    if not x:
        return None
    rows, k = x.type.shape
    groups, columns = p.random.choice([1, 2, 3]), p.random.choice([1, 2, 5])
    w = p.pick_or_input(x.type.shaped([groups, k, columns]), exact)
    cuts = sorted(p.random.randint(0, rows) for _ in range(groups - 1))
    sizes = [end - begin for begin, end in zip([0, *cuts], [*cuts, rows])]
    counts = p.input(Type((groups,), "i32"), sizes)
    bound = product_bound(x, w, k)
    if not fits(x.type.element, bound):
        return None
    result = x.type.shaped([rows, columns])
    return p.emit(f'"chlo.ragged_dot"({x.name}, {w.name}, {counts.name}) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<'
                  "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : "
                  f"({x.type}, {w.type}, {counts.type}) -> {result}", result, bound=bound)


def convolution(p):
    element = p.random.choice(["f32", "f32", "f64", "i32", "i8", "f16", "bf16", "complex<f32>"])
    rank = p.random.choice([0, 1, 1, 2, 2, 3])
    groups, batches = p.random.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
    features, outputs = groups * p.random.choice([1, 2]), groups * batches * p.random.choice([1, 3])
    n = batches * p.random.choice([1, 2])
    extent = [p.random.choice([1, 2, 3, 6]) for _ in range(rank)]
    kernel = [p.random.choice([1, 2, 3]) for _ in range(rank)]
    stride = [p.random.choice([1, 2]) for _ in range(rank)]
    base = [p.random.choice([1, 1, 2]) for _ in range(rank)]
    dilation = [p.random.choice([1, 1, 2]) for _ in range(rank)]
    padding = [[p.random.choice([0, 1, -1 if extent[i] > 1 else 0]), p.random.choice([0, 2])] for i in range(rank)]
    reverse = [p.random.random() < 0.2 for _ in range(rank)]
    shape = []
    for i in range(rank):
        reach, padded = (kernel[i] - 1) * dilation[i] + 1, (extent[i] - 1) * base[i] + 1 + sum(padding[i])
        shape.append(0 if padded < reach else (padded - reach) // stride[i] + 1)

    def arranged(first, second, spatial):
        """A shape with its dimensions in any order, and the order's text."""
        entries = [first, second] + [(str(i), s) for i, s in enumerate(spatial)]
        if p.random.random() < 0.6:
            p.random.shuffle(entries)
        return "[" + ", ".join(name for name, _ in entries) + "]", [size for _, size in entries]

    left, left_shape = arranged(("b", n), ("f", features), extent)
    right, right_shape = arranged(("i", features // groups), ("o", outputs), kernel)
    out, out_shape = arranged(("b", n // batches), ("f", outputs), shape)
    x = p.pick_or_input(Type(tuple(left_shape), element), exact)
    w = p.pick_or_input(Type(tuple(right_shape), element), exact)
    bound = product_bound(x, w, int(np.prod(kernel, dtype=np.int64)) * features)
    if bound is not None and not fits(element, bound):
        return None
    result = Type(tuple(out_shape), element)
    attributes = f"{{batch_group_count = {batches} : i64, feature_group_count = {groups} : i64}}"
    if p.random.random() < 0.1 and rank and not any(reverse):
        # jaxlib does not translate the form whose padding is an operand.
        rows = p.constant(padding, f"tensor<{rank}x2xi64>")
        dynamic = (f'"stablehlo.dynamic_conv"({x.name}, {w.name}, {rows}) {{window_strides = array<i64: {dims(stride)[1:-1]}>, '
                   f"lhs_dilation = array<i64: {dims(base)[1:-1]}>, rhs_dilation = array<i64: {dims(dilation)[1:-1]}>, "
                   f"dimension_numbers = #stablehlo.conv<{left}x{right}->{out}>, batch_group_count = {batches} : i64, "
                   f"feature_group_count = {groups} : i64}} : ({x.type}, {w.type}, tensor<{rank}x2xi64>) -> {result}")
    else:
        dynamic = None
    window = (f"stride = {dims(stride)}, pad = {padding}, lhs_dilate = {dims(base)}, rhs_dilate = {dims(dilation)}, "
              f"reverse = [{', '.join(str(r).lower() for r in reverse)}]")
    text = (f"stablehlo.convolution({x.name}, {w.name}) dim_numbers = {left}x{right}->{out}, window = {{{window}}} {attributes} : "
            f"({x.type}, {w.type}) -> {result}")
    oracle = text
    if any(reverse):
        # jaxlib forgets the order of a window as large as its operand: it gets the reversed one. heddle drops these lines.
        axes = [i for i, name in enumerate(right[1:-1].split(", ")) if name.isdigit() and reverse[int(name)]]
        turned = p.emit_text(f"stablehlo.reverse {w.name}, dims = {dims(axes)} : {w.type}")
        turned = p.emit_text(f"stablehlo.optimization_barrier {turned} : {w.type}")
        oracle = oracle.replace(f", {w.name})", f", {turned})").replace(window, window.replace("true", "false"))
    if any(low < 0 < high for low, high in padding):
        # jaxlib reads beyond an operand that is cut at its begin and padded at its end: it gets the padded one. heddle drops these lines.
        order = left[1:-1].split(", ")
        edges = [(*padding[int(name)], base[int(name)] - 1) if name.isdigit() else (0, 0, 0) for name in order]
        low, high, interior = (dims(column) for column in zip(*edges))
        padded = x.type.shaped([size + (size - 1) * inner + lower + upper for size, (lower, upper, inner) in zip(x.type.shape, edges)])
        zero = p.constant(literal(Type((), element), np.zeros((), NUMPY[element])), f"tensor<{element}>")
        cut = p.emit_text(f"stablehlo.pad {x.name}, {zero}, low = {low}, high = {high}, interior = {interior} : "
                          f"({x.type}, tensor<{element}>) -> {padded}")
        # The padding would go back into the convolution.
        cut = p.emit_text(f"stablehlo.optimization_barrier {cut} : {padded}")
        oracle = oracle.replace(f"pad = {padding}, lhs_dilate = {dims(base)}", f"pad = {[[0, 0]] * rank}, lhs_dilate = {[1] * rank}")
        oracle = oracle.replace(f"({x.name}, ", f"({cut}, ").replace(f"({x.type}, ", f"({padded}, ")
        return p.emit(dynamic or text, result, bound=bound, oracle=oracle)
    return p.emit(dynamic or text, result, bound=bound, oracle=oracle)


def batch_norm(p):
    """All three, on small numbers; training and gradient round in other places than jaxlib."""
    x = p.pick(lambda v: ordinary(v) and v.type.element in ("f32", "f64") and v.type.rank > 1 and v.type.size > 0)
    if not x:
        return None
    d = p.random.randrange(x.type.rank)
    vector = x.type.shaped([x.type.shape[d]])
    scale, offset, mean = (p.pick_or_input(vector, exact) for _ in range(3))
    variance = p.input(vector, p.numbers.integers(1, 9, vector.shape))
    attributes = f"{{epsilon = 1.0 : f32, feature_index = {d} : i64}}"
    near = 2e-5 if x.type.element == "f32" else 1e-12
    kind = p.random.choice(["inference", "training", "grad"])
    if kind == "inference":
        return p.emit(f'"stablehlo.batch_norm_inference"({x.name}, {scale.name}, {offset.name}, {mean.name}, {variance.name}) {attributes} : '
                      f"({x.type}, {vector}, {vector}, {vector}, {vector}) -> {x.type}", x.type, final=True, near=near)
    if kind == "training":
        results = p.emit(f'"stablehlo.batch_norm_training"({x.name}, {scale.name}, {offset.name}) {attributes} : ({x.type}, {vector}, {vector}) '
                         f"-> ({x.type}, {vector}, {vector})", x.type, vector, vector, final=True, near=near)
        # jaxlib's variance is the mean of the squares without the square of the mean.
        results[2].terms = float(x.bound)**2
        return results
    gradient = p.pick_or_input(x.type, exact)
    return p.emit(f'"stablehlo.batch_norm_grad"({x.name}, {scale.name}, {mean.name}, {variance.name}, {gradient.name}) {attributes} : '
                  f"({x.type}, {vector}, {vector}, {vector}, {x.type}) -> ({x.type}, {vector}, {vector})", x.type, vector, vector, final=True,
                  near=near)


ALL = [dot_general, dot_general, dot_general, dot, ragged_dot, convolution, convolution, batch_norm]
