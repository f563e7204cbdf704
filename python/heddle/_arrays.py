"""Element types as numpy has them, and arrays as bytes."""

from __future__ import annotations

import numpy as np

# Names of element types as numpy has them.
_NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
          "ui32": np.uint32, "ui64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
          "c128": np.complex128}
# Those that numpy lacks, as ml_dtypes names them; without that package they are handed out as bits.
EXTENDED = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3": "float8_e4m3", "f8e3m4": "float8_e3m4",
             "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
             "f8e8m0fnu": "float8_e8m0fnu",
             "f6e2m3fn": "float6_e2m3fn", "f6e3m2fn": "float6_e3m2fn", "f4e2m1fn": "float4_e2m1fn",
             "i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4"}


# What numbers are in Python and arrays in numpy when nobody says otherwise: these are converted to what a model wants. Any other type was chosen
# by somebody, and is not changed without a word.
DEFAULTS = (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.complex128))


def dtype_of(name: str) -> np.dtype:
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, EXTENDED[name]))
    except (ImportError, KeyError):
        return np.dtype(np.uint16 if name == "bf16" else np.uint8)


def convert(value: np.ndarray, wanted: np.dtype, what: str) -> np.ndarray:
    """Numbers of a default type as `wanted`; integers only if they are the same there."""
    if value.dtype.kind == "c" and wanted.kind != "c" or value.dtype.kind == "f" and wanted.kind in "biu":
        return value  # the runtime says that the type is wrong
    with np.errstate(over="ignore", invalid="ignore"):
        converted = value.astype(wanted)
    if value.dtype.kind == "i" and wanted.kind not in "fc" and not np.array_equal(converted.astype(np.int64), value):
        raise ValueError(f"{what} holds numbers that {wanted} does not: it goes from {value.min()} to {value.max()}")
    return converted


def as_bytes(array: np.ndarray) -> np.ndarray:
    """The bytes of an array, whose type the buffer protocol may lack; a copy if it is not contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
