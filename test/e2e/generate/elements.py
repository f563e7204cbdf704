"""Element types: how numpy holds them, which whole numbers they hold exactly, and how a tensor of them is written."""

import ml_dtypes
import numpy as np

INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
SMALL_INTS = ["i2", "i4", "ui2", "ui4"]
FLOATS = ["f16", "bf16", "f32", "f64"]
NARROW = ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ",
          "f8E8M0FNU"]
COMPLEX = ["complex<f32>", "complex<f64>"]
NUMPY = {"i1": np.bool_, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
         "complex<f32>": np.complex64, "complex<f64>": np.complex128,
         **{f"i{n}": getattr(np, f"int{n}") for n in (8, 16, 32, 64)},
         **{f"ui{n}": getattr(np, f"uint{n}") for n in (8, 16, 32, 64)},
         "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4,
         "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
         "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
         "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
         "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu}
# Whole numbers up to here are exact.
LIMIT = {"f16": 2**11, "bf16": 2**8, "f32": 2**24, "f64": 2**53, "complex<f32>": 2**24, "complex<f64>": 2**53,
         "f4E2M1FN": 4, "f6E2M3FN": 7, "f6E3M2FN": 8, "f8E3M4": 15, "f8E4M3": 16, "f8E4M3FN": 16, "f8E4M3FNUZ": 16, "f8E4M3B11FNUZ": 16,
         "f8E5M2": 8, "f8E5M2FNUZ": 8, "f8E8M0FNU": 0}
BITS = {element: int("".join(c for c in element.split("E")[0] if c.isdigit())) for element in NUMPY if element not in COMPLEX}
COMPLEX_PARTS = {"complex<f32>": "f32", "complex<f64>": "f64"}


def is_integer(element):
    return element in INTS or element in SMALL_INTS


def is_signed(element):
    return is_integer(element) and element.startswith("i")


def integer_range(element):
    bits = BITS[element]
    return (-2**(bits - 1), 2**(bits - 1) - 1) if is_signed(element) else (0, 2**bits - 1)


def whole_numbers(numbers, random, type):
    """Data for an argument, and the bound of its magnitude where the element type is a float's."""
    element, shape = type.element, type.shape
    if element == "i1":
        return numbers.integers(0, 2, shape).astype(np.bool_), None
    if element in LIMIT:
        bound = 1 if LIMIT[element] <= 4 else 2 if LIMIT[element] <= 16 else 4 if LIMIT[element] <= 2**11 else 16
        data = numbers.integers(-bound, bound + 1, shape)
        if element in COMPLEX:
            data, bound = data + 1j * numbers.integers(-bound, bound + 1, shape), 2 * bound
        elif element == "f8E8M0FNU":
            data = 2.0**np.abs(data)
        return np.asarray(data).astype(NUMPY[element]), bound
    low, high = integer_range(element)
    if random.random() < 0.5:
        low, high = max(low, -9), min(high, 9)
    wide = np.uint64 if element == "ui64" else np.int64
    return np.asarray(numbers.integers(low, high, shape, dtype=wide, endpoint=True)).astype(NUMPY[element]), None


def literal(type, data):
    """What stands between dense< and >."""
    data = np.asarray(data).reshape(type.shape)
    if type.size == 0:
        return ""
    if type.element == "i1" or type.element in SMALL_INTS:
        return nested(data)
    return '"0x' + np.ascontiguousarray(data).tobytes().hex().upper() + '"'


def nested(array):
    if array.ndim:
        return "[" + ", ".join(nested(part) for part in array) + "]"
    return str(bool(array)).lower() if array.dtype == np.bool_ else str(int(array))
