#!/usr/bin/env python3
"""Measures the largest error of every elementary function of compiled programs.

    accuracy.py HEDDLE              a sample; fails where a bound is passed
    accuracy.py HEDDLE --chunks N   N times as many numbers
    accuracy.py HEDDLE --write FILE ... and writes the page docs/accuracy.md
    accuracy.py HEDDLE --sweep FILE ... and takes f32's figures from a denser sweep where they are larger: what
                                    HEDDLE_SWEEP=64 KernelTests --gtest_filter=Machines/Math.Float32Sweep* prints

f16 and bf16 are swept exhaustively, f32, f64 and complex numbers by samples over
all exponents and, more densely, where functions change. The reference is numpy's
long double (64 bits of mantissa), for f32 and narrower types double. Errors are
units in the last place of the exact result. Every variant that this machine can
run is measured, and the larger error counts.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

wide = np.longdouble


def erf_series(x):
    """erf for |x| <= 3: 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (1 3 ... (2n+1))."""
    term = total = np.array(x, wide)
    for n in range(1, 120):
        term = term * 2 * x * x / (2 * n + 1)
        total = total + term
    return total * np.exp(-x * x) * 2 / np.sqrt(wide(np.pi) + PI_LOW)


# What double lacks of pi.
PI_LOW = wide("1.2246467991473531772e-16")


def erfc_fraction(x):
    """erfc for x >= 2 by Laplace's continued fraction, from its end."""
    value = np.zeros_like(x)
    for n in range(300, 0, -1):
        value = (wide(n) / 2) / (x + value)
    # exp(-x^2), with what the square loses: x in two halves.
    high = x.astype(np.float32).astype(wide)
    low = x - high
    power = np.exp(-high * high) * np.exp(-low * (x + high))
    return power / (x + value) / np.sqrt(wide(np.pi) + PI_LOW)


def erf(x):
    size = np.minimum(np.abs(x), wide(3))
    near = erf_series(size)
    far = 1 - erfc_fraction(np.clip(np.abs(x), wide(2), wide(12)))
    value = np.copysign(np.where(np.abs(x) < 2.5, near, far), x)
    return np.where(np.isnan(x), x, value)


def erfc(x):
    near = 1 - np.copysign(erf_series(np.minimum(np.abs(x), wide(2))), x)
    far = erfc_fraction(np.clip(x, wide(2), wide(120)))
    negative = 1 + erf(-np.minimum(x, wide(0)))
    value = np.where(x < -1, negative, np.where(x < 2, near, far))
    return np.where(np.isnan(x), x, value)


def reciprocal_root(x):
    return 1 / np.sqrt(x)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def product(x, y):
    """x y exactly, as two numbers (Dekker)."""
    def halves(v):
        t = v * (2**32 + 1)
        high = t - (t - v)
        return high, v - high
    (x_high, x_low), (y_high, y_low) = halves(x), halves(y)
    p = x * y
    return p, ((x_high * y_high - p) + x_high * y_low + x_low * y_high) + x_low * y_low


def sum_of_products(a, b, c, d):
    """a b + c d, whatever cancels."""
    (p, p_low), (q, q_low) = product(a, b), product(c, d)
    total = p + q
    second = total - p
    return total + ((p - (total - second)) + (q - second) + p_low + q_low)


def complex_of(re, im):
    value = np.empty(re.shape, np.clongdouble)
    value.real, value.imag = re, im
    return value


def complex_divide(z, w):
    size = w.real * w.real + w.imag * w.imag
    return complex_of(sum_of_products(z.real, w.real, z.imag, w.imag) / size, sum_of_products(z.imag, w.real, -z.real, w.imag) / size)


def complex_expm1(z):
    half = np.sin(z.imag / 2)
    return complex_of(np.expm1(z.real) * np.cos(z.imag) - 2 * half * half, np.exp(z.real) * np.sin(z.imag))


def complex_logistic(z):
    e, less = np.exp(-np.abs(z.real)), np.expm1(-np.abs(z.real))
    twice = 2 * np.cos(z.imag / 2) ** 2
    top = np.where(z.real < 0, e * (less + twice), e * twice - less)
    size = less * less + 2 * e * twice
    return complex_of(top / size, e * np.sin(z.imag) / size)


def complex_cbrt(z):
    size, third = np.cbrt(np.abs(z)), np.angle(z) / 3
    return complex_of(size * np.cos(third), size * np.sin(third))


