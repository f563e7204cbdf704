"""Shapes that are operands: constants here, so that everything compiles; and legacy forms of shape operations."""

from elements import FLOATS, INTS
from picks import dims, largest, lossy
from program import Type


def shape_operand(p, shape):
    e = p.random.choice(["i32", "i64"])
    return p.constant(dims(shape), f"tensor<{len(shape)}x{e}>"), f"tensor<{len(shape)}x{e}>"


def open_type(p, type):
    """The type itself, or with some dimensions unknown until the shape is."""
    if p.random.random() < 0.6:
        return None
    return "tensor<" + "".join(f"{'?' if p.random.random() < 0.6 else d}x" for d in type.shape) + type.element + ">"


def dynamic(p, x, result, form, like=None, bound=None):
    """The operation that `form` writes for a result type; an open type is closed again."""
    between = open_type(p, result)
    like = like or (x,)
    if between is None:
        return p.emit(form(result), result, like=like, bound=bound, final=lossy(like, bound) if len(like) > 1 else None)
    made = p.emit_text(form(between))
    shape, shape_type = shape_operand(p, result.shape)
    return p.emit(f"stablehlo.dynamic_reshape {made}, {shape} : ({between}, {shape_type}) -> {result}", result, like=like, bound=bound,
                  final=lossy(like, bound) if len(like) > 1 else None)


def dynamic_reshape(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    result = x.type.shaped([x.type.size] if p.random.random() < 0.5 and x.type.rank != 1 else [1, *reversed(x.type.shape)])
    shape, shape_type = shape_operand(p, result.shape)
    return dynamic(p, x, result, lambda to: f"stablehlo.dynamic_reshape {x.name}, {shape} : ({x.type}, {shape_type}) -> {to}", bound=x.bound)


def dynamic_broadcast(p):
    x = p.pick(lambda v: v.type.rank < 3)
    if not x:
        return None
    more = p.random.choice([1, 2, 3])
    result = x.type.shaped([more, *x.type.shape])
    axes = dims(range(1, result.rank))
    if p.random.random() < 0.4:
        return p.emit(f"stablehlo.broadcast {x.name}, sizes = [{more}] : ({x.type}) -> {result}", result, like=(x,), bound=x.bound)
    shape, shape_type = shape_operand(p, result.shape)
    return dynamic(p, x, result,
                   lambda to: f"stablehlo.dynamic_broadcast_in_dim {x.name}, {shape}, dims = {axes} : ({x.type}, {shape_type}) -> {to}",
                   bound=x.bound)


def dynamic_iota(p):
    result = Type(p.shape(p.random.choice([1, 2, 3])), p.random.choice(INTS + FLOATS))
    shape, shape_type = shape_operand(p, result.shape)
    return p.emit(f"stablehlo.dynamic_iota {shape}, dim = {p.random.randrange(result.rank)} : ({shape_type}) -> {result}", result,
                  bound=max(result.shape + (1,)))


def dynamic_pad(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    value = p.pick_or_input(Type((), x.type.element))
    low, high, interior = ([p.random.choice(c) for _ in x.type.shape] for c in ([0, 1, -1], [0, 2, -1], [0, 0, 1]))
    shape = [d + a + b + max(d - 1, 0) * i for d, a, b, i in zip(x.type.shape, low, high, interior)]
    if min(shape) < 0:
        return None
    result = x.type.shaped(shape)
    t = f"tensor<{x.type.rank}xi32>"
    names = [p.constant(dims(v), t) for v in (low, high, interior)]
    return dynamic(p, x, result, lambda to: f"stablehlo.dynamic_pad {x.name}, {value.name}, {', '.join(names)} : "
                   f"({x.type}, {value.type}, {t}, {t}, {t}) -> {to}", like=(x, value), bound=largest(x, value))


def real_dynamic_slice(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    begin = [p.random.randint(0, d) for d in x.type.shape]
    end = [p.random.randint(b, d) for b, d in zip(begin, x.type.shape)]
    step = [p.random.choice([1, 1, 2]) for _ in begin]
    result = x.type.shaped([-(-(e - b) // s) for b, e, s in zip(begin, end, step)])
    t = f"tensor<{x.type.rank}xi32>"
    names = [p.constant(dims(v), t) for v in (begin, end, step)]
    return dynamic(p, x, result, lambda to: f"stablehlo.real_dynamic_slice {x.name}, {', '.join(names)} : ({x.type}, {t}, {t}, {t}) -> {to}",
                   bound=x.bound)


def dimension_size(p):
    x = p.pick(lambda v: v.type.rank > 0)
    return x and p.emit(f"stablehlo.get_dimension_size {x.name}, dim = {p.random.randrange(x.type.rank)} : ({x.type}) -> tensor<i32>", Type((), "i32"))


def set_dimension_size(p):
    """A smaller extent for a dimension, seen by a reduction over it."""
    x = p.pick(lambda v: not v.final and v.type.element in INTS and v.type.rank > 0 and v.type.shape[0] > 0)
    if not x:
        return None
    size = p.random.randint(0, x.type.shape[0])
    extent = p.constant(size, "tensor<i32>")
    bounds = ", ".join([str(x.type.shape[0])] + ["?"] * (x.type.rank - 1))
    rest = "".join(f"{d}x" for d in x.type.shape[1:])
    part = f"tensor<?x{rest}{x.type.element}, #stablehlo.bounds<{bounds}>>"
    cut = p.emit_text(f"stablehlo.set_dimension_size {x.name}, {extent}, dim = 0 : ({x.type}, tensor<i32>) -> {part}")
    e = x.type.element
    zero = p.constant(0, Type((), e))
    result = x.type.shaped(x.type.shape[1:])
    return p.emit(f"stablehlo.reduce({cut} init: {zero}) applies stablehlo.add across dimensions = [0] : ({part}, tensor<{e}>) -> {result}", result)


ALL = [dynamic_reshape, dynamic_broadcast, dynamic_iota, dynamic_pad, real_dynamic_slice, dimension_size, set_dimension_size]
