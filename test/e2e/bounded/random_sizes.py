"""Random StableHLO programs whose arguments' types bound their sizes: compiled once, run at every size up to the bounds, against numpy.

    random_sizes.py [--count N] [--seed S] [--keep FOLDER]

A size of a program is a sum of products of its symbols. Integers wrap, floats are whole numbers that every order of a sum gives exactly, and
what lies beyond the true sizes is made NaN or large where that is easy, so that nothing of it may be seen. Prints a line per difference.
"""

import argparse
import itertools
import pathlib
import random
import sys
import tempfile

import numpy as np

import heddle

LARGEST = 2.0**20


# Quotients by name: a size, what is added to it, and the divisor.
QUOTIENTS = {}


class Size:
    """A sum of products of symbols and quotients: {(): 2, ("a",): 1} is a + 2."""

    def __init__(self, terms):
        self.terms = {key: count for key, count in terms.items() if count}

    @staticmethod
    def of(value):
        return value if isinstance(value, Size) else Size({() if isinstance(value, int) else (value,): value if isinstance(value, int) else 1})

    def __add__(self, other):
        terms = dict(self.terms)
        for key, count in Size.of(other).terms.items():
            terms[key] = terms.get(key, 0) + count
        return Size(terms)

    def __mul__(self, other):
        terms = {}
        for (one, m), (two, n) in itertools.product(self.terms.items(), Size.of(other).terms.items()):
            key = tuple(sorted(one + two))
            terms[key] = terms.get(key, 0) + m * n
        return Size(terms)

    def __eq__(self, other):
        return self.terms == Size.of(other).terms

    def __hash__(self):
        return hash(frozenset(self.terms.items()))

    @property
    def constant(self):
        return all(not key for key in self.terms)

    @property
    def linear(self):
        """Whether no symbol is a factor twice, and no quotient beside others: these are refused."""
        quotients = {name for key in self.terms for name in key if name in QUOTIENTS}
        alone = all(len(key) < 2 for key in self.terms if set(key) & quotients)
        symbols = {name for key in self.terms for name in key if name not in QUOTIENTS}
        return all(len(set(key)) == len(key) for key in self.terms) and (not quotients or alone and len(quotients) == 1 and len(symbols) < 2)

    def at(self, sizes):
        number = lambda name: (QUOTIENTS[name][0].at(sizes) + QUOTIENTS[name][1]) // QUOTIENTS[name][2] if name in QUOTIENTS else sizes.get(name, 0)
        return sum(count * int(np.prod([number(name) for name in key], dtype=np.int64)) for key, count in self.terms.items())

    def divided(self, more, by):
        """floor((self + more) / by), which is a symbol of its own."""
        name = f"({sorted(self.terms.items())} + {more}) / {by}"
        QUOTIENTS[name] = (self, more, by)
        return Size({(name,): 1})


class Value:

    def __init__(self, name, type, dims, element, largest):
        self.name, self.type, self.dims, self.element, self.largest = name, type, dims, element, largest