def complex_power(z, w):
    """Whole powers by multiplication: exp(w log z) in long double knows |w log z| / 2^11 units of double."""
    power = np.exp(w * np.log(z))
    whole = (w.imag == 0) & (w.real == np.rint(w.real)) & (w.real > 4)
    base, exponent = z[whole], w.real[whole].astype(np.int64)
    product = np.ones_like(base)
    for bit in range(9):
        product = np.where((exponent >> bit & 1) == 1, product * base, product)
        base = base * base
    power[whole] = product
    return power


# Name: (operation, reference).
UNARY = {
    "exponential": ("stablehlo.exponential", np.exp),
    "exponential_minus_one": ("stablehlo.exponential_minus_one", np.expm1),
    "log": ("stablehlo.log", np.log),
    "log_plus_one": ("stablehlo.log_plus_one", np.log1p),
    "logistic": ("stablehlo.logistic", logistic),
    "tanh": ("stablehlo.tanh", np.tanh),
    "sine": ("stablehlo.sine", np.sin),
    "cosine": ("stablehlo.cosine", np.cos),
    "tan": ("stablehlo.tan", np.tan),
    "sqrt": ("stablehlo.sqrt", np.sqrt),
    "rsqrt": ("stablehlo.rsqrt", reciprocal_root),
    "cbrt": ("stablehlo.cbrt", np.cbrt),
    "asin": ("chlo.asin", np.arcsin),
    "acos": ("chlo.acos", np.arccos),
    "atan": ("chlo.atan", np.arctan),
    "sinh": ("chlo.sinh", np.sinh),
    "cosh": ("chlo.cosh", np.cosh),
    "asinh": ("chlo.asinh", np.arcsinh),
    "acosh": ("chlo.acosh", np.arccosh),
    "atanh": ("chlo.atanh", np.arctanh),
    "erf": ("chlo.erf", erf),
    "erfc": ("chlo.erfc", erfc),
}
BINARY = {
    "power": ("stablehlo.power", np.power),
    "atan2": ("stablehlo.atan2", np.arctan2),
}
COMPLEX = {
    "abs": ("stablehlo.abs", np.abs),
    "exponential": ("stablehlo.exponential", np.exp),
    "exponential_minus_one": ("stablehlo.exponential_minus_one", complex_expm1),
    "log": ("stablehlo.log", np.log),
    # The sum is exact at these arguments.
    "log_plus_one": ("stablehlo.log_plus_one", lambda z: np.log(1 + z)),
    "logistic": ("stablehlo.logistic", complex_logistic),
    "sign": ("stablehlo.sign", lambda z: z / np.abs(z)),
    "rsqrt": ("stablehlo.rsqrt", lambda z: 1 / np.sqrt(z)),
    "cbrt": ("stablehlo.cbrt", complex_cbrt),
    "sqrt": ("stablehlo.sqrt", np.sqrt),
    "sine": ("stablehlo.sine", np.sin),
    "cosine": ("stablehlo.cosine", np.cos),
    "tan": ("stablehlo.tan", np.tan),
    "tanh": ("stablehlo.tanh", np.tanh),
    "sinh": ("chlo.sinh", np.sinh),
    "cosh": ("chlo.cosh", np.cosh),
    "asin": ("chlo.asin", np.arcsin),
    "acos": ("chlo.acos", np.arccos),
    "atan": ("chlo.atan", np.arctan),
    "asinh": ("chlo.asinh", np.arcsinh),
    "acosh": ("chlo.acosh", np.arccosh),
    "atanh": ("chlo.atanh", np.arctanh),
    "divide": ("stablehlo.divide", complex_divide),
    "power": ("stablehlo.power", complex_power),
}
COMPLEX_BINARY = ("divide", "power")
# What the C library has, and annex G says.
ANNEX_G = ("abs", "exponential", "log", "sqrt", "sine", "cosine", "tan", "tanh", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh",
           "atanh")
# Sums of two terms that may cancel: their units are those of the larger part.
TOGETHER = ("exponential_minus_one", "logistic", "power")

