"""Compiled routines against numpy: factorizations, solutions and transforms of many sizes, in single and double precision.

Every case is a few operations of one program per family; results are checked by what they must satisfy or against numpy in double
precision, and must have the same bits with one thread and with two.

    routines_numpy.py FOLDER [FAMILY...]    prints a line per failure, and last how many passed
"""

import pathlib
import re
import subprocess
import sys

import numpy as np

RANDOM = np.random.default_rng(5)
#: Relative errors allowed, as multiples of the unit roundoff of the type.
ULP = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}


class Program:
    """One module: calls of routines on inputs of their own, complex tensors in two parts."""

    def __init__(self):
        self.arguments, self.declarations, self.body, self.results = [], [], [], []
        self.checks = []

    @staticmethod
    def type_of(array: np.ndarray) -> str:
        element = {"float32": "f32", "float64": "f64", "int32": "i32"}[array.dtype.name]
        return "tensor<" + "".join(f"{extent}x" for extent in array.shape) + element + ">"

    def call(self, name: str, inputs: list, results: list, attributes: str, check):
        """`results` are arrays of the shapes and types expected, complex ones in one piece; `check` gets the computed ones."""
        split = lambda arrays: [part for a in arrays for part in ((a.real, a.imag) if np.iscomplexobj(a) else (a,))]
        number = len(self.declarations)
        operands = split(inputs)
        types = [self.type_of(np.asarray(part)) for part in operands]
        out = [self.type_of(np.asarray(part)) for part in split(results)]
        first = len(self.arguments)
        self.arguments += [np.ascontiguousarray(part) for part in operands]
        self.declarations.append(f"func.func private @r{number}({', '.join(types)}) -> ({', '.join(out)})")
        names = ", ".join(f"%a{first + i}" for i in range(len(operands)))
        self.body.append(f'  %c{number}:{len(out)} = stablehlo.composite "heddle.{name}" {names} {{composite_attributes = {{{attributes}}}, '
                         f"decomposition = @r{number}}} : ({', '.join(types)}) -> ({', '.join(out)})")
        self.checks.append((f"{name} {attributes} {' '.join(types)}", len(self.results), results, check))
        self.results += [(f"%c{number}#{i}", type) for i, type in enumerate(out)]

    def text(self) -> str:
        arguments = ", ".join(f"%a{i}: {self.type_of(a)}" for i, a in enumerate(self.arguments))
        types = ", ".join(type for _, type in self.results)
        return "\n".join([*self.declarations, f"func.func @main({arguments}) -> ({types}) {{", *self.body,
                          f"  return {', '.join(name for name, _ in self.results)} : {types}", "}", ""])

    def run(self, folder: pathlib.Path) -> list[str]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlir").write_text(self.text())
        np.savez(folder / "inputs.npz", **{f"arg{i}": a for i, a in enumerate(self.arguments)})
        subprocess.run(["heddle", "compile", folder / "program.mlir", "-o", folder / "program.heddle", "-q"], check=True)
        computed = []
        for threads in ("1", "2"):
            out = folder / f"out{threads}"
            subprocess.run(["heddle", "run", folder / "program.heddle", "--inputs", folder / "inputs.npz", "--threads", threads,
                            "--output", out, "-q"], check=True, stdout=subprocess.DEVNULL)
            files = sorted(out.glob("*.npy"), key=lambda file: int(re.sub(r"\D", "", file.stem) or 0))
            computed.append([np.load(file) for file in files])
        failures = []
        for title, first, results, check in self.checks:
            values, parts = [], computed[0][first:]
            same = True
            position = 0
            for result in results:
                width = 2 if np.iscomplexobj(result) else 1
                for i in range(position, position + width):
                    same &= computed[0][first + i].tobytes() == computed[1][first + i].tobytes()
                values.append(parts[position] + 1j * parts[position + 1] if width == 2 else parts[position])
                position += width
            if not same:
                failures.append(f"{title}: one thread and two differ")
            for error in check(*values):
                failures.append(f"{title}: {error}")
        return failures