class Program:

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bounds = {"a": self.random.randint(1, 6), "b": self.random.randint(1, 4)}
        self.lines, self.values, self.arguments, self.steps, self.counter = [], [], [], [], 0

    def type(self, dims, element, argument=False):
        text = "".join(f"{d.at({})}x" if d.constant else "?x" for d in dims) + element
        if all(d.constant for d in dims) or not argument and self.random.random() < 0.3:
            return f"tensor<{text}>"
        return f"tensor<{text}, #stablehlo.bounds<{', '.join('?' if d.constant else str(d.at(self.bounds)) for d in dims)}>>"

    def fresh(self):
        self.counter += 1
        return f"%v{self.counter}"

    def text(self, form):
        """An operation that is no result of the program; gives its name."""
        name = self.fresh()
        self.lines.append(f"  {name} = {form}")
        return name

    def constant(self, value, type):
        return self.text(f"stablehlo.constant dense<{value}> : {type}")

    def emit(self, form, dims, element, largest, compute, type=None):
        """An operation with one result, which `compute` makes of the arrays that there are and the sizes. `form` writes it for its type."""
        dims = [Size.of(d) for d in dims]
        type = type or self.type(dims, element)
        name = self.text(form(type))
        value = Value(name, type, dims, element, largest)
        self.values.append(value)
        self.steps.append((value, compute))
        return value

    def argument(self, dims, element):
        dims = [Size.of(d) for d in dims]
        value = Value(f"%arg{len(self.arguments)}", self.type(dims, element, True), dims, element, 8.0)
        self.arguments.append(value)
        self.values.append(value)

    def symbol(self):
        """One that an argument has."""
        return self.random.choice([s for s in self.bounds if any(d == s for value in self.arguments for d in value.dims)])

    def tie(self):
        """Makes sizes of arguments that have one symbol equal, by a sum."""
        sums = {}
        for value in self.arguments:
            for i, d in enumerate(value.dims):
                if d.constant:
                    continue
                size = self.text(f"stablehlo.get_dimension_size {value.name}, dim = {i} : ({value.type}) -> tensor<i32>")
                shape = self.text(f"stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>")
                row = self.text(f"stablehlo.dynamic_iota {shape}, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>")
                if d in sums:
                    row = self.text(f"stablehlo.add {sums[d]}, {row} : tensor<?xi32>")
                sums[d] = row

    def pick(self, wanted=lambda value: True):
        found = [value for value in self.values if wanted(value)]
        return self.random.choice(found) if found else None

    def shape(self, dims):
        """A tensor<nxi32> that holds the sizes, computed from sizes of values."""
        parts = [self.text(f"stablehlo.reshape {self.size(d)} : (tensor<i32>) -> tensor<1xi32>") for d in dims]
        types = ", ".join(["tensor<1xi32>"] * len(parts))
        return self.text(f"stablehlo.concatenate {', '.join(parts)}, dim = 0 : ({types}) -> tensor<{len(parts)}xi32>")

    def size(self, size):
        """A tensor<i32> that holds it."""
        for value in self.random.sample(self.values, len(self.values)):
            for i, d in enumerate(value.dims):
                if d == size and not d.constant:
                    return self.text(f"stablehlo.get_dimension_size {value.name}, dim = {i} : ({value.type}) -> tensor<i32>")
        total = None
        for key, count in size.terms.items():
            term = self.constant(count, "tensor<i32>")
            for symbol in key:
                term = self.text(f"stablehlo.multiply {term}, {self.size(Size.of(symbol))} : tensor<i32>")
            total = self.text(f"stablehlo.add {total}, {term} : tensor<i32>") if total else term
        return total or self.constant(0, "tensor<i32>")

    def module(self):
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        results = [value for value, _ in self.steps]
        types = ", ".join(value.type for value in results)
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *self.lines,
                          f"  return {', '.join(value.name for value in results)} : {types}", "}\n"])

    def expected(self, inputs, sizes):
        arrays = {value.name: array for value, array in zip(self.arguments, inputs)}
        with np.errstate(all="ignore"):
            for value, compute in self.steps:
                arrays[value.name] = np.asarray(compute(arrays, sizes), {"f32": np.float32, "i32": np.int32, "i1": np.bool_}[value.element])
                assert arrays[value.name].shape == tuple(d.at(sizes) for d in value.dims), value.name
        return [arrays[value.name] for value, _ in self.steps]


def numeric(value):
    return value.element != "i1"


def ranked(value):
    return bool(value.dims)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


def binary(p):
    x = p.pick(numeric)
    y = p.pick(lambda v: v.dims == x.dims and v.element == x.element)
    name = p.random.choice(list(BINARY))
    largest = x.largest * y.largest if name == "multiply" else x.largest + y.largest
    if x.element == "f32" and largest > LARGEST:
        return
    p.emit(lambda t: f"stablehlo.{name} {x.name}, {y.name} : ({x.type}, {y.type}) -> {t}", x.dims, x.element, largest,
           lambda v, s: BINARY[name](v[x.name], v[y.name]))


def poison(p):
    """x + 0 / x of an argument, whose elements are not 0: beyond them NaN."""
    x = p.pick(lambda v: v in p.arguments and v.element == "f32")
    if not x:
        return
    nothing = p.text(f"stablehlo.subtract {x.name}, {x.name} : {x.type}")
    quotient = p.text(f"stablehlo.divide {nothing}, {x.name} : {x.type}")
    p.emit(lambda t: f"stablehlo.add {x.name}, {quotient} : {t}", x.dims, "f32", x.largest, lambda v, s: v[x.name], type=x.type)