# Bits of the mantissa, smallest exponent, largest number.
FORMATS = {
    "f16": (10, -14, 65504.0),
    "bf16": (7, -126, 3.3895313892515355e38),
    "f32": (23, -126, float(np.finfo(np.float32).max)),
    "f64": (52, -1022, float(np.finfo(np.float64).max)),
}
# Half a unit is what rounding costs; functions above that are named.
BOUNDS = {"f16": 0.51, "bf16": 0.51, "f32": 1.0, "f64": 1.2, "complex<f32>": 0.51, "complex<f64>": 3.0}
EXCEPTIONS = {
    ("logistic", "f64"): 2.2,
}
# Names in the figures of KernelTests' sweeps.
SWEPT = {"math.exp": "exponential", "math.expm1": "exponential_minus_one", "math.log": "log", "math.log1p": "log_plus_one",
         "math.sin": "sine", "math.cos": "cosine"}


def bound_of(name, kind):
    return EXCEPTIONS.get((name, kind), BOUNDS[kind])


def to_bits(values, kind):
    """Values as the unsigned integers that the programs take."""
    if kind == "f32":
        return values.astype(np.float32).view(np.uint32)
    if kind == "f64":
        return values.astype(np.float64).view(np.uint64)
    raise ValueError(kind)


def from_bits(bits, kind):
    if kind == "f16":
        return bits.view(np.float16).astype(np.float64)
    if kind == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return bits.view(np.float32 if kind == "f32" else np.float64)


def errors(got, exact, kind):
    """Distances in units in the last place of the exact results."""
    mantissa, least, largest = FORMATS[kind]
    got = got.astype(wide)
    exact = exact.astype(wide)
    half = wide(2) ** (int(np.floor(np.log2(largest))) - mantissa - 1)
    exact = np.where(np.abs(exact) >= wide(largest) + half, np.copysign(wide(np.inf), exact), exact)
    _, exponent = np.frexp(np.where(np.isfinite(exact), exact, 1))
    unit = np.ldexp(wide(1), np.maximum(exponent - 1, least) - mantissa)
    with np.errstate(invalid="ignore"):
        distance = np.abs(got - exact) / unit
    same = (got == exact) | (np.isnan(got) & np.isnan(exact))
    # A different infinity, a number for NaN or NaN for a number: no distance.
    # An infinity for what is barely below the largest number is one unit off.
    barely = np.isinf(got) & (np.abs(exact) > wide(largest) - 2 * half)
    distance = np.where(barely, 1, distance)
    lost = (np.isnan(got) != np.isnan(exact)) | (np.isinf(got) != np.isinf(exact)) & ~barely
    return np.where(same, 0, np.where(lost, np.inf, distance))


