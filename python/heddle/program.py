"""Loaded artifacts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from heddle import _runtime

# Names of element types as numpy has them.
_NUMPY = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
          "ui32": np.uint32, "ui64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
          "c128": np.complex128}
# Those that numpy lacks, as ml_dtypes names them; without that package they are handed out as bits.
_EXTENDED = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e4m3": "float8_e4m3", "f8e3m4": "float8_e3m4",
             "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
             "f8e8m0fnu": "float8_e8m0fnu",
             "f6e2m3fn": "float6_e2m3fn", "f6e3m2fn": "float6_e3m2fn", "f4e2m1fn": "float4_e2m1fn",
             "i2": "int2", "i4": "int4", "ui2": "uint2", "ui4": "uint4"}


def _dtype(name: str) -> np.dtype:
    if name in _NUMPY:
        return np.dtype(_NUMPY[name])
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, _EXTENDED[name]))
    except (ImportError, KeyError):
        return np.dtype(np.uint16 if name == "bf16" else np.uint8)


def _allocate(info: _runtime.TensorInfo, shape: list[int]) -> np.ndarray:
    return np.empty(shape, _dtype(info.dtype))


def _inward(value: Any, info: _runtime.TensorInfo) -> tuple[Any, bool]:
    """What the extension takes without a copy, a numpy array or anything with __dlpack__, and whether only its bits are of the type asked for."""
    if not isinstance(value, np.ndarray) and not hasattr(value, "__dlpack__"):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray):
        return value, False
    bits = info.dtype in _EXTENDED and value.dtype.name == _EXTENDED[info.dtype]
    if bits:
        value = value.view(np.uint16 if value.dtype.itemsize == 2 else np.uint8)
    return value, bits


def _adapt(name: str, function: Callable[..., Any]) -> Callable[..., None]:
    """What the extension calls: arrays in, arrays out, each checked, copied into the memory of the call."""
    if not callable(function):
        raise TypeError(f"custom call {name!r} is given a {type(function).__qualname__}; a function is wanted")

    def call(operands: Sequence[tuple[np.ndarray, str]], results: Sequence[tuple[np.ndarray, str]], attributes: dict[str, Any]) -> None:
        # Copies: the memory is the model's, and the function may keep what it is given.
        values = function(*(memory.view(_dtype(dtype)).copy() for memory, dtype in operands), **attributes)
        if values is None:
            values = ()
        elif not isinstance(values, (tuple, list)):
            values = (values,)
        if len(values) != len(results):
            raise ValueError(f"gave {len(values)} results, the model wants {len(results)}")
        for number, (value, (memory, dtype)) in enumerate(zip(values, results)):
            value, wanted = np.asarray(value), _dtype(dtype)
            if value.dtype != wanted or value.shape != memory.shape:
                raise TypeError(f"gave {value.dtype}{list(value.shape)} as result {number}, the model wants {wanted}{list(memory.shape)}")
            np.copyto(memory.view(wanted), value)

    return call


class Model:
    """One entry of a loaded artifact. Call it with its inputs, in order or by name; the result is a dictionary of arrays.

    Several threads may call; one model serves them in turn and releases the interpreter's lock while it computes. For calls at the same time
    load one model per thread: they share the weights' pages.
    """

    def __init__(self, program: _runtime.Program, entry: int, threads: int):
        self._program = program
        self._context = _runtime.Context(program, entry, threads)
        self.inputs: list[_runtime.TensorInfo] = self._context.inputs
        self.outputs: list[_runtime.TensorInfo] = self._context.outputs
        # Whether a call chooses sizes, from shape_min to shape of an input.
        self._chooses = any(info.shape_min != info.shape for info in self.inputs)

    @property
    def threads(self) -> int:
        return self._context.threads

    @property
    def target(self) -> str:
        """The target whose code was chosen for this machine."""
        return self._program.variant

    def __repr__(self) -> str:
        return f"<heddle.Model {', '.join(map(repr, self.inputs))} -> {', '.join(map(repr, self.outputs))}>"

    def __call__(self, *args: Any, out: Mapping[str, Any] | None = None, timeout: float | None = None, **kwargs: Any) -> dict[str, np.ndarray]:
        """`out` gives memory for outputs by name; `timeout` in seconds."""
        names = [info.name for info in self.inputs]
        if len(args) > len(names):
            raise TypeError(f"{len(args)} inputs given, the model has {len(names)}")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"there is no input {name!r}; there are: {', '.join(names)}")
            if name in given:
                raise TypeError(f"input {name!r} given twice")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"input {missing[0]!r} is missing")
        out = dict(out or {})
        unknown = set(out) - {info.name for info in self.outputs}
        if unknown:
            raise TypeError(f"there is no output {unknown.pop()!r}")
        inputs = [_inward(given[info.name], info) for info in self.inputs]
        shapes = [info.shape for info in self.outputs]
        if self._chooses:
            shapes = self._context.output_shapes([list(value.shape) for value, _ in inputs])
        results = {info.name: out[info.name] if info.name in out else _allocate(info, shape) for info, shape in zip(self.outputs, shapes)}
        outputs = [_inward(results[info.name], info) for info in self.outputs]
        self._context.call([value for value, _ in inputs], [value for value, _ in outputs], [bits for _, bits in inputs],
                           [bits for _, bits in outputs], timeout)
        return results


def load(path: str | os.PathLike, *, entry: str | None = None, threads: int = 0, variant: str = "", verify_weights: bool = False,
         custom_calls: Mapping[str, Callable[..., Any]] | None = None) -> Model:
    """Loads an artifact. It holds native code: load only what you trust.

    `custom_calls` are the functions that the model's custom calls call, by name: a function gets an array for each operand and the call's
    attributes as keywords (a textual backend_config as `backend_config`), and returns an array, or a tuple of arrays, of exactly the types
    and shapes that the model says. What it raises ends the call with a HeddleError, as its `__cause__`. It may be called on another thread.
    `threads` 0 is as many as this process may use; `variant` names a target instead of the best this machine can run; `verify_weights` also
    checks the weights' hashes.
    """
    functions = {name: _adapt(name, function) for name, function in (custom_calls or {}).items()}
    program = _runtime.Program(os.fspath(path), variant, verify_weights, functions)
    entries = program.entries
    if entry is None:
        entry = entries[0] if len(entries) == 1 else "main"
    if entry not in entries:
        raise ValueError(f"there is no entry {entry!r}; there are: {', '.join(entries)}")
    return Model(program, entries.index(entry), threads)