def choose(p):
    x = p.pick(numeric)
    y = p.pick(lambda v: v.dims == x.dims and v.element == x.element)
    less = p.emit(lambda t: f"stablehlo.compare LT, {x.name}, {y.name} : ({x.type}, {y.type}) -> {t}", x.dims, "i1", 1,
                  lambda v, s: v[x.name] < v[y.name])
    p.emit(lambda t: f"stablehlo.select {less.name}, {y.name}, {x.name} : ({less.type}, {y.type}, {x.type}) -> {t}", x.dims, x.element,
           max(x.largest, y.largest), lambda v, s: np.where(v[less.name], v[y.name], v[x.name]))


def transpose(p):
    x = p.pick(ranked)
    order = p.random.sample(range(len(x.dims)), len(x.dims))
    p.emit(lambda t: f"stablehlo.transpose {x.name}, dims = {order} : ({x.type}) -> {t}", [x.dims[i] for i in order], x.element, x.largest,
           lambda v, s: v[x.name].transpose(order))


def reverse(p):
    x = p.pick(ranked)
    dims = sorted(p.random.sample(range(len(x.dims)), p.random.randint(1, len(x.dims))))
    p.emit(lambda t: f"stablehlo.reverse {x.name}, dims = {dims} : ({x.type}) -> {t}", x.dims, x.element, x.largest,
           lambda v, s: np.flip(v[x.name], dims))


def concatenate(p):
    x = p.pick(ranked)
    dim = p.random.randrange(len(x.dims))
    fits = lambda v: v.element == x.element and len(v.dims) == len(x.dims) and all(i == dim or a == b for i, (a, b) in enumerate(zip(v.dims, x.dims)))
    parts = [x] + [p.pick(fits) for _ in range(p.random.randint(1, 2))]
    total = parts[0].dims[dim]
    for part in parts[1:]:
        total = total + part.dims[dim]
    if total.at(p.bounds) > 40:
        return
    p.emit(lambda t: f"stablehlo.concatenate {', '.join(v.name for v in parts)}, dim = {dim} : ({', '.join(v.type for v in parts)}) -> {t}",
           [total if i == dim else d for i, d in enumerate(x.dims)], x.element, max(v.largest for v in parts),
           lambda v, s: np.concatenate([v[part.name] for part in parts], dim))


def literal(number, element):
    return number if element == "i32" else f"{float(number):e}"


def pad(p):
    x = p.pick(lambda v: ranked(v) and numeric(v))
    low, high = ([p.random.choice([0, 0, 1, 2]) for _ in x.dims] for _ in range(2))
    interior = [p.random.choice([0, 1]) if d.constant else 0 for d in x.dims]
    number = p.random.randint(-3, 3)
    value = p.constant(literal(number, x.element), f"tensor<{x.element}>")

    def compute(v, s):
        array = v[x.name]
        wide = np.full([max(n - 1, 0) * i + n for n, i in zip(array.shape, interior)], number, array.dtype)
        wide[tuple(slice(None, None, i + 1) for i in interior)] = array
        return np.pad(wide, list(zip(low, high)), constant_values=number)

    dims = [d + (l + h + max(d.at({}) - 1, 0) * i if d.constant else l + h) for d, l, h, i in zip(x.dims, low, high, interior)]
    p.emit(lambda t: f"stablehlo.pad {x.name}, {value}, low = {low}, high = {high}, interior = {interior} : ({x.type}, tensor<{x.element}>) -> {t}",
           dims, x.element, max(x.largest, 3), compute)


def cut(p):
    """A slice whose limits are computed, within what there is for the least sizes."""
    least = dict.fromkeys(p.bounds, 0)
    x = p.pick(lambda v: any(d.at(least) > 0 for d in v.dims))
    if not x:
        return
    spare = [d.at(least) for d in x.dims]
    starts = [p.random.randint(0, n) for n in spare]
    ends = [p.random.randint(0, n - a) for n, a in zip(spare, starts)]
    limits = [d + -e for d, e in zip(x.dims, ends)]
    t = f"tensor<{len(x.dims)}xi32>"
    operands = [p.constant(starts, t), p.shape(limits), p.constant(1, t)]
    p.emit(lambda to: f"stablehlo.real_dynamic_slice {x.name}, {', '.join(operands)} : ({x.type}, {t}, {t}, {t}) -> {to}",
           [d + -a for d, a in zip(limits, starts)], x.element, x.largest,
           lambda v, s: v[x.name][tuple(slice(a, d.at(s)) for a, d in zip(starts, limits))])