class Programs:
    """Compiles modules once per variant and runs them on arrays."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder
        listed = subprocess.run([heddle, "targets", "--json"], capture_output=True, text=True, check=True)
        names = [target["name"] for target in json.loads(listed.stdout)["targets"] if target["runs_here"]]
        self.variants = [name for name in ("x86-64-v3", "x86-64-v4") if name in names] or names[:1]

    def compile(self, name, text):
        source = os.path.join(self.folder, name + ".mlir")
        with open(source, "w") as file:
            file.write(text)
        artifact = os.path.join(self.folder, name + ".heddle")
        subprocess.run(
            [self.heddle, "compile", "-q", source, "-t", ",".join(self.variants), "-o", artifact],
            check=True, stdout=subprocess.DEVNULL)
        return artifact

    def run(self, artifact, inputs, variant):
        command = [self.heddle, "run", "-q", artifact, "--variant", variant]
        for i, array in enumerate(inputs):
            path = os.path.join(self.folder, f"in{i}.npy")
            np.save(path, array)
            command += ["--input", f"{i}=@{path}"]
        out = os.path.join(self.folder, "out")
        subprocess.run(command + ["--output", out], check=True, stdout=subprocess.DEVNULL)
        return {name[:-4]: np.load(os.path.join(out, name)) for name in os.listdir(out)}


def real_program(table, kind, count, operands):
    width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[kind]
    bits, type = f"tensor<{count}xui{width}>", f"tensor<{count}x{kind}>"
    lines, names, results = [], [], []
    for i in range(operands):
        lines.append(f"  %x{i} = stablehlo.bitcast_convert %b{i} : ({bits}) -> {type}")
    args = ", ".join(f"%x{i}" for i in range(operands))
    for name, (op, _) in table.items():
        types = f"{', '.join([type] * operands)} -> {type}" if op.startswith("chlo") else type
        lines.append(f"  %{name} = {op} {args} : {types}")
        lines.append(f"  %{name}_bits = stablehlo.bitcast_convert %{name} : ({type}) -> {bits}")
        names.append(f"%{name}_bits")
        results.append(f'{bits} {{heddle.name = "{name}"}}')
    parameters = ", ".join(f"%b{i}: {bits}" for i in range(operands))
    return (f"func.func @main({parameters}) -> ({', '.join(results)}) {{\n" + "\n".join(lines) +
            f"\n  return {', '.join(names)} : {', '.join([bits] * len(names))}\n}}\n")


def complex_program(part, count, names):
    type, real = f"tensor<{count}xcomplex<{part}>>", f"tensor<{count}x{part}>"
    lines, types, results = [], [], []
    for name in names:
        op, result = COMPLEX[name][0], real if name == "abs" else type
        operands = "%z, %w" if name in COMPLEX_BINARY else "%z"
        written = f"({type}) -> {real}" if name == "abs" else f"{type} -> {type}" if op.startswith("chlo") else type
        lines.append(f"  %{name} = {op} {operands} : {written}")
        types.append(result)
        results.append(f'{result} {{heddle.name = "{name}"}}')
    values = ", ".join(f"%{name}" for name in names)
    return (f"func.func @main(%z: {type}, %w: {type}) -> ({', '.join(results)}) {{\n" + "\n".join(lines) +
            f"\n  return {values} : {', '.join(types)}\n}}\n")


def samples(kind, count, random):
    """Numbers of all exponents, of the range where functions live, near one and
    near multiples of pi/2, and the special ones."""
    dtype = np.float32 if kind == "f32" else np.float64
    integers = np.uint32 if kind == "f32" else np.uint64
    quarter = count // 4
    every = random.integers(0, 2 ** (32 if kind == "f32" else 64), quarter, integers, endpoint=False).view(dtype)
    middle = random.uniform(-120, 120, quarter).astype(dtype)
    small = (random.uniform(-2.5, 2.5, quarter)).astype(dtype)
    near = (1 + random.choice([-1, 1], quarter) * 2.0 ** random.uniform(-50, -1, quarter)).astype(dtype)
    turns = (random.integers(1, 1 << 40, quarter // 4) * (np.pi / 2)).astype(dtype)
    near[: len(turns)] = turns
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, 0.5, 88.72283, 88.8, -103.97, -104.5, 709.78, 709.79,
                        -745.1, -745.2, np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max], dtype)
    values = np.concatenate([every, middle, small, near])
    values[: len(special)] = special
    # f64's hardest angle, which is 2^-61 from a multiple of pi/2.
    if kind == "f64":
        values[len(special)] = 6381956970095103.0 * 2.0 ** 797
    return values


def measure_real(programs, table, kind, count, chunks, operands, random, worst):
    exhaustive = kind in ("f16", "bf16") and operands == 1
    if exhaustive:
        count, chunks = 1 << 16, 1
    artifact = programs.compile(f"{kind}_{operands}", real_program(table, kind, count, operands))
    for _ in range(chunks):
        if exhaustive:
            inputs = [np.arange(1 << 16, dtype=np.uint16)]
        elif kind in ("f16", "bf16"):
            inputs = [random.integers(0, 1 << 16, count, np.uint16) for _ in range(operands)]
        else:
            inputs = [to_bits(random.permutation(samples(kind, count, random)), kind) for _ in range(operands)]
            if operands == 2:
                # Powers of moderate size, too.
                inputs[0][: count // 2] = to_bits(2.0 ** random.uniform(-8, 8, count // 2), kind)
                inputs[1][: count // 2] = to_bits(random.uniform(-90, 90, count // 2), kind)
        values = [from_bits(bits, kind) for bits in inputs]
        precise = [v.astype(wide if kind == "f64" else np.float64) for v in values]
        results = [(variant, programs.run(artifact, inputs, variant)) for variant in programs.variants]
        for name, (_, reference) in table.items():
            with np.errstate(all="ignore"):
                wants_wide = kind == "f64" or reference in (erf, erfc)
                exact = reference(*[p.astype(wide) if wants_wide else p for p in precise])
                for variant, result in results:
                    distance = errors(from_bits(result[name], kind), exact, kind)
                    at = int(np.argmax(distance))
                    key = (name, kind)
                    if key not in worst or distance[at] > worst[key][0]:
                        worst[key] = (float(distance[at]), ", ".join(f"{float(v[at])!r}" for v in values), variant)


def measure_complex(programs, part, count, random, worst):
    kind = f"complex<{part}>"
    dtype = np.float32 if part == "f32" else np.float64
    # The sizes at which glibc's own functions are exact enough to judge by.
    limit = 20 if part == "f32" else 10
    def numbers():
        return (random.choice([-1, 1], count) * 2.0 ** random.uniform(-limit, 6, count)).astype(dtype)
    z, w = (complex_of(numbers(), numbers()).astype(np.complex64 if part == "f32" else np.complex128) for _ in range(2))
    # Powers of moderate size.
    w /= 16
    if part == "f64":
        # And whole ones, with results over all of the range.
        half = count // 2
        size = np.maximum(np.abs(np.log(np.abs(z[:half]))), 1)
        w[:half] = np.clip(np.floor(random.uniform(0, 700, half) / size), 5, 256)
    operands = [z.astype(np.clongdouble), w.astype(np.clongdouble)]
    artifact = programs.compile(f"complex_{part}", complex_program(part, count, COMPLEX))
    results = [(variant, programs.run(artifact, [z, w], variant)) for variant in programs.variants]
    for name, (_, reference) in COMPLEX.items():
        with np.errstate(all="ignore"):
            exact = reference(*operands[: 2 if name in COMPLEX_BINARY else 1])
            for variant, result in results:
                got = result[name]
                if name == "abs":
                    distance = errors(got, exact, part)
                elif name in TOGETHER and part == "f64":
                    larger = np.maximum(np.abs(exact.real), np.abs(exact.imag))
                    off = np.maximum(np.abs(got.real - exact.real), np.abs(got.imag - exact.imag))
                    distance = errors(larger + off, larger, part)
                else:
                    distance = np.maximum(errors(got.real, exact.real, part), errors(got.imag, exact.imag, part))
                at = int(np.argmax(distance))
                key = (name, kind)
                if key not in worst or distance[at] > worst[key][0]:
                    where = f"{complex(z[at])!r}" + (f", {complex(w[at])!r}" if name in COMPLEX_BINARY else "")
                    worst[key] = (float(distance[at]), where, variant)


def kind_of(part):
    """NaN, infinite, zero or else a number, as one integer."""
    return np.where(np.isnan(part), 3, np.where(np.isinf(part), 2, np.where(part == 0, 1, 0)))


def check_special(programs, part):
    """Zeros, infinities, NaN and the ends of the range in both parts, against the C library's annex G. The signs that
    the annex leaves open, of zeros and infinities beside what is not finite, are not compared."""
    dtype = np.complex64 if part == "f32" else np.complex128
    ends = np.finfo(dtype)
    values = np.array([0.0, -0.0, 1, -1, 0.5, -2, np.inf, -np.inf, np.nan, ends.tiny, -ends.max, ends.max, 1000, -1000,
                       ends.smallest_subnormal, 3e7])
    z = np.zeros(values.size ** 2, dtype)
    z.real, z.imag = (grid.ravel() for grid in np.meshgrid(values, values))
    artifact = programs.compile(f"special_{part}", complex_program(part, z.size, ANNEX_G))
    wrong = []
    finite = np.isfinite(z.real) & np.isfinite(z.imag)
    for variant in programs.variants:
        result = programs.run(artifact, [z, z], variant)
        for name in ANNEX_G:
            reference = COMPLEX[name][1]
            with np.errstate(all="ignore"):
                exact = reference(z.astype(np.clongdouble)).astype(result[name].dtype)
                got = result[name]
                parts = [(got, exact)] if name == "abs" else [(got.real, exact.real), (got.imag, exact.imag)]
                good = np.ones(z.size, bool)
                for g, e in parts:
                    good &= kind_of(g) == kind_of(e)
                    good &= ~finite | np.isnan(e) | (np.signbit(g) == np.signbit(e))
                    near = np.abs(g - e) <= 64 * np.spacing(np.abs(e))
                    good &= ~(np.isfinite(g) & np.isfinite(e)) | near
            wrong += [f"{name} of {z[i]!r} is {got[i]!r}, not {exact[i]!r} ({variant})" for i in np.flatnonzero(~good)]
    return wrong


# What the page says of functions that test/e2e/special_functions.py judges.
SPECIAL = """
## Special functions

