"""Random operations: each function adds one to a program, or gives None where no value fits."""

import numpy as np

from program import COMPLEX, FLOATS, INTS, LIMIT, Type

# Operations that round, with the ULP that two implementations may differ by. jaxlib's tanh, and what it makes of it, is 1 where the value is
# 4 ULP below 1.
ROUNDING = {
    "exponential": 3, "tanh": 5, "logistic": 5, "sine": 3, "cosine": 3, "cbrt": 3, "sqrt": 1, "exponential_minus_one": 4,
    "log": 3, "log_plus_one": 3, "rsqrt": 3, "tan": 4}


def exact(value):
    return not value.final


def numeric(value):
    return exact(value) and value.type.element != "i1"


def fits(element, bound):
    return element not in LIMIT or bound <= LIMIT[element]


def dims(values):
    return "[" + ", ".join(str(int(v)) for v in values) + "]"


# Element by element.


def unary(p):
    x = p.pick(exact)
    e = x.type.element
    names = []
    if e != "i1" and not e.startswith("ui"):
        names += ["negate"] + (["abs", "sign"] if e not in COMPLEX else [])
    if e in INTS:
        names += ["popcnt", "count_leading_zeros", "not"]
    if e == "i1":
        names += ["not"]
    if e in FLOATS:
        names += ["floor", "ceil", "round_nearest_afz", "round_nearest_even"]
    if not names:
        return None
    return p.emit(f"stablehlo.{p.random.choice(names)} {x.name} : {x.type}", x.type, bound=x.bound)


def rounding(p):
    x = p.pick(lambda v: exact(v) and v.type.element in FLOATS)
    if not x:
        return None
    name = p.random.choice(sorted(ROUNDING))
    source = x
    if name in ("log", "sqrt", "rsqrt", "log_plus_one"):
        source = p.emit(f"stablehlo.abs {x.name} : {x.type}", x.type, bound=x.bound)
    # Narrow types are evaluated in f32 and rounded: one place more.
    return p.emit(f"stablehlo.{name} {source.name} : {x.type}", x.type, final=True, ulp=ROUNDING[name])