def broadcast(p):
    x = p.pick()
    more = p.random.choice([Size.of("a"), Size.of(p.symbol()), Size.of(2), Size.of("a") + 1])
    dims = [more, *x.dims]
    if len(dims) > 3:
        return
    shape = p.shape(dims)
    p.emit(lambda t: f"stablehlo.dynamic_broadcast_in_dim {x.name}, {shape}, dims = {list(range(1, len(dims)))} : "
           f"({x.type}, tensor<{len(dims)}xi32>) -> {t}", dims, x.element, x.largest,
           lambda v, s: np.broadcast_to(v[x.name], [more.at(s), *v[x.name].shape]))


def outer(p):
    """CHLO's broadcast of a column and a row."""
    y = p.pick(lambda v: numeric(v) and len(v.dims) == 1)
    x = y and p.pick(lambda v: v.element == y.element and len(v.dims) == 1)
    if not x or x.element == "f32" and x.largest + y.largest > LARGEST:
        return
    column = p.type([x.dims[0], Size.of(1)], x.element)
    shape = p.shape([x.dims[0], Size.of(1)])
    tall = p.text(f"stablehlo.dynamic_reshape {x.name}, {shape} : ({x.type}, tensor<2xi32>) -> {column}")
    p.emit(lambda t: f"chlo.broadcast_subtract {tall}, {y.name} : ({column}, {y.type}) -> {t}", [x.dims[0], y.dims[0]], x.element,
           x.largest + y.largest, lambda v, s: v[x.name][:, None] - v[y.name][None, :])


def flatten(p):
    x = p.pick(lambda v: len(v.dims) > 1)
    if not x:
        return
    i = p.random.randrange(len(x.dims) - 1)
    dims = [*x.dims[:i], x.dims[i] * x.dims[i + 1], *x.dims[i + 2:]]
    if not dims[i].linear:
        return
    shape = p.shape(dims)
    p.emit(lambda t: f"stablehlo.dynamic_reshape {x.name}, {shape} : ({x.type}, tensor<{len(dims)}xi32>) -> {t}", dims, x.element, x.largest,
           lambda v, s: v[x.name].reshape([d.at(s) for d in dims]))


REDUCTIONS = {"add": (np.add, 0, 0), "maximum": (np.maximum, -2**31, "0xFF800000"), "minimum": (np.minimum, 2**31 - 1, "0x7F800000")}


def some_dims(p, x):
    return sorted(p.random.sample(range(len(x.dims)), p.random.randint(1, len(x.dims))))


def reduce(p):
    x = p.pick(lambda v: ranked(v) and numeric(v))
    dims, name = some_dims(p, x), p.random.choice(list(REDUCTIONS))
    function, whole, real = REDUCTIONS[name]
    count = int(np.prod([d.at(p.bounds) for d in x.dims]))
    if x.element == "f32" and (x.largest * count > LARGEST or x.largest == np.inf):
        return
    first = 1 if name == "add" else (whole if x.element == "i32" else real)
    init = p.constant(literal(first, x.element) if name == "add" else first, f"tensor<{x.element}>")
    start = np.int32(first) if x.element == "i32" else np.float32({"add": 1, "maximum": -np.inf, "minimum": np.inf}[name])
    # Of no elements there is an infinity.
    largest = x.largest * count + 1 if name == "add" else np.inf
    p.emit(lambda t: f"stablehlo.reduce({x.name} init: {init}) applies stablehlo.{name} across dimensions = {dims} : "
           f"({x.type}, tensor<{x.element}>) -> {t}", [d for i, d in enumerate(x.dims) if i not in dims], x.element, largest,
           lambda v, s: function.reduce(v[x.name], tuple(dims), initial=start, dtype=v[x.name].dtype))


