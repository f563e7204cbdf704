"""Reductions, windows, sorts and maps, with regions of several kinds."""

import numpy as np

from combiners import combined, combiner, neutral
from elements import FLOATS, INTS, LIMIT
from picks import array, exact, fits, is_int, ordered, ordinary
from program import Type


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
    return p.emit(f'"stablehlo.reduce"({x.name}, {init}) {region} {{dimensions = {array(axes)}}} : '
                  f"({x.type}, {Type((), x.type.element)}) -> {result}", result, bound=bound)


def reduce_several(p):
    """Two tensors at once, of two types, each by its own operation."""
    x = p.pick(lambda v: exact(v) and v.type.element in INTS + ["i1"])
    if not x:
        return None
    y = p.pick_or_input(x.type.of(p.random.choice(INTS + ["f32", "f64", "i1"])), exact)
    axes = sorted(p.random.sample(range(x.type.rank), p.random.randint(0, x.type.rank)))
    count = int(np.prod([x.type.shape[d] for d in axes], dtype=np.int64))
    names = [p.random.choice(["and", "or", "xor"]), "add"]
    bound = combined("add", y, 0, count)
    if bound is not None and not fits(y.type.element, bound):
        return None
    starts = [neutral(p, name, v.type.element) for name, v in zip(names, (x, y))]
    e, o = x.type.element, y.type.element
    shape = [s for d, s in enumerate(x.type.shape) if d not in axes]
    return p.emit(f'"stablehlo.reduce"({x.name}, {y.name}, {starts[0]}, {starts[1]}) ({{\n'
                  f"    ^bb0(%a: tensor<{e}>, %b: tensor<{o}>, %c: tensor<{e}>, %d: tensor<{o}>):\n"
                  f"      %e = stablehlo.{names[0]} %a, %c : tensor<{e}>\n      %f = stablehlo.{names[1]} %b, %d : tensor<{o}>\n"
                  f"      stablehlo.return %e, %f : tensor<{e}>, tensor<{o}>\n    }}) {{dimensions = {array(axes)}}} : "
                  f"({x.type}, {y.type}, tensor<{e}>, tensor<{o}>) -> ({x.type.shaped(shape)}, {y.type.shaped(shape)})",
                  x.type.shaped(shape), y.type.shaped(shape), bound=bound)


