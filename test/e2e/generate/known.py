"""What numpy and scipy know: special values where the result is exactly specified, conversions between narrow types, quantized types, and
functions whose value in double precision is the reference."""

import ml_dtypes
import numpy as np
import scipy.special

from elements import BITS, FLOATS, NARROW, NUMPY
from program import Type

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3.0, np.inf, -np.inf, np.nan]
EDGES = {"f16": [6e-8, -6e-8, 6.1e-5, 65504.0, 1e-6], "bf16": [9.2e-41, -1e-39, 1.2e-38, 3.3e38], "f32": [1.4e-45, -1e-40, 1.18e-38, 3.4e38],
         "f64": [5e-324, -1e-310, 2.3e-308, 1.7e308]}


def special_input(p, shape, element):
    with np.errstate(all="ignore"):
        pool = np.array(SPECIAL + EDGES[element]).astype(NUMPY[element])
    return p.input(Type(shape, element), pool[p.numbers.integers(0, len(pool), shape)])


def wide(x):
    """As the arithmetic of f16 and bf16 is: in f32, rounded once."""
    return x.astype(np.float32) if x.dtype in (np.float16, ml_dtypes.bfloat16) else x


def round_away(x):
    whole = np.trunc(x)
    return np.copysign(np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole), x)


def ordered_zeros(function, is_negative):
    """A minimum or maximum for which -0 is less than 0, which numpy leaves open; `is_negative` tells the sign of two zeros from theirs."""

    def apply(x, y):
        zero = np.copysign(np.zeros_like(x), np.where(is_negative(np.signbit(x), np.signbit(y)), -1, 1).astype(x.dtype))
        return np.where((x == 0) & (y == 0), zero, function(x, y))

    return apply


UNARY = {"abs": np.abs, "negate": np.negative, "floor": np.floor, "ceil": np.ceil, "round_nearest_even": np.rint, "sqrt": np.sqrt,
         "round_nearest_afz": round_away, "sign": lambda x: np.where(np.isnan(x) | (x == 0), x, np.copysign(np.ones_like(x), x))}
BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "remainder": np.fmod,
          "maximum": ordered_zeros(np.maximum, np.logical_and), "minimum": ordered_zeros(np.minimum, np.logical_or)}