def last_largest(p):
    """A reduction with a region: the largest element, and of equal ones what came last with it."""
    x = p.pick(lambda v: len(v.dims) > 0 and v.element == "i32")
    if not x:
        return
    dim = p.random.randrange(len(x.dims))
    shape = p.shape(x.dims)
    places = p.text(f"stablehlo.dynamic_iota {shape}, dim = {dim} : (tensor<{len(x.dims)}xi32>) -> {x.type}")
    low, none = p.constant(-2**31, "tensor<i32>"), p.constant(-1, "tensor<i32>")
    dims = [d for i, d in enumerate(x.dims) if i != dim]
    to = p.type(dims, "i32")
    name = p.fresh()
    p.lines.append(f"  {name}:2 = stablehlo.reduce({x.name} init: {low}), ({places} init: {none}) across dimensions = [{dim}] : "
                   f"({x.type}, {x.type}, tensor<i32>, tensor<i32>) -> ({to}, {to})")
    p.lines += ["   reducer(%x: tensor<i32>, %y: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {",
                "    %more = stablehlo.compare GT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                "    %same = stablehlo.compare EQ, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                "    %later = stablehlo.maximum %i, %j : tensor<i32>", "    %m = stablehlo.maximum %x, %y : tensor<i32>",
                "    %one = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>",
                "    %k = stablehlo.select %same, %later, %one : tensor<i1>, tensor<i32>", "    stablehlo.return %m, %k : tensor<i32>, tensor<i32>", "  }"]

    def last(v, s):
        array = np.flip(v[x.name], dim)
        n = array.shape[dim]
        if n == 0:
            return np.full([d.at(s) for d in dims], -1)
        place = n - 1 - array.argmax(dim)
        return np.where((array == -2**31).all(dim), n - 1, place)

    for number, compute in enumerate([lambda v, s: np.maximum.reduce(v[x.name], dim, initial=np.int32(-2**31)), last]):
        value = Value(f"{name}#{number}", to, dims, "i32", 0)
        p.values.append(value)
        p.steps.append((value, compute))


def dot(p):
    x = p.pick(lambda v: ranked(v) and numeric(v))
    i = p.random.randrange(len(x.dims))
    y = p.pick(lambda v: v.element == x.element and x.dims[i] in v.dims)
    j = p.random.choice([k for k, d in enumerate(y.dims) if d == x.dims[i]])
    largest = x.largest * y.largest * x.dims[i].at(p.bounds)
    if len(x.dims) + len(y.dims) > 5 or x.element == "f32" and not largest <= LARGEST:
        return
    batch = [(k, n) for k, n in itertools.product(range(len(x.dims)), range(len(y.dims))) if k != i and n != j and x.dims[k] == y.dims[n]]
    batch = [p.random.choice(batch)] if batch and p.random.random() < 0.5 else []
    left, right = [k for k, _ in batch], [n for _, n in batch]
    free = lambda v, used: [d for k, d in enumerate(v.dims) if k not in used]
    dims = [x.dims[k] for k in left] + free(x, [i, *left]) + free(y, [j, *right])
    clause = f"batching_dims = {left} x {right}, " if batch else ""
    letters = "abcdefgh"
    of_x, of_y = list(letters[:len(x.dims)]), [letters[len(x.dims) + k] for k in range(len(y.dims))]
    of_y[j] = of_x[i]
    for k, n in batch:
        of_y[n] = of_x[k]
    to = [of_x[k] for k in left] + [c for k, c in enumerate(of_x) if k not in [i, *left]] + [c for k, c in enumerate(of_y) if k not in [j, *right]]
    equation = f"{''.join(of_x)},{''.join(of_y)}->{''.join(to)}"
    p.emit(lambda t: f"stablehlo.dot_general {x.name}, {y.name}, {clause}contracting_dims = [{i}] x [{j}] : ({x.type}, {y.type}) -> {t}", dims,
           x.element, largest, lambda v, s: np.einsum(equation, v[x.name], v[y.name]))


def iota(p):
    other = p.symbol()
    dims = [p.random.choice([Size.of("a"), Size.of(other), Size.of(3), Size.of("a") * (2 if other == "a" else other)]) for _ in range(p.random.randint(1, 2))]
    dim, shape = p.random.randrange(len(dims)), p.shape(dims)
    places = lambda v, s: np.broadcast_to(np.arange(dims[dim].at(s)).reshape([-1 if i == dim else 1 for i in range(len(dims))]), [d.at(s) for d in dims])
    p.emit(lambda t: f"stablehlo.dynamic_iota {shape}, dim = {dim} : (tensor<{len(dims)}xi32>) -> {t}", dims, "i32", 40, places)


def sort(p):
    x = p.pick(lambda v: ranked(v) and numeric(v))
    dim = p.random.randrange(len(x.dims))
    e = f"tensor<{x.element}>"
    descending = p.random.random() < 0.5
    name = f"stablehlo.compare {'GT' if descending else 'LT'}, %x, %y : ({e}, {e}) -> tensor<i1>"
    order = lambda array: np.flip(np.sort(array, dim), dim) if descending else np.sort(array, dim)
    p.emit(lambda t: f'"stablehlo.sort"({x.name}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  ^bb0(%x: {e}, %y: {e}):\n'
           f"    %less = {name}\n    stablehlo.return %less : tensor<i1>\n  }}) : ({x.type}) -> {t}", x.dims, x.element, x.largest,
           lambda v, s: order(v[x.name]), type=x.type)