def window_of(p, shape, dilated=True):
    """Extents, strides, dilations and padding of a window, and how many places it has along each dimension."""
    window, strides, base, dilation, padding, places = [], [], [], [], [], []
    for d in shape:
        window.append(p.random.choice([1, 1, 2, 3]))
        strides.append(p.random.choice([1, 1, 2]))
        base.append(p.random.choice([1, 1, 1, 2]) if dilated else 1)
        dilation.append(p.random.choice([1, 1, 1, 2]) if dilated else 1)
        padding.append((p.random.choice([0, 0, 1, -1 if d > 2 and dilated else 0]), p.random.choice([0, 1])))
        extent = (max(d - 1, -1) * base[-1] + 1 if d else 0) + sum(padding[-1])
        reach = (window[-1] - 1) * dilation[-1] + 1
        places.append(0 if extent < reach else (extent - reach) // strides[-1] + 1)
    return window, strides, base, dilation, padding, places


def reduce_window(p):
    x = p.pick(lambda v: exact(v) and 0 < v.type.rank < 4)
    if not x:
        return None
    window, strides, base, dilation, padding, shape = window_of(p, x.type.shape)
    name, region = combiner(p, x.type.element)
    bound = combined(name, x, 0, int(np.prod(window)))
    # A window may hold nothing but padding, which is infinite for the extremes.
    if bound is not None and (not fits(x.type.element, bound) or name != "add"):
        return None
    result = x.type.shaped(shape)
    init = neutral(p, name, x.type.element)
    return p.emit(f'"stablehlo.reduce_window"({x.name}, {init}) {region} {{window_dimensions = {array(window)}, '
                  f"window_strides = {array(strides)}, base_dilations = {array(base)}, window_dilations = {array(dilation)}, "
                  f"padding = dense<{[list(pair) for pair in padding]}> : tensor<{x.type.rank}x2xi64>}} : ({x.type}, {Type((), x.type.element)}) -> {result}",
                  result, bound=bound)


def select_and_scatter(p):
    x = p.pick(lambda v: ordinary(v) and 0 < v.type.rank < 4 and all(v.type.shape))
    if not x:
        return None
    window, strides, _, _, padding, shape = window_of(p, x.type.shape, dilated=False)
    padding = [(min(low, w - 1), min(high, w - 1)) for (low, high), w in zip(padding, window)]
    shape = [0 if d + low + high < w else (d + low + high - w) // s + 1
             for d, (low, high), w, s in zip(x.type.shape, padding, window, strides)]
    source = p.pick_or_input(x.type.shaped(shape), exact)
    bound = None if x.bound is None else source.bound * max(1, int(np.prod(window)))
    if bound is not None and not fits(x.type.element, bound):
        return None
    e = x.type.element
    if x.type.size > (LIMIT[e] if e in LIMIT else 100):
        return None
    # No two equal elements: which one of them a window keeps depends on an order that is open.
    x = p.input(x.type, p.numbers.permutation(x.type.size).reshape(x.type.shape))
    zero = p.constant("0.0" if e in FLOATS else "0", Type((), e))
    direction = p.random.choice(["GE", "LE", "GT"])
    return p.emit(f'"stablehlo.select_and_scatter"({x.name}, {source.name}, {zero}) ({{\n    ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):\n'
                  f"      %c = stablehlo.compare {direction}, %a, %b : (tensor<{e}>, tensor<{e}>) -> tensor<i1>\n"
                  f"      stablehlo.return %c : tensor<i1>\n    }}, {{\n    ^bb0(%a: tensor<{e}>, %b: tensor<{e}>):\n"
                  f"      %c = stablehlo.add %a, %b : tensor<{e}>\n      stablehlo.return %c : tensor<{e}>\n    }}) "
                  f"{{window_dimensions = {array(window)}, window_strides = {array(strides)}, "
                  f"padding = dense<{[list(pair) for pair in padding]}> : tensor<{x.type.rank}x2xi64>}} : "
                  f"({x.type}, {source.type}, tensor<{e}>) -> {x.type}", x.type, bound=bound)


def arg_max(p):
    """A reduction of two tensors at once: the largest element and where it is first."""
    x = p.pick(lambda v: ordinary(v) and v.type.rank > 0 and all(v.type.shape))
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


def sort(p):
    """Up to three tensors by one, by what becomes of it, or by two after each other."""
    x = p.pick(lambda v: ordered(v) and v.type.rank > 0)
    if not x:
        return None
    others = [p.pick_or_input(x.type.of(p.random.choice(INTS + FLOATS)), exact) for _ in range(p.random.choice([0, 1, 1, 2]))]
    keys = [x, *others]
    d = p.random.randrange(x.type.rank)
    e = x.type.element
    arguments = ", ".join(f"%l{i}: tensor<{v.type.element}>, %r{i}: tensor<{v.type.element}>" for i, v in enumerate(keys))
    direction = p.random.choice(["LT", "GT"])
    t = f"tensor<{e}>"
    form = p.random.random()
    body = []
    left, right = "%l0", "%r0"
    if form < 0.25 and not e.startswith("u"):
        body += [f"%la = stablehlo.negate %l0 : {t}", f"%ra = stablehlo.negate %r0 : {t}"]
        left, right = "%la", "%ra"
    elif form < 0.5 and is_int(e):
        body += [f"%la = stablehlo.xor %l0, %l0 : {t}", f"%lb = stablehlo.or %la, %l0 : {t}"]
        left = "%lb"
    body.append(f"%c0 = stablehlo.compare {direction}, {left}, {right} : ({t}, {t}) -> tensor<i1>")
    last = "%c0"
    if len(keys) > 1 and p.random.random() < 0.5:
        o = f"tensor<{keys[1].type.element}>"
        body += [f"%c1 = stablehlo.compare EQ, {left}, {right} : ({t}, {t}) -> tensor<i1>",
                 f"%c2 = stablehlo.compare GT, %l1, %r1 : ({o}, {o}) -> tensor<i1>",
                 "%c3 = stablehlo.and %c1, %c2 : tensor<i1>", "%c4 = stablehlo.or %c0, %c3 : tensor<i1>"]
        last = "%c4"
    lines = "".join(f"      {line}\n" for line in body)
    types = ", ".join(str(v.type) for v in keys)
    return p.emit(f'"stablehlo.sort"({", ".join(v.name for v in keys)}) ({{\n    ^bb0({arguments}):\n{lines}      stablehlo.return {last} : tensor<i1>\n'
                  f"    }}) {{dimension = {d} : i64, is_stable = true}} : ({types}) -> ({types})", *(v.type for v in keys),
                  bound=max(v.bound or 0 for v in keys) or None)


def top_k(p):
    x = p.pick(lambda v: ordinary(v) and v.type.rank > 0 and v.type.shape[-1] > 0)
    if not x:
        return None
    k = p.random.randint(1, x.type.shape[-1])
    result = x.type.shaped(x.type.shape[:-1] + (k,))
    text = f"chlo.top_k({x.name}, k={k}) : {x.type} -> ({result}, {result.of('i32')})"
    if p.random.random() < 0.5:
        return p.emit(text, result, result.of("i32"), bound=x.bound)
    # Custom calls are expanded by the compiler; the interpreter gets what this one stands for.
    return p.emit(f"stablehlo.custom_call @mhlo.topk({x.name}) {{mhlo.attributes = {{k = {k} : i64, largest = true}}, mhlo.version = 1 : i64}} : "
                  f"({x.type}) -> ({result}, {result.of('i32')})", result, result.of("i32"), bound=x.bound, interpreted=text)


def map_(p):
    """A region of several operations, over one to three integer tensors."""
    x = p.pick(lambda v: ordinary(v) and is_int(v.type.element))
    if not x:
        return None
    e, t = x.type.element, f"tensor<{x.type.element}>"
    operands = [x] + [p.pick_or_input(x.type, exact) for _ in range(p.random.choice([0, 1, 2]))]
    names = [f"%m{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{name}: {t}" for name in names)
    body = []
    for i in range(p.random.choice([1, 2, 4])):
        kind = p.random.choice(["add", "subtract", "multiply", "xor", "minimum", "shift_left", "negate", "select"])
        left, right, new = p.random.choice(names), p.random.choice(names), f"%n{i}"
        if kind == "select":
            body += [f"%p{i} = stablehlo.compare LT, {left}, {right} : ({t}, {t}) -> tensor<i1>",
                     f"{new} = stablehlo.select %p{i}, {right}, {left} : tensor<i1>, {t}"]
        elif kind == "negate":
            body.append(f"{new} = stablehlo.{'not' if e.startswith('u') else 'negate'} {left} : {t}")
        else:
            body.append(f"{new} = stablehlo.{kind} {left}, {right} : {t}")
        names.append(new)
    lines = "".join(f"      {line}\n" for line in body)
    return p.emit(f'"stablehlo.map"({", ".join(v.name for v in operands)}) ({{\n    ^bb0({arguments}):\n{lines}'
                  f"      stablehlo.return {names[-1]} : {t}\n    }}) {{dimensions = {array(range(x.type.rank))}}} : "
                  f"({', '.join(str(v.type) for v in operands)}) -> {x.type}", x.type)


def random_bits(p):
    algorithm, words = p.random.choice([("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2)])
    state = p.pick_or_input(Type((words,), "ui64"))
    bits = Type(p.shape(), p.random.choice(["ui8", "ui16", "ui32", "ui64", "i32", "i64"]))
    if algorithm == "DEFAULT":  # which one that is is open: only the shape counts
        made = p.emit_text(f"stablehlo.rng_bit_generator {state.name}, algorithm = DEFAULT : ({state.type}) -> ({state.type}, {bits})", several=2)
        return p.emit(f"stablehlo.get_dimension_size {made}#1, dim = 0 : ({bits}) -> tensor<i32>", Type((), "i32")) if bits.rank else None
    # Where jaxlib orders its own bits, they have no sign, whatever their type says.
    return p.emit(f"stablehlo.rng_bit_generator {state.name}, algorithm = {algorithm} : ({state.type}) -> ({state.type}, {bits})", state.type,
                  bits, final=bits.element in ("i32", "i64") or None)


def rng(p):
    """Which numbers is open, but not between which they are."""
    # jaxlib rounds f16 and bf16 up to the bound that is excluded.
    e = p.random.choice(["f32", "f64", "i32", "i64"])
    result = Type(p.shape(2), e)
    zero = "0" if e in INTS else "0.0"
    low, high = p.constant(zero, Type((), e)), p.constant(zero.replace("0", "8", 1), Type((), e))
    shape = p.constant(list(result.shape), "tensor<2xi64>")
    numbers = p.emit_text(f"stablehlo.rng {low}, {high}, {shape}, distribution = UNIFORM : (tensor<{e}>, tensor<{e}>, tensor<2xi64>) -> {result}")
    least = p.emit_text(f"stablehlo.broadcast_in_dim {low}, dims = [] : (tensor<{e}>) -> {result}")
    most = p.emit_text(f"stablehlo.broadcast_in_dim {high}, dims = [] : (tensor<{e}>) -> {result}")
    p.emit(f"stablehlo.compare GE, {numbers}, {least} : ({result}, {result}) -> {result.of('i1')}", result.of("i1"))
    return p.emit(f"stablehlo.compare LT, {numbers}, {most} : ({result}, {result}) -> {result.of('i1')}", result.of("i1"))


ALL = [reduce, reduce, reduce_several, arg_max, reduce_window, select_and_scatter, sort, sort, top_k, map_, random_bits, rng]
