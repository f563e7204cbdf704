"""Element by element."""

from elements import BITS, COMPLEX, COMPLEX_PARTS, FLOATS, INTS, LIMIT, NARROW, SMALL_INTS, integer_range, is_signed
from picks import exact, fits, is_int, largest, lossy, numeric, ordered
from program import Type

# Operations that round, with the ULP that two implementations may differ by. jaxlib's tanh of f32, and what it makes of it, is 1 where the value
# is 4 ULP below 1.
ROUNDING = {
    "exponential": 3, "tanh": 5, "logistic": 5, "sine": 3, "cosine": 3, "cbrt": 3, "sqrt": 1, "exponential_minus_one": 4,
    "log": 3, "log_plus_one": 3, "rsqrt": 3, "tan": 4}


def unary(p):
    x = p.pick(exact)
    e = x.type.element
    names = []
    if e != "i1" and not e.startswith("ui"):
        names += ["negate"] + (["abs", "sign"] if e not in COMPLEX else [])
    if is_int(e):
        names += ["popcnt", "count_leading_zeros", "not"]
    if e == "i1":
        names += ["not"]
    if e in FLOATS + NARROW:
        names += ["floor", "ceil", "round_nearest_afz", "round_nearest_even"]
    return p.emit(f"stablehlo.{p.random.choice(names)} {x.name} : {x.type}", x.type, bound=x.bound)


def wide_tanh(p, x):
    """What jaxlib gets for a tanh of f64, of which its own is 6 ULP below the value at 19: 1 - 2 / (exp(2x) + 1), which is exact to 3 for whole
    numbers. heddle drops these lines."""
    one, two = p.constant(1.0, x.type), p.constant(2.0, x.type)
    power = p.emit_text(f"stablehlo.multiply {x.name}, {two} : {x.type}")
    power = p.emit_text(f"stablehlo.exponential {power} : {x.type}")
    below = p.emit_text(f"stablehlo.add {power}, {one} : {x.type}")
    part = p.emit_text(f"stablehlo.divide {two}, {below} : {x.type}")
    return f"stablehlo.subtract {one}, {part} : {x.type}"


def rounding(p):
    x = p.pick(lambda v: exact(v) and v.type.element in FLOATS)
    if not x:
        return None
    name = p.random.choice(sorted(ROUNDING))
    source = x
    if name in ("log", "sqrt", "rsqrt", "log_plus_one"):
        source = p.emit(f"stablehlo.abs {x.name} : {x.type}", x.type, bound=x.bound)
    if name in ("exponential", "logistic"):  # jaxlib flushes results below the normal numbers
        bound = 9 if x.type.element == "f16" else 80
        least = p.constant(float(-bound), x.type)
        source = p.emit(f"stablehlo.maximum {x.name}, {least} : {x.type}", x.type, bound=max(x.bound, bound))
    if name == "tanh" and x.type.element == "f64":
        return p.emit(f"stablehlo.tanh {x.name} : {x.type}", x.type, final=True, ulp=ROUNDING[name], oracle=wide_tanh(p, x))
    return p.emit(f"stablehlo.{name} {source.name} : {x.type}", x.type, final=True, ulp=ROUNDING[name])


def binary_names(element):
    if element == "i1":
        return ["and", "or", "xor", "maximum", "minimum", "add", "multiply"]
    if is_int(element):
        names = ["add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "shift_left", "shift_right_logical",
                 "shift_right_arithmetic"]
        # jaxlib's own narrow integers trap where they divide by zero.
        return names + (["divide", "remainder"] if element in INTS else [])
    if element in COMPLEX or element in NARROW:
        return ["add", "subtract", "multiply"] + (["maximum", "minimum"] if element in NARROW else [])
    return ["add", "subtract", "multiply", "maximum", "minimum", "divide", "remainder", "atan2", "power"]