def take(p):
    """Rows by positions that are held within what there is."""
    least = dict.fromkeys(p.bounds, 0)
    x = p.pick(lambda v: ranked(v) and v.dims[0].at(least) > 0)
    places = x and p.pick(lambda v: v.element == "i32" and len(v.dims) == 1)
    if not places:
        return
    sizes = [1] + [d.at({}) if d.constant else None for d in x.dims[1:]]
    dims = [places.dims[0], *x.dims[1:]]
    numbers = (f"offset_dims = {list(range(1, len(dims)))}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1")
    shape = p.shape([Size.of(1), *x.dims[1:]])
    form = lambda t: (f'"stablehlo.dynamic_gather"({x.name}, {places.name}, {shape}) <{{dimension_numbers = #stablehlo.gather<{numbers}>}}> : '
                      f"({x.type}, {places.type}, tensor<{len(sizes)}xi32>) -> {t}")
    p.emit(form, dims, x.element, x.largest, lambda v, s: v[x.name][np.clip(v[places.name], 0, v[x.name].shape[0] - 1)])


def scatter(p):
    """Rows added to zeros; positions that are none are passed over."""
    updates = p.pick(lambda v: len(v.dims) in (1, 2) and v.element == "i32" and all(d.constant for d in v.dims[1:]))
    places = updates and p.pick(lambda v: v.element == "i32" and v.dims == updates.dims[:1])
    if not places:
        return
    rows, dims = 4, [Size.of(4), *updates.dims[1:]]
    type = p.type(dims, "i32")
    zeros = p.constant(0, type)
    numbers = (f"update_window_dims = {list(range(1, len(dims)))}, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1")

    def compute(v, s):
        result = np.zeros([d.at(s) for d in dims], np.int32)
        for place, row in zip(v[places.name], v[updates.name]):
            if 0 <= place < rows:
                result[place] += row
        return result

    p.emit(lambda t: f'"stablehlo.scatter"({zeros}, {places.name}, {updates.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> '
           "({\n  ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n    %z = stablehlo.add %x, %y : tensor<i32>\n    stablehlo.return %z : tensor<i32>\n"
           f"  }}) : ({type}, {places.type}, {updates.type}) -> {t}", dims, "i32", 0, compute, type=type)


def window(p):
    """Sums of neighbours, zeros outside."""
    x = p.pick(lambda v: ranked(v) and numeric(v))
    dim, low, high = p.random.randrange(len(x.dims)), p.random.randint(0, 1), p.random.randint(0, 2)
    length = low + high + 1
    if x.element == "f32" and not x.largest * length <= LARGEST:
        return
    zero, e = p.constant(literal(0, x.element), f"tensor<{x.element}>"), f"tensor<{x.element}>"
    sizes = [length if i == dim else 1 for i in range(len(x.dims))]
    padding = ", ".join(f"[{low}, {high}]" if i == dim else "[0, 0]" for i in range(len(x.dims)))

    def compute(v, s):
        array = np.pad(v[x.name], [(low, high) if i == dim else (0, 0) for i in range(len(x.dims))])
        return sum(np.take(array, range(k, k + v[x.name].shape[dim]), dim) for k in range(length))

    p.emit(lambda t: f'"stablehlo.reduce_window"({x.name}, {zero}) <{{window_dimensions = array<i64: {", ".join(map(str, sizes))}>, '
           f"padding = dense<[{padding}]> : tensor<{len(sizes)}x2xi64>}}> ({{\n  ^bb0(%x: {e}, %y: {e}):\n    %z = stablehlo.add %x, %y : {e}\n"
           f"    stablehlo.return %z : {e}\n  }}) : ({x.type}, {e}) -> {t}", x.dims, x.element, x.largest * length, compute)