def close(name: str, got: np.ndarray, wanted: np.ndarray, ulps: float, unit: float):
    """Nothing if the relative L2 error is within `ulps` units; NaN where NaN is wanted."""
    if got.shape != wanted.shape:
        yield f"{name} has shape {got.shape}, wanted {wanted.shape}"
        return
    if not wanted.size:
        return
    nan = np.isnan(wanted)
    if (np.isnan(got) != nan).any():
        yield f"{name} has NaN elsewhere"
        return
    error = np.linalg.norm((got - wanted)[~nan]) / max(np.linalg.norm(wanted[~nan]), np.finfo(np.float64).tiny)
    if not error <= ulps * unit:
        yield f"{name} has a relative error of {error:.3g}, allowed {ulps * unit:.3g}"


def random(shape, dtype, is_complex=False):
    real = RANDOM.standard_normal(shape).astype(dtype)
    return real + (1j * RANDOM.standard_normal(shape).astype(dtype)).astype(np.result_type(dtype, np.complex64)) if is_complex else real


def wide(array):
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def adjoint(array):
    return np.conj(np.swapaxes(array, -1, -2))


BATCHES = [(), (1,), (3,), (0,)]
SIZES = [0, 1, 2, 3, 17, 64, 100, 131]


def shapes():
    """All sizes, and all batches at some of them."""
    for n in SIZES:
        yield (), n
    for batch in BATCHES[1:]:
        for n in (0, 3, 17):
            yield batch, n


def cholesky(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for batch, n in shapes():
            x = random((*batch, n, n), dtype, is_complex)
            a = (x @ adjoint(x) + n * np.eye(n)).astype(x.dtype)
            for lower in (True, False):
                def check(l, a=a, lower=lower, n=n):
                    wanted = np.linalg.cholesky(wide(a)) if a.size else wide(a)
                    yield from close("l", l, wanted if lower else adjoint(wanted), 30 + 4 * n, unit)
                # The other triangle is not read.
                given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, np.array(np.nan, a.dtype))
                program.call("cholesky", [given.astype(a.dtype)], [a], f"lower = {str(lower).lower()}", check)
    bad = np.eye(40, dtype=dtype)
    bad[20, 20] = -1

    def nan(l):
        if not np.isfinite(l[:20, :20]).all() or not np.isnan(l[20, 20]):
            yield "a matrix that is not positive definite has no NaN at its minor"
    program.call("cholesky", [bad], [bad], "lower = true", nan)


def triangular_solve(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    case = 0
    for is_complex in (False, True):
        for batch, n in shapes():
            for columns in (1, 5, 130):
                case += 1
                left, lower, diagonal, transpose = case % 2 == 0, case // 2 % 2 == 0, case % 3 == 0, case % 5 % 3
                a = random((*batch, n, n), dtype, is_complex) / max(n, 1)
                a = (a + 2 * np.eye(n)).astype(a.dtype)
                b = random((*batch, n, columns) if left else (*batch, columns, n), dtype, is_complex)
                triangle = (np.tril(wide(a)) if lower else np.triu(wide(a)))
                if diagonal:
                    triangle = triangle - triangle * np.eye(n) + np.eye(n)
                op = [triangle, np.swapaxes(triangle, -1, -2), adjoint(triangle)][transpose]

                def check(x, op=op, b=b, left=left, n=n):
                    wanted = np.linalg.solve(op, wide(b)) if left else np.swapaxes(
                        np.linalg.solve(np.swapaxes(op, -1, -2), np.swapaxes(wide(b), -1, -2)), -1, -2)
                    yield from close("x", x, wanted if b.size else wide(b), 30 + 2 * n, unit)
                program.call("triangular_solve", [a, b], [b],
                             f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, unit_diagonal = {str(diagonal).lower()}, "
                             f'transpose_a = "{["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"][transpose]}"', check)


def fft(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    lengths = [(n,) for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 64, 77, 100, 121, 128, 131, 169, 262, 360, 1000, 1024, 2187)]
    cases = [((), length) for length in lengths] + [((3,), length) for length in lengths] + [((40,), length) for length in lengths[::3]]
    cases += [((), (4096,)), ((), (5000,)), ((), (4099,)), ((2,), (8, 12)), ((20,), (15, 17)), ((), (4, 5, 6)), ((3,), (2, 3, 17)),
              ((), (64, 100)), ((1,), (7,)), ((0,), (7,)), ((2, 3), (5, 4))]
    for batch, length in cases:
        axes = tuple(range(-len(length), 0))
        half = (*batch, *length[:-1], length[-1] // 2 + 1)
        real, whole, spectrum = random((*batch, *length), dtype), random((*batch, *length), dtype, True), random(half, dtype, True)
        for kind, x, function in [("FFT", whole, np.fft.fftn), ("IFFT", whole, np.fft.ifftn), ("RFFT", real, np.fft.rfftn),
                                  ("IRFFT", spectrum, lambda x, axes, s=length: np.fft.irfftn(x, s=s, axes=axes))]:
            wanted = function(wide(x), axes=axes)
            narrow = wanted.astype(np.complex64 if dtype == np.float32 else np.complex128) if np.iscomplexobj(wanted) else wanted.astype(dtype)
            program.call("fft", [x], [narrow], f'fft_type = "{kind}", fft_length = array<i64: {", ".join(map(str, length))}>',
                         lambda y, wanted=wanted: close("y", y, wanted, 8, unit))


def orthonormal(name, q, ulps, unit):
    """The columns of q are orthonormal."""
    eye = np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1]))
    yield from close(f"{name}^H {name}", adjoint(wide(q)) @ wide(q), eye, ulps, unit)


