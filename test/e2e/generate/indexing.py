"""Slices, rows and windows at computed places."""

import numpy as np

from combiners import combined, combiner
from picks import array, dims, exact, fits, largest, lossy
from program import Type


def starts(p, count):
    element = p.random.choice(["i32", "i64", "ui32"])
    # Bits that jaxlib made have no sign there (random_bits), and so no start before the first place.
    return [p.pick_or_input(Type((), element), exact) for _ in range(count)], element


def dynamic_slice(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    sizes = [p.random.randint(0, d) for d in x.type.shape]
    at, element = starts(p, x.type.rank)
    result = x.type.shaped(sizes)
    types = ", ".join([str(x.type)] + [f"tensor<{element}>"] * len(at))
    return p.emit(f"stablehlo.dynamic_slice {x.name}, {', '.join(v.name for v in at)}, sizes = {dims(sizes)} : ({types}) -> {result}", result,
                  like=(x,), bound=x.bound)


def dynamic_update_slice(p):
    x = p.pick(lambda v: v.type.rank > 0)
    if not x:
        return None
    update = p.pick_or_input(x.type.shaped([p.random.randint(0, d) for d in x.type.shape]))
    at, element = starts(p, x.type.rank)
    types = ", ".join([str(x.type), str(update.type)] + [f"tensor<{element}>"] * len(at))
    bound = largest(x, update)
    return p.emit(f"stablehlo.dynamic_update_slice {x.name}, {update.name}, {', '.join(v.name for v in at)} : ({types}) -> {x.type}",
                  x.type, like=(x, update), bound=bound, final=lossy((x,), bound))


def places(p, w, shape, whole):
    """Indices, a few of them out of range. `whole`: windows lie inside or outside, because the specification drops what is outside of the
    operand by element, and jaxlib by window."""
    element = p.random.choice(["i32", "i64", "ui32", "i16"])
    signed = element != "ui32"
    if not whole:
        return p.input(Type(tuple(w.indices), element), p.numbers.integers(-2 if signed else 0, max(shape) + 2, tuple(w.indices)))
    parts = []
    rows = [size for d, size in enumerate(w.indices) if d != w.vector]
    for d in w.named:
        inside = p.numbers.integers(0, shape[d] - w.sizes[d] + 1, rows)
        outside = p.numbers.choice([shape[d] + 1] + ([-w.sizes[d] - 1] if signed else []), rows)
        parts.append(np.where(p.numbers.random(rows) < 0.9, inside, outside))
    data = np.stack(parts, w.vector) if w.vector < len(w.indices) else parts[0]
    return p.input(Type(tuple(w.indices), element), data.reshape(w.indices))


class Windows:
    """Dimension numbers as gather and scatter share them: which dimensions of a tensor an index names, which a window has."""

    def __init__(self, p, shape):
        rank = len(shape)
        free = list(range(rank))
        p.random.shuffle(free)
        self.batching = sorted(free.pop() for _ in range(p.random.choice([0, 0, 0, 1]) if rank > 1 else 0))
        named = p.random.randint(1, len(free))
        self.named = p.random.sample(free, named)
        self.collapsed = sorted(d for d in free if p.random.random() < 0.5)
        self.kept = sorted(d for d in free if d not in self.collapsed)
        self.sizes = [1 if d not in self.kept else p.random.choice([shape[d], p.random.randint(0, shape[d])]) for d in range(rank)]
        rows = [p.random.choice([1, 2, 2, 3, 5, 0]) for _ in range(p.random.choice([0, 1, 1, 2]))] + [shape[d] for d in self.batching]
        self.rows = rows
        # The batching dimension is the last of the rows; the vector of an index lies before, between or behind.
        at = p.random.randint(0, len(rows))
        implicit = named == 1 and p.random.random() < 0.3
        self.vector = len(rows) if implicit else at
        self.indices = list(rows) if implicit else rows[:at] + [named] + rows[at:]
        self.row_batching = [len(rows) - 1 + (0 if implicit or at == len(rows) else 1)] if self.batching else []
        rank_of_result = len(rows) + len(self.kept)
        self.windows = sorted(p.random.sample(range(rank_of_result), len(self.kept)))
        sizes, others = iter(self.sizes[d] for d in self.kept), iter(rows)
        self.result = [next(sizes) if d in self.windows else next(others) for d in range(rank_of_result)]


def gather(p):
    x = p.pick(lambda v: v.type.rank > 0 and all(v.type.shape))
    if not x:
        return None
    w = Windows(p, x.type.shape)
    indices = places(p, w, x.type.shape, whole=False)
    result = x.type.shaped(w.result)
    numbers = (f"offset_dims = {dims(w.windows)}, collapsed_slice_dims = {dims(w.collapsed)}, operand_batching_dims = {dims(w.batching)}, "
               f"start_indices_batching_dims = {dims(w.row_batching)}, start_index_map = {dims(w.named)}, index_vector_dim = {w.vector}")
    if p.random.random() < 0.2:
        sizes = p.constant(dims(w.sizes), Type((x.type.rank,), "i32"))
        return p.emit(f'"stablehlo.dynamic_gather"({x.name}, {indices.name}, {sizes}) {{dimension_numbers = #stablehlo.gather<{numbers}>}} : '
                      f"({x.type}, {indices.type}, tensor<{x.type.rank}xi32>) -> {result}", result, like=(x,), bound=x.bound)
    return p.emit(f'"stablehlo.gather"({x.name}, {indices.name}) {{dimension_numbers = #stablehlo.gather<{numbers}>, '
                  f"slice_sizes = {array(w.sizes)}}} : ({x.type}, {indices.type}) -> {result}", result, like=(x,), bound=x.bound)


def scatter(p):
    x = p.pick(lambda v: exact(v) and 0 < v.type.rank <= 3 and all(v.type.shape))
    if not x:
        return None
    w = Windows(p, x.type.shape)
    indices = places(p, w, x.type.shape, whole=True)
    updates = p.pick_or_input(x.type.shaped(w.result), exact)
    rows = int(np.prod(w.rows, dtype=np.int64))
    name, region = combiner(p, x.type.element, overwrite=rows <= 1)
    bound = combined(name, updates, x.bound, rows)
    if bound is not None and not fits(x.type.element, bound):
        return None
    numbers = (f"update_window_dims = {dims(w.windows)}, inserted_window_dims = {dims(w.collapsed)}, input_batching_dims = {dims(w.batching)}, "
               f"scatter_indices_batching_dims = {dims(w.row_batching)}, scatter_dims_to_operand_dims = {dims(w.named)}, "
               f"index_vector_dim = {w.vector}")
    return p.emit(f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) {region} {{scatter_dimension_numbers = #stablehlo.scatter<'
                  f"{numbers}>}} : ({x.type}, {indices.type}, {updates.type}) -> {x.type}", x.type, bound=bound)


def torch_index_select(p):
    x = p.pick(lambda v: v.type.rank > 0 and all(v.type.shape))
    if not x:
        return None
    d = p.random.randrange(x.type.rank)
    count = p.random.choice([1, 2, 5])
    indices = p.input(Type((count,), "i32"), p.numbers.integers(0, x.type.shape[d], (count,)))
    result = x.type.shaped(x.type.shape[:d] + (count,) + x.type.shape[d + 1:])
    return p.emit(f'"stablehlo.torch_index_select"({x.name}, {indices.name}) {{dim = {d} : i64, batch_dims = 0 : i64}} : '
                  f"({x.type}, {indices.type}) -> {result}", result, like=(x,), bound=x.bound)


ALL = [dynamic_slice, dynamic_update_slice, gather, gather, scatter, scatter, torch_index_select]