def strided(p):
    """The sums of every second or third place's neighbours."""
    simple = lambda d: len(d.terms) == 1 and list(d.terms.values()) == [1] and d.linear and not any(set(key) & set(QUOTIENTS) for key in d.terms)
    x = p.pick(lambda v: v.element == "i32" and any(simple(d) and len(*d.terms) == 1 for d in v.dims))
    if not x:
        return
    dim = p.random.choice([i for i, d in enumerate(x.dims) if simple(d) and len(*d.terms) == 1])
    low, length, step = p.random.randint(0, 1), p.random.randint(1, 3), p.random.randint(2, 3)
    high = max(length - 1 - low, 0) + p.random.randint(0, 1)
    spare = low + high - length
    # Places begin with the first; of nothing there is one only where the padding holds a window.
    size = x.dims[dim].divided(spare + step, step)
    dims = [size if i == dim else d for i, d in enumerate(x.dims)]
    zero, e = p.constant(0, "tensor<i32>"), "tensor<i32>"
    row = lambda number, others: ", ".join(str(number if i == dim else others) for i in range(len(dims)))
    padding = row(f"[{low}, {high}]", "[0, 0]")

    def compute(v, s):
        array = np.pad(v[x.name], [(low, high) if i == dim else (0, 0) for i in range(len(dims))])
        places = step * np.arange(size.at(s))
        return sum(np.take(array, places + k, dim) for k in range(length))

    p.emit(lambda t: f'"stablehlo.reduce_window"({x.name}, {zero}) <{{window_dimensions = array<i64: {row(length, 1)}>, '
           f"window_strides = array<i64: {row(step, 1)}>, padding = dense<[{padding}]> : tensor<{len(dims)}x2xi64>}}> ({{\n"
           f"  ^bb0(%x: {e}, %y: {e}):\n    %z = stablehlo.add %x, %y : {e}\n    stablehlo.return %z : {e}\n  }}) : ({x.type}, {e}) -> {t}",
           dims, "i32", 0, compute)