COMPARE = {"EQ": np.equal, "NE": np.not_equal, "LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal}


def special(p):
    """One to three operations on NaN, infinities, zeros of both signs and subnormal numbers, to the last bit."""
    e, shape = p.random.choice(FLOATS), p.shape(p.random.choice([1, 1, 2]))
    x = special_input(p, shape, e)
    for _ in range(p.random.choice([1, 2, 3])):
        kind = p.random.random()
        with np.errstate(all="ignore"):
            if kind < 0.35:
                name = p.random.choice(sorted(UNARY))
                x = p.emit_known(f"stablehlo.{name} {x.name} : {x.type}", x.type, UNARY[name](wide(x.data)).astype(NUMPY[e]), strict=True)
            elif kind < 0.75:
                y = special_input(p, shape, e)
                name = p.random.choice(sorted(BINARY))
                x = p.emit_known(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.type,
                                 BINARY[name](wide(x.data), wide(y.data)).astype(NUMPY[e]), strict=True)
            elif kind < 0.9:
                y = special_input(p, shape, e)
                name = p.random.choice(sorted(COMPARE))
                return p.emit_known(f"stablehlo.compare {name}, {x.name}, {y.name} : ({x.type}, {x.type}) -> {x.type.of('i1')}", x.type.of("i1"),
                                    COMPARE[name](x.data, y.data))
            else:
                p.emit_known(f"stablehlo.is_finite {x.name} : ({x.type}) -> {x.type.of('i1')}", x.type.of("i1"), np.isfinite(wide(x.data)))
    return x


def narrow(p):
    """To a narrow type and back: every rounding, saturation and special value."""
    elements = [e for e in NARROW + ["f16", "bf16"] if e in p.elements]
    e = p.random.choice(elements)
    shape = p.shape(p.random.choice([1, 2]))
    if e == "f8E8M0FNU":
        data = np.exp2(p.numbers.uniform(-20, 20, shape))
    elif p.random.random() < 0.3 and e not in ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ"):
        data = np.array(SPECIAL)[p.numbers.integers(0, len(SPECIAL), shape)]
    else:
        data = p.numbers.normal(size=shape) * np.exp2(p.numbers.integers(-12, 3, shape))
    x = p.input(Type(shape, "f32"), np.asarray(data, np.float32))
    with np.errstate(all="ignore"):
        small = x.data.astype(NUMPY[e])
    y = p.emit_known(f"stablehlo.convert {x.name} : ({x.type}) -> {x.type.of(e)}", x.type.of(e), small, strict=True)
    back = p.random.choice(["f32", "f32", "f64", "bf16"])
    return p.emit_known(f"stablehlo.convert {y.name} : ({y.type}) -> {x.type.of(back)}", x.type.of(back),
                        small.astype(np.float32).astype(NUMPY[back]), strict=True)


def small_bits(p):
    """The bits of a narrow float as an integer."""
    elements = [e for e in NARROW if e in p.elements and BITS[e] == 8 and e != "f8E8M0FNU"]
    if not elements:
        return None
    e, shape = p.random.choice(elements), p.shape(1)
    x = p.input(Type(shape, "ui8"), p.numbers.integers(0, 256, shape))
    y = p.emit_known(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {x.type.of(e)}", x.type.of(e), x.data.view(NUMPY[e]))
    return p.emit_known(f"stablehlo.convert {y.name} : ({y.type}) -> {x.type.of('f32')}", x.type.of("f32"), y.data.astype(np.float32), strict=True)


class Scale:
    """A quantized type of one scale and zero point."""

    def __init__(self, p):
        self.storage = p.random.choice(["i8", "i8", "ui8", "i16"])
        self.scale = 2.0**-p.random.choice([1, 2, 3])
        self.low, self.high = {"i8": (-128, 127), "ui8": (0, 255), "i16": (-32768, 32767)}[self.storage]
        self.zero = p.random.choice([0, 0, 3, 10])
        self.text = f"!quant.uniform<{self.storage.replace('ui', 'u')}:f32, {self.scale}:{self.zero}>"

    def quantized(self, x):
        return np.clip(np.rint(x / np.float32(self.scale)) + self.zero, self.low, self.high).astype(np.int64)

    def real(self, q):
        return ((q - self.zero) * np.float32(self.scale)).astype(np.float32)

    def of(self, type):
        return f"tensor<{''.join(f'{d}x' for d in type.shape)}{self.text}>"


def quantized(p):
    """Quantize, an operation on quantized values, dequantize. Scales are powers of two, so that every step is exact."""
    s = Scale(p)
    shape = p.shape(p.random.choice([1, 2]))
    type = Type(shape, "f32")
    names, stored = [], []
    for _ in range(2):
        x = p.input(type, (p.numbers.integers(-400, 400, shape) / 16).astype(np.float32))
        names.append(p.emit_text(f"stablehlo.uniform_quantize {x.name} : ({type}) -> {s.of(type)}", known=True))
        stored.append(s.quantized(x.data))
    kind = p.random.choice(["none", "add", "maximum", "minimum", "negate", "transpose"])
    result, q = type, stored[0]
    name = names[0]
    if kind in ("add", "maximum", "minimum"):
        name = p.emit_text(f"stablehlo.{kind} {names[0]}, {names[1]} : {s.of(type)}", known=True)
        operation = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum}[kind]
        q = s.quantized(operation(s.real(stored[0]), s.real(stored[1])))
    elif kind == "negate":
        name = p.emit_text(f"stablehlo.negate {name} : {s.of(type)}", known=True)
        q = s.quantized(-s.real(q))
    elif kind == "transpose":
        order = list(range(type.rank))
        p.random.shuffle(order)
        result = type.shaped([shape[d] for d in order])
        name = p.emit_text(f"stablehlo.transpose {name}, dims = {order} : ({s.of(type)}) -> {s.of(result)}", known=True)
        q = np.transpose(q, order)
    return p.emit_known(f"stablehlo.uniform_dequantize {name} : ({s.of(result)}) -> {result}", result, s.real(q))


def positive(low, high):
    return lambda p, shape: p.numbers.uniform(low, high, shape)


# Function, where it is looked at, and the reference.
FUNCTIONS = {
    "chlo.acos": (positive(-0.99, 0.99), np.arccos), "chlo.acosh": (positive(1.01, 50), np.arccosh), "chlo.asin": (positive(-0.99, 0.99), np.arcsin),
    "chlo.asinh": (positive(-50, 50), np.arcsinh), "chlo.atan": (positive(-50, 50), np.arctan), "chlo.atanh": (positive(-0.99, 0.99), np.arctanh),
    "chlo.bessel_i1e": (positive(-20, 20), scipy.special.i1e), "chlo.cosh": (positive(-10, 10), np.cosh), "chlo.sinh": (positive(-10, 10), np.sinh),
    "chlo.tan": (positive(-1.4, 1.4), np.tan), "chlo.erf": (positive(-4, 4), scipy.special.erf), "chlo.erfc": (positive(-3, 8), scipy.special.erfc),
    "chlo.erf_inv": (positive(-0.99, 0.99), scipy.special.erfinv), "chlo.digamma": (positive(0.1, 1.3), scipy.special.digamma),
    "chlo.lgamma": (positive(2.2, 40), scipy.special.gammaln), "stablehlo.tanh": (positive(-5, 5), np.tanh),
    "stablehlo.exponential": (positive(-20, 20), np.exp), "stablehlo.log": (positive(1e-3, 100), np.log),
    "stablehlo.logistic": (positive(-10, 10), scipy.special.expit), "stablehlo.cbrt": (positive(-50, 50), np.cbrt),
    "stablehlo.rsqrt": (positive(1e-3, 100), lambda x: 1 / np.sqrt(x)), "stablehlo.sine": (positive(-30, 30), np.sin),
    "stablehlo.cosine": (positive(-30, 30), np.cos), "stablehlo.exponential_minus_one": (positive(-3, 3), np.expm1),
    "stablehlo.log_plus_one": (positive(-0.9, 30), np.log1p)}
TWO = {"chlo.zeta": (positive(1.5, 8), positive(0.5, 8), scipy.special.zeta),
       "chlo.polygamma": (lambda p, shape: p.numbers.integers(1, 4, shape), positive(0.5, 8), lambda n, x: scipy.special.polygamma(n.astype(int), x)),
       "stablehlo.atan2": (positive(-5, 5), positive(-5, 5), np.arctan2), "stablehlo.power": (positive(0.1, 8), positive(-4, 4), np.power),
       "chlo.next_after": (positive(-5, 5), positive(-5, 5), None)}
# Bound of the error in ULP, with the rounding of the result's type.
ULP = 4


def function(p):
    """A function of reals within its ULP of the value in double precision."""
    e, shape = p.random.choice(["f32", "f32", "f16", "bf16"]), p.shape(p.random.choice([1, 2]))
    name = p.random.choice(sorted(FUNCTIONS) + sorted(TWO))
    domains = (FUNCTIONS.get(name) or TWO[name])[:-1]
    if name == "chlo.next_after":
        e = "f32"
    operands = [p.input(Type(shape, e), np.asarray(domain(p, shape)).astype(NUMPY[e])) for domain in domains]
    x = operands[0]
    wide_data = [v.data.astype(np.float64) for v in operands]
    if name == "chlo.next_after":
        return p.emit_known(f"{name} {x.name}, {operands[1].name} : {x.type}, {x.type} -> {x.type}", x.type,
                            np.nextafter(x.data, operands[1].data), strict=True)
    with np.errstate(all="ignore"):
        reference = np.asarray((FUNCTIONS.get(name) or TWO[name])[-1](*wide_data)).reshape(shape).astype(NUMPY[e])
    names = ", ".join(v.name for v in operands)
    if name.startswith("chlo"):
        text = f"{name} {names} : {', '.join(str(v.type) for v in operands)} -> {x.type}"
    else:
        text = f"{name} {names} : {x.type}"
    return p.emit_known(text, x.type, reference, ulp=ULP)


COMPLEX_FUNCTIONS = {"exponential": np.exp, "log": np.log, "sine": np.sin, "cosine": np.cos, "tanh": np.tanh, "sqrt": np.sqrt,
                     "rsqrt": lambda x: 1 / np.sqrt(x), "exponential_minus_one": np.expm1, "log_plus_one": np.log1p, "tan": np.tan,
                     "logistic": lambda x: 1 / (1 + np.exp(-x)), "sign": lambda x: x / np.abs(x)}
COMPLEX_TWO = {"divide": np.divide, "multiply": np.multiply, "power": np.power, "add": np.add}


def complex_function(p):
    """Functions of complex numbers off their cuts, against the value in double precision."""
    e, shape = p.random.choice(["complex<f32>", "complex<f64>"]), p.shape(p.random.choice([1, 2]))
    near = 4e-6 if e == "complex<f32>" else 1e-13

    def operand():
        magnitude, angle = p.numbers.uniform(0.5, 2, shape), p.numbers.uniform(0.1, 1.4, shape) * p.numbers.choice([-1, 1], shape)
        return p.input(Type(shape, e), np.asarray(magnitude * np.exp(1j * angle)).astype(NUMPY[e]))

    x = operand()
    data = x.data.astype(np.complex128)
    kind = p.random.random()
    if kind < 0.15:
        part = x.type.of(e[8:-1])
        return p.emit_known(f"stablehlo.abs {x.name} : ({x.type}) -> {part}", part, np.abs(data).astype(NUMPY[part.element]), near=near)
    if kind < 0.5:
        y = operand()
        name = p.random.choice(sorted(COMPLEX_TWO))
        reference = COMPLEX_TWO[name](data, y.data.astype(np.complex128))
        return p.emit_known(f"stablehlo.{name} {x.name}, {y.name} : {x.type}", x.type, reference.astype(NUMPY[e]), near=near)
    name = p.random.choice(sorted(COMPLEX_FUNCTIONS))
    return p.emit_known(f"stablehlo.{name} {x.name} : {x.type}", x.type, np.asarray(COMPLEX_FUNCTIONS[name](data)).astype(NUMPY[e]), near=near)


ALL = [special, special, special, narrow, small_bits, quantized, quantized, function, function, complex_function, complex_function]
