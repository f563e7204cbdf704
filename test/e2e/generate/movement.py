"""Moving elements."""

from elements import COMPLEX, FLOATS, INTS
from picks import dims, largest, lossy
from program import Type


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
        low.append(p.random.choice([0, 0, 1, 2, -1, -2]))
        high.append(p.random.choice([0, 0, 1, 3, -1, -2]))
        interior.append(p.random.choice([0, 0, 0, 1, 2]))
        shape.append(d + low[-1] + high[-1] + max(d - 1, 0) * interior[-1])
    if min(shape) < 0:
        return None
    result = x.type.shaped(shape)
    bound = largest(x, value)
    return p.emit(f"stablehlo.pad {x.name}, {value.name}, low = {dims(low)}, high = {dims(high)}, interior = {dims(interior)} : "
                  f"({x.type}, {value.type}) -> {result}", result, like=(x, value), bound=bound,
                  final=lossy((x,), bound))


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
    bound = largest(*parts)
    return p.emit(f"stablehlo.concatenate {', '.join(part.name for part in parts)}, dim = {d} : "
                  f"({', '.join(str(part.type) for part in parts)}) -> {result}", result, like=parts,
                  bound=bound, final=lossy(parts, bound))


def reverse(p):
    x = p.pick()
    chosen = [d for d in range(x.type.rank) if p.random.random() < 0.5]
    return moved(p, x, f"stablehlo.reverse {x.name}, dims = {dims(chosen)} : {x.type}", x.type)


def iota(p):
    shape = p.shape(p.random.choice([1, 2, 3]))
    element = p.random.choice(INTS + FLOATS + COMPLEX)
    result = Type(shape, element)
    return p.emit(f"stablehlo.iota dim = {p.random.randrange(len(shape))} : {result}", result, bound=max(shape + (1,)))


def barrier(p):
    x, y = p.pick(), p.pick()
    bound = largest(x, y)
    return p.emit(f"stablehlo.optimization_barrier {x.name}, {y.name} : {x.type}, {y.type}", x.type, y.type, like=(x, y), bound=bound,
                  final=True if bound is None or x.final or y.final else None)


ALL = [transpose, transpose, reshape, broadcast, broadcast, slice_, pad, pad, concatenate, reverse, iota, barrier]
