"""Transforms and factorizations. What they round is compared with the largest element of the result."""

import numpy as np

from elements import NUMPY
from picks import dims
from program import Type

NEAR = {"f32": 2e-5, "f64": 1e-12, "complex<f32>": 2e-5, "complex<f64>": 1e-12}


def fft(p):
    part = p.random.choice(["f32", "f64"])
    count = p.random.choice([1, 1, 1, 2, 3])
    lengths = [p.random.choice([1, 2, 3, 4, 5, 6, 7, 8, 11, 16]) for _ in range(count)]
    batch = list(p.shape(p.random.choice([0, 1, 1])))
    kind = p.random.choice(["FFT", "IFFT", "RFFT", "IRFFT"])
    half = batch + lengths[:-1] + [lengths[-1] // 2 + 1]
    full = batch + lengths
    complex_ = f"complex<{part}>"
    source, result = {"RFFT": (Type(tuple(full), part), Type(tuple(half), complex_)),
                      "IRFFT": (Type(tuple(half), complex_), Type(tuple(full), part))}.get(kind, (Type(tuple(full), complex_),) * 2)
    if kind == "IRFFT":
        # Elements whose imaginary part must be zero are, so that the result is one thing.
        data = np.fft.rfftn(p.numbers.integers(-4, 5, full), axes=range(len(batch), len(full)))
        if 0 in half:
            data = np.zeros(half)
        data = np.round(np.asarray(data).astype(NUMPY[complex_]) * 16) / 16
        x = p.input(source, data)
    else:
        x = p.pick_or_input(source, lambda v: not v.final)
    return p.emit(f"stablehlo.fft {x.name}, type = {kind}, length = {dims(lengths)} : ({source}) -> {result}", result, final=True,
                  near=NEAR[part])


def triangle(p, shape, element, lower):
    """Whole numbers in a triangle, ones and twos on the diagonal, so that nothing is badly conditioned."""
    n = shape[-1]
    data = p.numbers.integers(-1, 2, shape).astype(NUMPY[element])
    data = np.tril(data, -1)
    data[..., range(n), range(n)] = p.numbers.integers(1, 3, shape[:-1])
    return data if lower else np.swapaxes(data, -1, -2).copy()


def cholesky(p):
    e = p.random.choice(list(NEAR))
    n = p.random.choice([1, 2, 3, 5])
    shape = (*p.shape(p.random.choice([0, 0, 1])), n, n)
    factor = triangle(p, shape, e, True)
    x = p.input(Type(shape, e), factor @ np.swapaxes(factor, -1, -2))
    lower = p.random.random() < 0.5
    made = p.emit_text(f"stablehlo.cholesky {x.name}, lower = {str(lower).lower()} : {x.type}")
    # The other triangle is open.
    return triangle_of(p, made, x.type, lower, NEAR[e])


def triangle_of(p, name, type, lower, near):
    whole = type.of("i32")
    rows = p.emit_text(f"stablehlo.iota dim = {type.rank - 2} : {whole}")
    columns = p.emit_text(f"stablehlo.iota dim = {type.rank - 1} : {whole}")
    inside = p.emit_text(f"stablehlo.compare {'GE' if lower else 'LE'}, {rows}, {columns} : ({whole}, {whole}) -> {type.of('i1')}")
    zero = p.constant("(0.0, 0.0)" if type.element.startswith("c") else "0.0", type)
    return p.emit(f"stablehlo.select {inside}, {name}, {zero} : {type.of('i1')}, {type}", type, final=True, near=near)


def triangular_solve(p):
    e = p.random.choice(list(NEAR))
    n, other = p.random.choice([1, 2, 3, 5]), p.random.choice([1, 2, 4])
    batch = p.shape(p.random.choice([0, 0, 1]))
    left, lower, unit = (p.random.random() < 0.5 for _ in range(3))
    a = p.input(Type((*batch, n, n), e), triangle(p, (*batch, n, n), e, lower))
    b = p.input(Type((*batch, n, other) if left else (*batch, other, n), e))
    transpose = p.random.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    return p.emit(f'"stablehlo.triangular_solve"({a.name}, {b.name}) {{left_side = {str(left).lower()}, lower = {str(lower).lower()}, '
                  f"unit_diagonal = {str(unit).lower()}, transpose_a = #stablehlo<transpose {transpose}>}} : ({a.type}, {b.type}) -> {b.type}",
                  b.type, final=True, near=NEAR[e])


ALL = [fft, fft, cholesky, triangular_solve]