def binary(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    e = x.type.element
    if e == "i1":
        names = ["and", "or", "xor", "maximum", "minimum", "add", "multiply"]
    elif e in INTS:
        names = ["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "divide", "remainder", "shift_left",
                 "shift_right_logical", "shift_right_arithmetic"]
    elif e in COMPLEX:
        names = ["add", "subtract", "multiply"]
    else:
        names = ["add", "subtract", "multiply", "maximum", "minimum", "divide", "remainder", "atan2", "power"]
    name = p.random.choice(names)
    bound, final, ulp = None, None, None
    if e in LIMIT:
        if name in ("divide", "remainder", "atan2", "power"):
            final, ulp = True, {"divide": 0, "remainder": 0, "atan2": 4, "power": 4}[name]
        else:
            bound = {"add": x.bound + y.bound, "subtract": x.bound + y.bound, "multiply": 2 * x.bound * y.bound}.get(
                name, max(x.bound, y.bound))
            if not fits(e, bound):
                return None
    return p.emit(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.type, bound=bound, final=final, ulp=ulp)


def compare(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    directions = ["EQ", "NE"] if x.type.element in COMPLEX else ["EQ", "NE", "LT", "LE", "GT", "GE"]
    return p.emit(f"stablehlo.compare {p.random.choice(directions)}, {x.name}, {y.name} : ({x.type}, {x.type}) -> {x.type.of('i1')}",
                  x.type.of("i1"))


def select(p):
    x = p.pick()
    y = p.pick_or_input(x.type)
    predicate = p.pick_or_input(x.type.of("i1") if p.random.random() < 0.8 else Type((), "i1"))
    bound = None if x.bound is None or y.bound is None else max(x.bound, y.bound)
    if bound is None and x.type.element in LIMIT:
        return p.emit(f"stablehlo.select {predicate.name}, {x.name}, {y.name} : {predicate.type}, {x.type}", x.type, final=True,
                      ulp=max(x.ulp, y.ulp))
    return p.emit(f"stablehlo.select {predicate.name}, {x.name}, {y.name} : {predicate.type}, {x.type}", x.type, like=(x, y),
                  bound=bound)


def clamp(p):
    x = p.pick(lambda v: numeric(v) and v.type.element not in COMPLEX)
    if not x:
        return None
    low, high = p.pick_or_input(Type((), x.type.element), exact), p.pick_or_input(x.type, exact)
    bound = None if x.bound is None else max(x.bound, low.bound, high.bound)
    return p.emit(f"stablehlo.clamp {low.name}, {x.name}, {high.name} : ({low.type}, {x.type}, {high.type}) -> {x.type}", x.type,
                  bound=bound)


def convert(p):
    x = p.pick(exact)
    e = x.type.element
    to = p.random.choice([t for t in INTS + FLOATS + COMPLEX + ["i1"] if t != e])
    if e in COMPLEX:
        return None
    bound = x.bound
    if to in LIMIT:
        # Integers of any size may have to be rounded.
        if bound is None:
            if e != "i1":
                return p.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {x.type.of(to)}", x.type.of(to), final=True, ulp=0)
            bound = 1
        if not fits(to, bound):
            return None
    elif e in LIMIT and to != "i1" and (to.startswith("ui") or bound >= 2**(int(to[1:]) - 1)):
        return None  # out of range: the specification leaves the result open
    return p.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {x.type.of(to)}", x.type.of(to), bound=bound)


def complex_parts(p):
    x = p.pick(lambda v: v.type.element in COMPLEX and exact(v))
    if x:
        part = x.type.of(x.type.element[8:-1])
        return p.emit(f"stablehlo.{p.random.choice(['real', 'imag'])} {x.name} : ({x.type}) -> {part}", part, bound=x.bound)
    x = p.pick(lambda v: v.type.element in ("f32", "f64") and exact(v))
    if not x:
        return None
    y = p.pick_or_input(x.type, exact)
    result = x.type.of(f"complex<{x.type.element}>")
    if not fits(result.element, x.bound + y.bound):
        return None
    return p.emit(f"stablehlo.complex {x.name}, {y.name} : {result}", result, bound=x.bound + y.bound)


def is_finite(p):
    x = p.pick(lambda v: v.type.element in FLOATS)
    return x and p.emit(f"stablehlo.is_finite {x.name} : ({x.type}) -> {x.type.of('i1')}", x.type.of("i1"), final=False)


def reduce_precision(p):
    x = p.pick(lambda v: v.type.element in ("f32", "f64") and exact(v))
    return x and p.emit(f"stablehlo.reduce_precision {x.name}, format = e5m{p.random.choice([2, 7, 10])} : {x.type}", x.type, final=True,
                        ulp=0)


# Moving elements.


def moved(p, x, text, type):
    return p.emit(text, type, like=(x,), bound=x.bound)


def transpose(p):
    x = p.pick()
    order = list(range(x.type.rank))
    p.random.shuffle(order)
    result = x.type.shaped([x.type.shape[d] for d in order])
    return moved(p, x, f"stablehlo.transpose {x.name}, dims = {dims(order)} : ({x.type}) -> {result}", result)


def reshape(p):
    x = p.pick()
    size, shape = x.type.size, []
    if size == 0:
        shape = list(x.type.shape) + [p.random.choice([1, 3])]
    while size > 1:
        factors = [f for f in range(2, size + 1) if size % f == 0]
        f = p.random.choice(factors)
        shape.append(f)
        size //= f
    for _ in range(p.random.choice([0, 0, 1])):
        shape.insert(p.random.randint(0, len(shape)), 1)
    result = x.type.shaped(shape)
    return moved(p, x, f"stablehlo.reshape {x.name} : ({x.type}) -> {result}", result)


def broadcast(p):
    x = p.pick(lambda v: v.type.rank <= 3)
    if not x:
        return None
    rank = p.random.randint(x.type.rank, 4)
    kept = sorted(p.random.sample(range(rank), x.type.rank))
    shape = list(p.shape(rank))
    for i, d in enumerate(kept):
        if x.type.shape[i] != 1 or p.random.random() < 0.5:
            shape[d] = x.type.shape[i]
    result = x.type.shaped(shape)
    return moved(p, x, f"stablehlo.broadcast_in_dim {x.name}, dims = {dims(kept)} : ({x.type}) -> {result}", result)


def slice_(p):
    x = p.pick()
    ranges, shape = [], []
    for d in x.type.shape:
        begin = p.random.randint(0, d)
        end = p.random.randint(begin, d)
        step = p.random.choice([1, 1, 2, 3])
        ranges.append(f"{begin}:{end}" + (f":{step}" if step > 1 else ""))
        shape.append(-(-(end - begin) // step))
    result = x.type.shaped(shape)
    return moved(p, x, f"stablehlo.slice {x.name} [{', '.join(ranges)}] : ({x.type}) -> {result}", result)


def pad(p):
    x = p.pick()
    if x.type.rank == 0:
        return None
    value = p.pick_or_input(Type((), x.type.element))
    low, high, interior, shape = [], [], [], []
    for d in x.type.shape:
        low.append(p.random.choice([0, 0, 1, 2, -1]))
        high.append(p.random.choice([0, 0, 1, 3, -1]))
        interior.append(p.random.choice([0, 0, 0, 1, 2]))
        shape.append(d + low[-1] + high[-1] + max(d - 1, 0) * interior[-1])
    if min(shape) < 0:
        return None
    result = x.type.shaped(shape)
    bound = None if x.bound is None or value.bound is None else max(x.bound, value.bound)
    return p.emit(f"stablehlo.pad {x.name}, {value.name}, low = {dims(low)}, high = {dims(high)}, interior = {dims(interior)} : "
                  f"({x.type}, {value.type}) -> {result}", result, like=(x, value), bound=bound,
                  final=True if bound is None and x.type.element in LIMIT else None)


def concatenate(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    d = p.random.randrange(x.type.rank)
    parts = [x]
    for _ in range(p.random.choice([1, 1, 2])):
        shape = list(x.type.shape)
        shape[d] = p.random.choice([0, 1, 2, 3, shape[d]])
        parts.append(p.pick_or_input(x.type.shaped(shape)))
    shape = list(x.type.shape)
    shape[d] = sum(part.type.shape[d] for part in parts)
    result = x.type.shaped(shape)
    known = all(part.bound is not None for part in parts)
    return p.emit(f"stablehlo.concatenate {', '.join(part.name for part in parts)}, dim = {d} : "
                  f"({', '.join(str(part.type) for part in parts)}) -> {result}", result, like=parts,
                  bound=max(part.bound for part in parts) if known else None,
                  final=True if not known and x.type.element in LIMIT else None)


def reverse(p):
    x = p.pick()
    chosen = [d for d in range(x.type.rank) if p.random.random() < 0.5]
    return moved(p, x, f"stablehlo.reverse {x.name}, dims = {dims(chosen)} : {x.type}", x.type)


def iota(p):
    shape = p.shape(p.random.choice([1, 2, 3]))
    element = p.random.choice(INTS + FLOATS)
    result = Type(shape, element)
    return p.emit(f"stablehlo.iota dim = {p.random.randrange(len(shape))} : {result}", result, bound=max(shape + (1,)))


def starts(p, count):
    element = p.random.choice(["i32", "i64", "ui32"])
    return [p.pick_or_input(Type((), element)) for _ in range(count)], element


def dynamic_slice(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    sizes = [p.random.randint(0, d) for d in x.type.shape]
    at, element = starts(p, x.type.rank)
    result = x.type.shaped(sizes)
    types = ", ".join([str(x.type)] + [f"tensor<{element}>"] * len(at))
    return moved(p, x, f"stablehlo.dynamic_slice {x.name}, {', '.join(v.name for v in at)}, sizes = {dims(sizes)} : ({types}) -> {result}",
                 result)


def dynamic_update_slice(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    update = p.pick_or_input(x.type.shaped([p.random.randint(0, d) for d in x.type.shape]))
    at, element = starts(p, x.type.rank)
    types = ", ".join([str(x.type), str(update.type)] + [f"tensor<{element}>"] * len(at))
    bound = None if x.bound is None or update.bound is None else max(x.bound, update.bound)
    return p.emit(f"stablehlo.dynamic_update_slice {x.name}, {update.name}, {', '.join(v.name for v in at)} : ({types}) -> {x.type}",
                  x.type, like=(x, update), bound=bound, final=True if bound is None and x.type.element in LIMIT else None)


def gather(p):
    """Rows along one dimension, at indices that may be out of range."""
    x = p.pick(lambda v: v.type.rank > 0 and all(v.type.shape))
    if not x:
        return None
    d = p.random.randrange(x.type.rank)
    indices = p.pick_or_input(Type(p.shape(p.random.choice([0, 1, 2])), p.random.choice(["i32", "i64"])))
    k = indices.type.rank
    sizes = list(x.type.shape)
    sizes[d] = 1
    rest = [s for i, s in enumerate(x.type.shape) if i != d]
    result = x.type.shaped(list(indices.type.shape) + rest)
    offsets = list(range(k, k + len(rest)))
    return moved(p, x, f'"stablehlo.gather"({x.name}, {indices.name}) {{dimension_numbers = #stablehlo.gather<offset_dims = {dims(offsets)}, '
                 f"collapsed_slice_dims = [{d}], start_index_map = [{d}], index_vector_dim = {k}>, "
                 f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>}} : ({x.type}, {indices.type}) -> {result}", result)


# Regions.

COMBINE = {"add": lambda e: True, "maximum": lambda e: e not in COMPLEX, "minimum": lambda e: e not in COMPLEX,
           "and": lambda e: e not in LIMIT, "or": lambda e: e not in LIMIT, "multiply": lambda e: e in INTS}


def combiner(p, element):
    name = p.random.choice(sorted(name for name, holds in COMBINE.items() if holds(element)))
    return name, f"""({{
    ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
      %c = stablehlo.{name} %a, %b : tensor<{element}>
      stablehlo.return %c : tensor<{element}>
    }})"""


def neutral(p, name, element):
    """The value that a reduction may start from any number of times."""
    if name in ("add", "or"):
        text = "false" if element == "i1" else "0" if element in INTS else "(0.0, 0.0)" if element in COMPLEX else "0.0"
    elif name in ("multiply", "and", "minimum", "maximum"):
        if element == "i1":
            text = "false" if name == "maximum" else "true"
        elif name == "multiply":
            text = "1"
        elif element in INTS:
            bits, signed = int(element.lstrip("ui")), not element.startswith("u")
            low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if signed else (0, 2**bits - 1)
            text = str({"and": -1 if signed else high, "minimum": high, "maximum": low}[name])
        else:
            infinity = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}[element]
            width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[element]
            text = f"0x{infinity | (1 << (width - 1) if name == 'maximum' else 0):0{width // 4}X}"
    return p.constant(text, Type((), element))


def combined(name, x, before, count):
    if x.bound is None:
        return None
    return before + x.bound * max(count, 1) if name == "add" else max(x.bound, before)


def reduce(p):
    x = p.pick(exact)
    axes = sorted(p.random.sample(range(x.type.rank), p.random.randint(0, x.type.rank)))
    name, region = combiner(p, x.type.element)
    count = int(np.prod([x.type.shape[d] for d in axes], dtype=np.int64))
    bound = combined(name, x, 0, count)
    if bound is not None and (not fits(x.type.element, bound) or (count == 0 and name != "add")):
        return None
    result = x.type.shaped([s for d, s in enumerate(x.type.shape) if d not in axes])
    init = neutral(p, name, x.type.element)
    return p.emit(f'"stablehlo.reduce"({x.name}, {init}) {region} {{dimensions = array<i64{":" if axes else ""} {", ".join(map(str, axes))}>}} : '
                  f"({x.type}, {Type((), x.type.element)}) -> {result}", result, bound=bound)


def reduce_window(p):
    x = p.pick(lambda v: exact(v) and 0 < v.type.rank < 4)
    if not x:
        return None
    window, strides, padding, shape = [], [], [], []
    for d in x.type.shape:
        window.append(p.random.choice([1, 1, 2, 3]))
        strides.append(p.random.choice([1, 1, 2]))
        padding.append((p.random.choice([0, 0, 1]), p.random.choice([0, 1])))
        extent = d + sum(padding[-1])
        shape.append(0 if extent < window[-1] else (extent - window[-1]) // strides[-1] + 1)
    name, region = combiner(p, x.type.element)
    bound = combined(name, x, 0, int(np.prod(window)))
    # A window may hold nothing but padding, which is infinite for the extremes.
    if bound is not None and (not fits(x.type.element, bound) or name != "add"):
        return None
    result = x.type.shaped(shape)
    init = neutral(p, name, x.type.element)
    return p.emit(f'"stablehlo.reduce_window"({x.name}, {init}) {region} {{window_dimensions = array<i64: {", ".join(map(str, window))}>, '
                  f'window_strides = array<i64: {", ".join(map(str, strides))}>, '
                  f"padding = dense<{[list(pair) for pair in padding]}> : tensor<{x.type.rank}x2xi64>}} : ({x.type}, {Type((), x.type.element)}) -> {result}",
                  result, bound=bound)


def arg_max(p):
    """A reduction of two tensors at once: the largest element and where it is first."""
    x = p.pick(lambda v: numeric(v) and v.type.element not in COMPLEX and v.type.rank > 0 and all(v.type.shape))
    if not x:
        return None
    d, e = p.random.randrange(x.type.rank), x.type.element
    at = x.type.of("i32")
    indices = p.emit(f"stablehlo.iota dim = {d} : {at}", at)
    least, zero = neutral(p, "maximum", e), p.constant(0, "tensor<i32>")
    result = x.type.shaped([s for i, s in enumerate(x.type.shape) if i != d])
    return p.emit(f"""stablehlo.reduce({x.name} init: {least}), ({indices.name} init: {zero}) across dimensions = [{d}] : ({x.type}, {at}, tensor<{e}>, tensor<i32>) -> ({result}, {result.of("i32")})
     reducer(%a: tensor<{e}>, %b: tensor<{e}>) (%i: tensor<i32>, %j: tensor<i32>) {{
      %gt = stablehlo.compare GT, %a, %b : (tensor<{e}>, tensor<{e}>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<{e}>, tensor<{e}>) -> tensor<i1>
      %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %eq, %lt : tensor<i1>
      %take = stablehlo.or %gt, %first : tensor<i1>
      %value = stablehlo.select %take, %a, %b : tensor<i1>, tensor<{e}>
      %place = stablehlo.select %take, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<{e}>, tensor<i32>
    }}""", result, result.of("i32"), bound=x.bound)


def random_bits(p):
    algorithm, words = p.random.choice([("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)])
    state = p.pick_or_input(Type((words,), "ui64"))
    bits = Type(p.shape(), p.random.choice(["ui8", "ui16", "ui32", "ui64"]))
    return p.emit(f"stablehlo.rng_bit_generator {state.name}, algorithm = {algorithm} : ({state.type}) -> ({state.type}, {bits})", state.type,
                  bits)


def sort(p):
    x = p.pick(lambda v: numeric(v) and v.type.element not in COMPLEX and v.type.rank > 0)
    if not x:
        return None
    other = p.pick_or_input(x.type.of(p.random.choice(INTS + FLOATS)), exact)
    d = p.random.randrange(x.type.rank)
    direction = p.random.choice(["LT", "GT"])
    e, o = x.type.element, other.type.element
    return p.emit(f'"stablehlo.sort"({x.name}, {other.name}) ({{\n    ^bb0(%a: tensor<{e}>, %b: tensor<{e}>, %c: tensor<{o}>, %d: tensor<{o}>):\n'
                  f"      %e = stablehlo.compare {direction}, %a, %b : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n"
                  f"      stablehlo.return %e : tensor<i1>\n    }}) {{dimension = {d} : i64, is_stable = true}} : "
                  f"({x.type}, {other.type}) -> ({x.type}, {other.type})", x.type, other.type,
                  bound=max(x.bound or 0, other.bound or 0) or None)


def scatter(p):
    """Rows combined at indices that may be out of range."""
    x = p.pick(lambda v: exact(v) and 0 < v.type.rank <= 3 and all(v.type.shape))
    if not x:
        return None
    indices = p.pick_or_input(Type((p.random.choice([0, 1, 3, 6]),), p.random.choice(["i32", "i64"])))
    d = p.random.randrange(x.type.rank)
    rest = [s for i, s in enumerate(x.type.shape) if i != d]
    updates = p.pick_or_input(x.type.shaped(list(indices.type.shape) + rest), exact)
    name, region = combiner(p, x.type.element)
    bound = combined(name, updates, x.bound, indices.type.size)
    if bound is not None and not fits(x.type.element, bound):
        return None
    windows = list(range(1, 1 + len(rest)))
    return p.emit(f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) {region} {{scatter_dimension_numbers = #stablehlo.scatter<'
                  f"update_window_dims = {dims(windows)}, inserted_window_dims = [{d}], scatter_dims_to_operand_dims = [{d}], "
                  f"index_vector_dim = 1>}} : ({x.type}, {indices.type}, {updates.type}) -> {x.type}", x.type, bound=bound)


def dot(p):
    x = p.pick(lambda v: numeric(v) and v.type.rank > 0)
    if not x:
        return None
    batches = p.random.choice([0, 0, 1]) if x.type.rank > 1 else 0
    contracted = p.random.randrange(batches, x.type.rank)
    k = x.type.shape[contracted]
    free = p.shape(p.random.choice([0, 1]))
    y = p.pick_or_input(x.type.shaped(list(x.type.shape[:batches]) + [k] + list(free)), exact)
    bound = None if x.bound is None else 2 * max(k, 1) * x.bound * y.bound
    if bound is not None and not fits(x.type.element, bound):
        return None
    result = x.type.shaped([s for d, s in enumerate(x.type.shape) if d != contracted] + list(free))
    batch = "batching_dims = [0] x [0], " if batches else ""
    return p.emit(f"stablehlo.dot_general {x.name}, {y.name}, {batch}contracting_dims = [{contracted}] x [{batches}] : "
                  f"({x.type}, {y.type}) -> {result}", result, bound=bound)


def convolution(p):
    element = p.random.choice(["f32", "f64", "i32"])
    rank = p.random.choice([1, 2])
    groups = p.random.choice([1, 1, 2])
    features, outputs = groups * p.random.choice([1, 2]), groups * p.random.choice([1, 3])
    extent = [p.random.choice([1, 3, 6]) for _ in range(rank)]
    kernel = [p.random.choice([1, 2, 3]) for _ in range(rank)]
    stride = [p.random.choice([1, 2]) for _ in range(rank)]
    dilation = [p.random.choice([1, 1, 2]) for _ in range(rank)]
    padding = [[p.random.choice([0, 1]), p.random.choice([0, 2])] for _ in range(rank)]
    shape = []
    for i in range(rank):
        reach, padded = (kernel[i] - 1) * dilation[i] + 1, extent[i] + sum(padding[i])
        shape.append(0 if padded < reach else (padded - reach) // stride[i] + 1)
    n = p.random.choice([1, 2])
    x = p.pick_or_input(Type((n, *extent, features), element), exact)
    w = p.pick_or_input(Type((*kernel, features // groups, outputs), element), exact)
    bound = None if x.bound is None else int(np.prod(kernel)) * features * x.bound * w.bound
    if bound is not None and not fits(element, bound):
        return None
    result = Type((n, *shape, outputs), element)
    spatial = ", ".join(map(str, range(rank)))
    return p.emit(f"stablehlo.convolution({x.name}, {w.name}) dim_numbers = [b, {spatial}, f]x[{spatial}, i, o]->[b, {spatial}, f], "
                  f"window = {{stride = {dims(stride)}, pad = {padding}, rhs_dilate = {dims(dilation)}}} "
                  f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({x.type}, {w.type}) -> {result}", result,
                  bound=bound)


def while_(p):
    x = p.pick(lambda v: exact(v) and v.type.element in INTS)
    if not x:
        return None
    steps = p.random.choice([0, 1, 5])
    zero, one, last = (p.constant(v, "tensor<i32>") for v in (0, 1, steps))
    step = p.random.choice(["add", "multiply", "xor"])
    counter = p.fresh()
    return p.emit(f"stablehlo.while(%i = {zero}, %s = {x.name}) : tensor<i32>, {x.type}\n    cond {{\n"
                  f"      %c = stablehlo.compare LT, %i, {last} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  f"      stablehlo.return %c : tensor<i1>\n    }} do {{\n      %n = stablehlo.add %i, {one} : tensor<i32>\n"
                  f"      %t = stablehlo.{step} %s, {x.name} : {x.type}\n      stablehlo.return %n, %t : tensor<i32>, {x.type}\n    }}",
                  Type((), "i32"), x.type)


def if_(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    predicate = p.pick_or_input(Type((), "i1"))
    bound = None if x.bound is None else max(x.bound, y.bound)
    return p.emit(f'"stablehlo.if"({predicate.name}) ({{\n      %t = stablehlo.transpose {x.name}, dims = {dims(range(x.type.rank))} : ({x.type}) -> {x.type}\n'
                  f'      stablehlo.return %t : {x.type}\n    }}, {{\n      stablehlo.return {y.name} : {x.type}\n    }}) : (tensor<i1>) -> {x.type}',
                  x.type, bound=bound)


def case(p):
    x = p.pick(exact)
    y, z = p.pick_or_input(x.type, exact), p.pick_or_input(x.type, exact)
    index = p.pick_or_input(Type((), "i32"))
    branches = ", ".join(f"{{\n      stablehlo.return {v.name} : {x.type}\n    }}" for v in (x, y, z))
    bound = None if x.bound is None else max(x.bound, y.bound, z.bound)
    return p.emit(f'"stablehlo.case"({index.name}) ({branches}) : (tensor<i32>) -> {x.type}', x.type, bound=bound)


def map_(p):
    x = p.pick(lambda v: numeric(v) and v.type.element in INTS)
    if not x:
        return None
    e = x.type.element
    return p.emit(f'"stablehlo.map"({x.name}, {x.name}) ({{\n    ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):\n'
                  f"      %c = stablehlo.multiply %a, %b : tensor<{e}>\n      %d = stablehlo.xor %c, %a : tensor<{e}>\n"
                  f"      stablehlo.return %d : tensor<{e}>\n    }}) {{dimensions = array<i64{':' if x.type.rank else ''} "
                  f"{', '.join(map(str, range(x.type.rank)))}>}} : ({x.type}, {x.type}) -> {x.type}", x.type)


def bitcast(p):
    x = p.pick(lambda v: exact(v) and v.type.element in ("i32", "ui32", "f32", "i16", "i64"))
    if not x:
        return None
    to = {"i32": "ui32", "ui32": "i32", "f32": "i32", "i16": "ui16", "i64": "ui64"}[x.type.element]
    return p.emit(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {x.type.of(to)}", x.type.of(to))


def barrier(p):
    x, y = p.pick(), p.pick()
    return p.emit(f"stablehlo.optimization_barrier {x.name}, {y.name} : {x.type}, {y.type}", x.type, y.type, like=(x, y),
                  bound=None if x.bound is None or y.bound is None else max(x.bound, y.bound),
                  final=True if x.final or y.final or x.bound is None or y.bound is None else None)


ALL = [unary, unary, binary, binary, binary, rounding, compare, select, clamp, convert, complex_parts, is_finite, reduce_precision,
       transpose, reshape, broadcast, broadcast, slice_, pad, concatenate, reverse, iota, dynamic_slice, dynamic_update_slice, gather,
       reduce, reduce, arg_max, reduce_window, random_bits, sort, scatter, dot, dot, convolution, while_, if_, case, map_, bitcast, barrier]