Measured against 90 digits at random points, at points beside zeros and poles and where one formula takes over from another.
`test/e2e/special-functions.test` keeps such points.

| function | f64 | f32 and narrower | where |
| --- | ---: | ---: | --- |
| lgamma | 2.3 | 0.50 | x > 0 |
| digamma | 2.5 | 0.50 | x > 0 |
| erf_inv | 1.3 | 0.52 | everywhere |
| bessel_i1e | 2.9 | 0.50 | everywhere |
| zeta | 1.7 | 0.50 | 1 < s <= 40, q > 0 |
| polygamma | 1.9 | 0.50 | orders up to 22, x > 0; beyond, the factorial is an exponential of lgamma, and rounded as such |

For negative x, lgamma and digamma are sums of terms of both signs and have zeros between the poles. There the criterion is absolute: the
error is within 3 units in the last place of the largest term, in f64; f32 has digits to spare."""


def page(worst):
    kinds = ["f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>"]
    lines = [
        "# Accuracy of elementary functions",
        "",
        "Largest errors measured, in units in the last place (ULP) of the exact result; half a unit is what rounding costs. f16 and bf16",
        "exhaustively, the others by samples over all exponents and more densely where functions change, infinities, NaN, zeros and subnormal",
        "numbers among them. The references are long double functions, so that figures of f64 are exact to 0.01. Written by",
        "`test/e2e/accuracy.py --chunks N --write`; the test suite measures a sample and fails beyond the bounds.",
        "",
        "The bound is 3 ULP, for f32 1 ULP. Of complex results each part is judged by itself, but for three functions of complex<f64>, one",
        "part of which is a sum that may cancel: exponential_minus_one, logistic and power are judged in units of the larger part. power's",
        "figure is that of |w log z| up to 700, where most results leave f64; beyond 1000 the error grows in proportion. complex<f32> is computed",
        "in f64 and rounded.",
        "",
        "f32's figures are the larger of the samples' and of every 64th chunk of all 2^32 values, on x86-64-v3 and x86-64-v4 (`HEDDLE_SWEEP=64`",
        "of `KernelTests`, `Machines/Math.Float32Sweep`; `HEDDLE_SWEEP=all` takes all).",
        "",
        "Conversions between f32, f16, bf16 and all 8, 6 and 4-bit floats are rounded once, compiled and interpreted: `test/e2e/narrow-floats.test`.",
        "",
        "| function | " + " | ".join(kinds) + " |",
        "| --- |" + " ---: |" * len(kinds),
    ]
    names = list(dict.fromkeys(name for name, _ in worst))
    for name in names:
        cells = [f"{worst[name, kind][0]:.2f}" if (name, kind) in worst else "" for kind in kinds]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += SPECIAL.splitlines()
    lines += ["", "## Where", "", "The arguments of the largest errors above the rounding's.", "", "| function | type | error | at | bound |", "| --- | --- | ---: | --- | ---: |"]
    for (name, kind), (error, at, _) in worst.items():
        if error > 0.51:
            lines.append(f"| {name} | {kind} | {error:.2f} | `{at}` | {bound_of(name, kind)} |")
    return "\n".join(lines) + "\n"


def take_sweep(path, worst):
    """Lines like `math.tanh on x86-64-v4: 0.9794 ULP at 0.902740419`, for the machines that the page speaks of."""
    with open(path) as file:
        for line in file:
            found = re.match(r"(\S+) on (x86-64-v[34]): ([0-9.]+) ULP at (\S+)", line)
            if not found:
                continue
            op, variant, error, at = found.groups()
            key = (SWEPT.get(op, op.removeprefix("math.")), "f32")
            if key in worst and float(error) > worst[key][0]:
                worst[key] = (float(error), at, variant)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heddle")
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--write")
    parser.add_argument("--sweep")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    count, chunks = 1 << 16, options.chunks
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options.heddle, folder)
        for kind in FORMATS:
            # The reference of f32 is fast.
            denser = 8 if kind == "f32" and chunks > 1 else 1
            measure_real(programs, UNARY, kind, denser * count, chunks, 1, random, worst)
            measure_real(programs, BINARY, kind, count, chunks, 2, random, worst)
        for part in ("f32", "f64"):
            measure_complex(programs, part, count * min(chunks, 4), random, worst)
        wrong = check_special(programs, "f32") + check_special(programs, "f64")
    if options.sweep:
        take_sweep(options.sweep, worst)
    failed = 0
    for line in wrong:
        print(line)
    for (name, kind), (error, at, variant) in worst.items():
        if not error <= bound_of(name, kind):
            failed += 1
            print(f"{name} of {kind}: {error:.3f} ULP at {at} ({variant}), bound {bound_of(name, kind)}")
    if options.write:
        with open(options.write, "w") as file:
            file.write(page(worst))
    print(f"{len(worst) - failed} functions within their bounds, {failed} not; {len(wrong)} wrong special values")
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