def binary(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    e = x.type.element
    name = p.random.choice(binary_names(e))
    bound, final, ulp = None, None, None
    if x is y and (name == "atan2" or (name == "add" and e == "i1")):
        return None  # jaxlib makes NaN of 0 and 0 where both are one value, and false of true and true
    if e in LIMIT:
        if name == "power":  # jaxlib flushes results below the normal numbers
            least = p.constant(-4.0, x.type)
            y = p.emit(f"stablehlo.maximum {y.name}, {least} : {x.type}", x.type, bound=max(y.bound, 4))
        if name in ("divide", "remainder", "atan2", "power"):
            final, ulp = True, {"divide": 0, "remainder": 0, "atan2": 4, "power": 4}[name]
        else:
            bound = {"add": x.bound + y.bound, "subtract": x.bound + y.bound, "multiply": (2 if e in COMPLEX else 1) * x.bound * y.bound}.get(
                name, max(x.bound, y.bound))
            if not fits(e, bound):
                return None
    return p.emit(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.type, bound=bound, final=final, ulp=ulp)


def compare(p):
    x = p.pick(exact)
    y = p.pick_or_input(x.type, exact)
    e = x.type.element
    directions = ["EQ", "NE"] if e in COMPLEX else ["EQ", "NE", "LT", "LE", "GT", "GE"]
    kind = ""
    if p.random.random() < 0.5:
        kind = ", " + ("FLOAT" if e in LIMIT else "SIGNED" if is_signed(e) else "UNSIGNED")
        if e in FLOATS and p.random.random() < 0.5:
            kind = ", TOTALORDER"
    return p.emit(f"stablehlo.compare {p.random.choice(directions)}, {x.name}, {y.name}{kind} : ({x.type}, {x.type}) -> {x.type.of('i1')}",
                  x.type.of("i1"))


def select(p):
    x = p.pick()
    y = p.pick_or_input(x.type)
    predicate = p.pick_or_input(x.type.of("i1") if p.random.random() < 0.8 else Type((), "i1"))
    bound = largest(x, y)
    return p.emit(f"stablehlo.select {predicate.name}, {x.name}, {y.name} : {predicate.type}, {x.type}", x.type, like=(x, y),
                  bound=bound, final=lossy((x, y), bound))


def clamp(p):
    x = p.pick(ordered)
    if not x:
        return None
    low = p.pick_or_input(Type((), x.type.element) if p.random.random() < 0.6 else x.type, exact)
    high = p.pick_or_input(Type((), x.type.element) if p.random.random() < 0.4 else x.type, exact)
    return p.emit(f"stablehlo.clamp {low.name}, {x.name}, {high.name} : ({low.type}, {x.type}, {high.type}) -> {x.type}", x.type,
                  bound=largest(x, low, high))


def convert(p):
    x = p.pick(exact)
    e = x.type.element
    wanted = INTS + FLOATS + COMPLEX + ["i1"]
    if p.random.random() < 0.3:
        wanted = [t for t in SMALL_INTS + NARROW if t in p.elements and t[:2] != "f6" and t != "f8E8M0FNU"] or wanted
    to = p.random.choice([t for t in wanted if t != e])
    bound = x.bound
    if e in COMPLEX and to not in COMPLEX + FLOATS:
        return None
    if to in LIMIT:
        # Integers of any size may have to be rounded.
        if bound is None:
            if e != "i1":
                if to in NARROW:
                    return None
                return p.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {x.type.of(to)}", x.type.of(to), final=True, ulp=0)
            bound = 1
        if not fits(to, bound):
            return None
    elif e in LIMIT and to != "i1" and (not is_signed(to) or bound > integer_range(to)[1]):
        return None  # out of range: the specification leaves the result open
    return p.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {x.type.of(to)}", x.type.of(to), bound=bound)


def complex_parts(p):
    x = p.pick(lambda v: v.type.element in COMPLEX and exact(v))
    if x and p.random.random() < 0.7:
        part = x.type.of(COMPLEX_PARTS[x.type.element])
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
    x = p.pick(lambda v: v.type.element in FLOATS and exact(v))
    if not x:
        return None
    exponent = p.random.choice([5, 5, 8]) if x.type.element != "f16" else 5
    return p.emit(f"stablehlo.reduce_precision {x.name}, format = e{exponent}m{p.random.choice([2, 3, 7, 10])} : {x.type}", x.type, final=True,
                  ulp=0)


def integer_functions(p):
    """chlo's exact ones: the upper half of a product, squares, conjugates."""
    x = p.pick(numeric)
    if not x:
        return None
    e = x.type.element
    if e in ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"):
        y = p.pick_or_input(x.type)
        # Of one value twice jaxlib takes it for unsigned.
        if y.name == x.name:
            return None
        return p.emit(f"chlo.mulhi {x.name}, {y.name} : {x.type}, {y.type} -> {x.type}", x.type)
    if e in COMPLEX:
        return p.emit(f"chlo.conj {x.name} : {x.type} -> {x.type}", x.type, bound=x.bound)
    bound = None if x.bound is None else x.bound**2
    if e not in FLOATS or not fits(e, bound):
        return None
    return p.emit(f"chlo.square {x.name} : {x.type} -> {x.type}", x.type, bound=bound)


def bitcast(p):
    """To another type of the same bits, or with a dimension of parts more or less."""
    x = p.pick(lambda v: exact(v) and v.type.element in INTS + FLOATS)
    if not x:
        return None
    bits = BITS[x.type.element]
    kind = p.random.random()
    if kind < 0.5:
        to = p.random.choice([e for e in INTS if BITS[e] == bits])
        result = x.type.of(to)
    elif kind < 0.75:
        smaller = [e for e in INTS if BITS[e] < bits]
        if not smaller:
            return None
        to = p.random.choice(smaller)
        result = Type((*x.type.shape, bits // BITS[to]), to)
    else:
        larger = [e for e in INTS if x.type.rank and x.type.shape[-1] and BITS[e] == bits * x.type.shape[-1] and x.type.shape[-1] > 1]
        if not larger:
            return None
        result = Type(x.type.shape[:-1], p.random.choice(larger))
    if result == x.type:
        return None
    if x.type.element in FLOATS:  # jaxlib makes a product of a sum of one: the sign of a zero is open
        x = p.emit(f"stablehlo.abs {x.name} : {x.type}", x.type, bound=x.bound)
    return p.emit(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {result}", result)


ALL = [unary, unary, binary, binary, binary, rounding, compare, select, clamp, convert, convert, complex_parts, is_finite,
       reduce_precision, integer_functions, bitcast]