def convolve(p):
    x = p.pick(lambda v: len(v.dims) == 1 and v.element == "f32" and v.largest * 6 <= LARGEST)
    if not x:
        return
    dims = [Size.of(1), x.dims[0], Size.of(1)]
    wide, shape, back = p.type(dims, "f32"), p.shape(dims), p.shape(x.dims)
    row = p.text(f"stablehlo.dynamic_reshape {x.name}, {shape} : ({x.type}, tensor<3xi32>) -> {wide}")
    taps = p.constant("[[[1.0]], [[2.0]], [[-3.0]]]", "tensor<3x1x1xf32>")
    sums = p.text(f"stablehlo.convolution({row}, {taps}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[1, 1]]}} "
                  f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({wide}, tensor<3x1x1xf32>) -> {wide}")
    p.emit(lambda t: f"stablehlo.dynamic_reshape {sums}, {back} : ({wide}, tensor<1xi32>) -> {t}", x.dims, "f32", x.largest * 6,
           lambda v, s: np.convolve(np.pad(v[x.name], 1), [-3, 2, 1], "valid") if len(v[x.name]) else v[x.name])


def update(p):
    """Elements written over others, at a place that is held within what there is."""
    least = dict.fromkeys(p.bounds, 0)
    x = p.pick(lambda v: len(v.dims) == 1 and v.element == "i32" and v.dims[0].at(least) > 0)
    if not x:
        return
    count = x.dims[0].at(least)
    new, start = p.constant(7, f"tensor<{count}xi32>"), p.random.randint(-1, 5)
    place = p.constant(start, "tensor<i32>")

    def compute(v, s):
        array, begin = v[x.name].copy(), np.clip(start, 0, len(v[x.name]) - count)
        array[begin:begin + count] = 7
        return array

    p.emit(lambda t: f"stablehlo.dynamic_update_slice {x.name}, {new}, {place} : ({x.type}, tensor<{count}xi32>, tensor<i32>) -> {t}", x.dims, "i32",
           0, compute, type=x.type)


def count(p):
    """A size as a number."""
    x = p.pick(ranked)
    dim = p.random.randrange(len(x.dims))
    p.emit(lambda t: f"stablehlo.get_dimension_size {x.name}, dim = {dim} : ({x.type}) -> {t}", [], "i32", 0, lambda v, s: v[x.name].shape[dim])


def first_rows(p):
    """A tensor of known size that is cut to an open one."""
    symbol = p.symbol()
    n = p.bounds[symbol]
    numbers = [p.random.randint(-9, 9) for _ in range(n)]
    whole, size = p.constant(numbers, f"tensor<{n}xi32>"), p.size(Size.of(symbol))
    p.emit(lambda t: f"stablehlo.set_dimension_size {whole}, {size}, dim = 0 : (tensor<{n}xi32>, tensor<i32>) -> {t}", [symbol], "i32", 9,
           lambda v, s: np.array(numbers[:s[symbol]], np.int32))


def loop(p):
    """x + y, three times."""
    x = p.pick(lambda v: v.element == "i32")
    y = x and p.pick(lambda v: v.dims == x.dims and v.element == "i32")
    if not y:
        return
    zero, one, three = (p.constant(n, "tensor<i32>") for n in (0, 1, 3))
    name = p.fresh()
    type = x.type
    if y.type != type:
        return
    p.lines.append(f"""  {name}:2 = stablehlo.while(%i = {zero}, %x = {x.name}) : tensor<i32>, {type}
   cond {{
    %c = stablehlo.compare LT, %i, {three} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %n = stablehlo.add %i, {one} : tensor<i32>
    %s = stablehlo.add %x, {y.name} : {type}
    stablehlo.return %n, %s : tensor<i32>, {type}
  }}""")
    value = Value(f"{name}#1", type, x.dims, "i32", 0)
    p.values.append(value)
    p.steps.append((value, lambda v, s: v[x.name] + np.int32(3) * v[y.name]))


OPERATIONS = [binary, binary, poison, choose, transpose, reverse, concatenate, pad, cut, broadcast, outer, flatten, reduce, reduce, last_largest, dot,
              dot, iota, sort, take, scatter, window, strided, strided, convolve, update, count, first_rows, loop]


def generate(seed):
    p = Program(seed)
    p.argument(["a"], "i32")
    p.argument(p.random.choice([["a", "b"], ["b", "a"], ["a", 3], [2, "a"]]), "f32")
    p.argument(p.random.choice([["b"], ["b", 2], [3], [2, "b"]]), p.random.choice(["i32", "f32"]))
    p.tie()
    for _ in range(p.random.randint(4, 14)):
        p.random.choice(OPERATIONS)(p)
    if not p.steps:
        count(p)
    return p


def try_sizes(p, model, numbers):
    """What differs, at the first sizes where something does; else nothing."""
    used = {symbol for value in p.arguments for d in value.dims for key in d.terms for symbol in key}
    ranges = [range(p.bounds[symbol] + 1 if symbol in used else 1) for symbol in p.bounds]
    points = list(itertools.product(*ranges))
    # In no order: one call leaves nothing to the next.
    p.random.shuffle(points)
    for point in points:
        sizes = dict(zip(p.bounds, point))
        inputs = []
        for value in p.arguments:
            shape = [d.at(sizes) for d in value.dims]
            if value.element == "i32":
                inputs.append(numbers.integers(-8, 9, shape, np.int32))
            else:
                inputs.append((numbers.integers(1, 9, shape) * numbers.choice([-1, 1], shape)).astype(np.float32))
        results = list(model(*inputs).values())
        for (value, _), result, wanted in zip(p.steps, results, p.expected(inputs, sizes), strict=True):
            if result.shape != wanted.shape or not np.array_equal(result, wanted):
                line = next(line for line in p.lines if line.lstrip().startswith(value.name.split("#")[0] + (" =" if "#" not in value.name else ":")))
                return f"at {sizes}: {line.strip().splitlines()[0]}\n{result.tolist()}\nwanted\n{wanted.tolist()}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs; default: a temporary one")
    options = parser.parse_args()
    equal = wrong = refused = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(options.seed, options.seed + options.count):
            p = generate(seed)
            path = folder / f"sizes-{seed}.mlir"
            path.write_text(p.module())
            try:
                artifact = heddle.compile(path, path.with_suffix(".heddle"))
            except heddle.CompileError as error:
                # Only what cannot be computed so may be refused.
                if error.code == "HDL-0305":
                    refused += 1
                    print(f"refused {seed}: {error}")
                else:
                    wrong += 1
                    print(f"differs {seed}: {error}")
                continue
            difference = try_sizes(p, heddle.load(artifact), np.random.default_rng(seed))
            equal, wrong = equal + (difference is None), wrong + (difference is not None)
            if difference:
                print(f"differs {seed}: {difference}")
    print(f"{equal} equal, {wrong} differ, {refused} refused")
    return 1 if wrong or refused > options.count // 5 else 0


if __name__ == "__main__":
    sys.exit(main())