def rectangles():
    """Sizes of m x n matrices, square ones among them."""
    for batch, n in shapes():
        yield batch, n, n
    yield from [((), 40, 7), ((), 7, 40), ((3,), 5, 2), ((3,), 2, 5), ((), 131, 64), ((), 64, 131), ((), 0, 3), ((), 3, 0), ((), 1, 9)]


def complex_type(dtype):
    return np.result_type(dtype, np.complex64)


def qr(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for batch, m, n in rectangles():
            a, k = random((*batch, m, n), dtype, is_complex), min(m, n)
            if m == 17:
                a[..., 3] = a[..., 2]  # not of full rank
            taus = np.zeros((*batch, k), a.dtype)

            def packed(packed, taus, a=a, k=k, m=m, n=n):
                # The product of the reflectors is unitary and takes R back to a.
                x = np.triu(wide(packed))
                for i in reversed(range(k)):
                    v = np.where(np.arange(m) > i, wide(packed)[..., i], np.arange(m) == i)[..., None]
                    x = x - wide(taus)[..., i, None, None] * v @ (adjoint(v) @ x)
                yield from close("q r", x, wide(a), 20 + 2 * k, unit)
                if (np.diagonal(packed.imag, axis1=-2, axis2=-1)[..., :k] != 0).any():
                    yield "the diagonal of r is not real"
            program.call("qr", [a], [a, taus], "", packed)
            if n > m:
                continue
            # Reflectors of unit length, and fewer of them than there are columns.
            j = n if n != 17 else 5
            v = np.tril(random((*batch, m, n), dtype, is_complex), -1)
            norm = 1 + (np.abs(v) ** 2).sum(-2)
            taus = (2 / norm[..., :j]).astype(a.dtype)

            def columns(q, v=v, taus=taus, j=j, m=m, n=n):
                wanted = np.zeros(v.shape, np.complex128) + np.eye(m, n)
                for i in reversed(range(j)):
                    u = np.where(np.arange(m) > i, wide(v)[..., i], np.arange(m) == i)[..., None]
                    wanted = wanted - wide(taus)[..., i, None, None] * u @ (adjoint(u) @ wanted)
                yield from close("q", q, wanted, 20 + 2 * n, unit)
            program.call("householder_product", [v, taus], [v], "", columns)


def lu(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for batch, m, n in rectangles():
            a, k = random((*batch, m, n), dtype, is_complex), min(m, n)
            if m == 3:
                a[...] = 0

            def check(lu, pivots, permutation, a=a, k=k, m=m, n=n):
                lower, upper = np.tril(wide(lu)[..., :k], -1) + np.eye(m, k), np.triu(wide(lu)[..., :k, :])
                rows = np.take_along_axis(wide(a), permutation[..., None].astype(np.int64), -2) if a.size else wide(a)
                yield from close("l u", lower @ upper, rows, 20 + 2 * k, unit)
                size = lambda x: np.abs(x.real) + np.abs(x.imag)
                if a.size and (size(lower) > 1 + 4 * unit).any() and not is_complex:
                    yield "a pivot is not the largest of its column"
                wanted = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
                for index in np.ndindex(*wanted.shape[:-1]):
                    for i in range(k):
                        wanted[index][[i, pivots[index][i]]] = wanted[index][[pivots[index][i], i]]
                if (wanted != permutation).any():
                    yield "the permutation is not that of the pivots"
            program.call("lu", [a], [a, np.zeros((*batch, k), np.int32), np.zeros((*batch, m), np.int32)], "", check)


def positive(name, v, unit):
    """The largest element of each column is positive and real."""
    if v.size:
        largest = np.take_along_axis(v, np.abs(v).argmax(-2)[..., None, :], -2)
        if (largest.real <= 0).any() or (np.abs(largest.imag) > 4 * unit).any():
            yield f"{name} has a column whose largest element is not positive"


def eigh(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for batch, n in shapes():
            for lower in (True, False):
                x = random((*batch, n, n), dtype, is_complex)
                a = ((x + adjoint(x)) / 2).astype(x.dtype)
                if n == 17:
                    a[..., :, :] = np.eye(n) * 2  # all eigenvalues equal
                if n == 64:
                    a = (a * np.array(1e15, dtype)).astype(a.dtype)

                def check(v, w, a=a, n=n):
                    yield from close("w", w, np.linalg.eigvalsh(wide(a)) if a.size else w, 20 + n, unit)
                    yield from orthonormal("v", v, 30 + 2 * n, unit)
                    yield from close("a v", wide(a) @ wide(v), wide(v) * wide(w)[..., None, :], 40 + 2 * n, unit)
                    yield from positive("v", v, unit)
                given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, np.array(np.nan, a.dtype)).astype(a.dtype)
                program.call("eigh", [given], [a, np.zeros((*batch, n), dtype)], f"lower = {str(lower).lower()}", check)
    bad = np.eye(5, dtype=dtype)
    bad[3, 2] = np.inf
    program.call("eigh", [bad], [bad, bad[0]], "", lambda v, w: [] if np.isnan(v).all() and np.isnan(w).all() else ["infinity gives no NaN"])


def svd(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for number, (batch, m, n) in enumerate(rectangles()):
            a, k = random((*batch, m, n), dtype, is_complex), min(m, n)
            if number % 3 == 1 and n > 1:
                a[..., 1] = a[..., 0]
            if m == 2 == n:
                a[...] = 0
            if m == 64 == n:
                a = (a * np.array(1e-20, dtype)).astype(a.dtype)
            s = np.zeros((*batch, k), dtype)
            for full in (False, True):
                u = np.zeros((*batch, m, m if full else k), a.dtype)
                vh = np.zeros((*batch, n if full else k, n), a.dtype)

                def check(s, u, vh, a=a, k=k, m=m, n=n):
                    yield from close("s", s, np.linalg.svd(wide(a), compute_uv=False) if a.size else s, 20 + 2 * k, unit)
                    yield from orthonormal("u", u, 30 + 2 * max(m, n), unit)
                    yield from orthonormal("v", adjoint(vh), 30 + 2 * max(m, n), unit)
                    yield from close("u s vh", wide(u)[..., :k] * wide(s)[..., None, :] @ wide(vh)[..., :k, :], wide(a), 40 + 2 * k, unit)
                    yield from positive("u", u, unit)
                program.call("svd", [a], [s, u, vh], f"full_matrices = {str(full).lower()}", check)
            program.call("svd", [a], [s], "compute_uv = false",
                         lambda s, a=a, k=k: close("s", s, np.linalg.svd(wide(a), compute_uv=False) if a.size else s, 20 + 2 * k, unit))
    bad = np.eye(5, dtype=dtype)
    bad[3, 2] = np.nan
    program.call("svd", [bad], [bad[0]], "compute_uv = false", lambda s: [] if np.isnan(s).all() else ["NaN is lost"])


def spectra(is_complex, dtype):
    """Square matrices of every kind, and how much their eigenvectors may be off: batches, equal eigenvalues, triangles, wide scales."""
    for batch, n in shapes():
        yield random((*batch, n, n), dtype, is_complex)
    yield np.diag(np.arange(1, 7)).astype(random((), dtype, is_complex).dtype)
    yield np.triu(random((9, 9), dtype, is_complex))
    yield np.tril(random((9, 9), dtype, is_complex))
    yield np.zeros((4, 4), random((), dtype, is_complex).dtype)
    yield (np.eye(5) + np.eye(5, k=1)).astype(random((), dtype, is_complex).dtype)  # one vector for five equal eigenvalues
    yield np.roll(np.eye(12), 1, axis=0).astype(random((), dtype, is_complex).dtype)  # roots of one: shifts alone would turn in circles
    symmetric = random((30, 30), dtype, is_complex)
    yield symmetric + adjoint(symmetric)
    yield symmetric - adjoint(symmetric)
    scale = (2.0 ** np.arange(-8, 9)).astype(dtype)
    yield random((17, 17), dtype, is_complex) * scale[:, None] / scale
    yield random((20, 20), dtype, is_complex) * dtype(1e25 if dtype == np.float32 else 1e200)
    yield random((20, 20), dtype, is_complex) * dtype(1e-25 if dtype == np.float32 else 1e-200)


def norm(a):
    """The Frobenius norm of each matrix, without overflow in between."""
    largest = np.abs(a).max((-2, -1), initial=0, keepdims=True)
    return largest * np.sqrt((np.abs(a / np.where(largest == 0, 1, largest)) ** 2).sum((-2, -1), keepdims=True))


def schur(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for a in spectra(is_complex, dtype):
            def check(t, z, a=a, is_complex=is_complex):
                n = a.shape[-1]
                scale = np.where(norm(wide(a)) == 0, 1, norm(wide(a)))
                yield from orthonormal("z", z, 30 + 4 * n, unit)
                yield from close("z t z^H", wide(z) @ (wide(t) / scale) @ adjoint(wide(z)), wide(a) / scale, 40 + 4 * n, unit)
                if np.tril(t, -1 if is_complex else -2).any():
                    yield "t is not triangular"
                below, above = np.diagonal(t, -1, -2, -1), np.diagonal(t, 1, -2, -1)
                if n > 2 and not is_complex and (below[..., 1:] * below[..., :-1]).any():
                    yield "two blocks of t overlap"
                diagonal = np.diagonal(t, 0, -2, -1)
                if (below != 0).any() and not is_complex and ((np.sign(below) * np.sign(above) >= 0) | (diagonal[..., 1:] != diagonal[..., :-1]))[below != 0].any():
                    yield "a block of t has not its form"
            program.call("schur", [a], [a, a], "", check)
    bad = np.eye(5, dtype=dtype)
    bad[3, 2] = np.nan
    program.call("schur", [bad], [bad, bad], "", lambda t, z: [] if np.isnan(t).all() and np.isnan(z).all() else ["NaN is lost"])


def eig(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    case = 0
    for is_complex in (False, True):
        for a in spectra(is_complex, dtype):
            case += 1
            left, right = case % 2 == 0, case % 4 != 1

            def check(w, *vectors, a=a, left=left, right=right, is_complex=is_complex):
                n = a.shape[-1]
                scale = np.where(norm(wide(a)) == 0, 1, norm(wide(a)))
                b, values = wide(a) / scale, w.astype(np.complex128) / scale[..., 0]
                vectors = list(vectors)
                # An eigenvalue is that of a matrix near: the residual of its vector says so.
                for name, matrix, value in [("left", adjoint(b), values.conj())] * left + [("right", b, values)] * right:
                    v = wide(vectors.pop(0))
                    residual = np.abs(matrix @ v - v * value[..., None, :]).max(initial=0)
                    if not residual <= (20 + 2 * n) * unit:
                        yield f"{name} vectors leave {residual:.3g}, allowed {(20 + 2 * n) * unit:.3g}"
                    yield from close(f"{name} lengths", np.linalg.norm(v, axis=-2), np.ones(values.shape), 10 + n, unit)
                    largest = np.abs(v) >= (1 - 16 * unit) * np.abs(v).max(-2, initial=0, keepdims=True)
                    if v.size and np.where(largest, np.abs(v.imag), 1).min(-2).max() > 8 * unit:
                        yield f"{name} vectors have a largest element that is not real"
                    if not is_complex and v.imag.any(-2)[values.imag == 0].any():
                        yield f"{name} vectors of real eigenvalues are not real"
                if a.size and not np.abs(values.sum(-1) - np.trace(b, axis1=-2, axis2=-1)).max() <= (40 + 20 * n) * unit:
                    yield "the sum of the eigenvalues is not the trace"
                if np.linalg.norm(b - adjoint(b)) == 0 and a.size:
                    yield from close("w", np.sort(values.real), np.linalg.eigvalsh(b), 20 + 4 * n, unit)
                if not is_complex and np.iscomplexobj(w) and (np.sort_complex(values) != np.sort_complex(values.conj())).any():
                    yield "eigenvalues of a real matrix are not conjugates"
            w = np.zeros(a.shape[:-1], complex_type(dtype))
            v = np.zeros(a.shape, complex_type(dtype))
            program.call("eig", [a], [w] + [v] * (left + right), f"compute_left = {str(left).lower()}, compute_right = {str(right).lower()}", check)
    bad = np.eye(5, dtype=dtype)
    bad[3, 2] = np.inf
    program.call("eig", [bad], [bad[0].astype(complex_type(dtype)), bad.astype(complex_type(dtype))], "",
                 lambda w, v: [] if np.isnan(w).all() and np.isnan(v).all() else ["infinity gives no NaN"])


def reductions(program: Program, dtype):
    unit = ULP[np.dtype(dtype)]
    for is_complex in (False, True):
        for batch, n in shapes():
            x = random((*batch, n, n), dtype, is_complex)
            taus = np.zeros((*batch, max(n - 1, 0)), x.dtype)

            def unreduced(t, packed, taus, n=n):
                """q t q^H, of the reflectors below the subdiagonal."""
                for side in range(2):
                    for k in reversed(range(n - 1)):
                        v = np.where(np.arange(n) > k + 1, wide(packed)[..., k], np.arange(n) == k + 1)[..., None]
                        t = t - wide(taus)[..., k, None, None] * v @ (adjoint(v) @ t)
                    t = adjoint(t)
                return t

            program.call("hessenberg", [x], [x, taus], "", lambda packed, taus, x=x, n=n: close(
                "q h q^H", unreduced(np.triu(wide(packed), -1), packed, taus, n), wide(x), 20 + 2 * n, unit))
            a = ((x + adjoint(x)) / 2).astype(x.dtype)

            for lower in (True, False):
                def tridiagonal(packed, d, e, taus, a=a, n=n, lower=lower):
                    if not lower:
                        # Seen from the last element, the upper triangle is the lower one.
                        packed, a, d, e, taus = packed[..., ::-1, ::-1], a[..., ::-1, ::-1], d[..., ::-1], e[..., ::-1], taus[..., ::-1]
                    t = np.zeros(a.shape)
                    t[..., np.arange(n), np.arange(n)] = d
                    t[..., np.arange(1, n), np.arange(n - 1)] = t[..., np.arange(n - 1), np.arange(1, n)] = e[..., :max(n - 1, 0)]
                    yield from close("q t q^H", unreduced(t, packed, taus, n), wide(a), 20 + 2 * n, unit)
                given = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, np.array(np.nan, a.dtype)).astype(a.dtype)
                program.call("tridiagonal", [given], [a, np.zeros((*batch, n), dtype), taus.real.copy(), taus], f"lower = {str(lower).lower()}",
                             tridiagonal)

            lower, diagonal, upper = (random((*batch, n), dtype, is_complex) for _ in range(3))
            b = random((*batch, n, 5), dtype, is_complex)

            def solve(x, lower=lower, diagonal=diagonal, upper=upper, b=b, n=n):
                t = np.zeros((*b.shape[:-1], n), np.complex128)
                t[..., np.arange(n), np.arange(n)] = diagonal
                t[..., np.arange(1, n), np.arange(n - 1)] = lower[..., 1:]
                t[..., np.arange(n - 1), np.arange(1, n)] = upper[..., :-1]
                # A residual: the system may be badly conditioned.
                scale = max(1, np.linalg.norm(wide(x)) / max(np.linalg.norm(wide(b)), 1e-300))
                yield from close("t x", t @ wide(x), wide(b), 40 * scale, unit)
            program.call("tridiagonal_solve", [lower, diagonal, upper, b], [b], "", solve)


FAMILIES = {function.__name__: function for function in (cholesky, triangular_solve, fft, qr, lu, eigh, svd, schur, eig, reductions)}


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    passed, failures = 0, []
    for name in sys.argv[2:] or FAMILIES:
        for dtype in (np.float32, np.float64):
            program = Program()
            FAMILIES[name](program, dtype)
            failed = program.run(folder / f"{name}-{np.dtype(dtype).name}")
            passed += len(program.checks) - len({line.split(":")[0] for line in failed})
            failures += failed
    for line in failures:
        print("failed ", line)
    print(f"{passed} passed, {len(failures)} failed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
