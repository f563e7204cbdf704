"""What a program keeps between its calls."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from heddle import _runtime
from heddle._arrays import DEFAULTS, as_bytes, convert, dtype_of


class State:
    """Memory that calls change and keep: a cache of keys and values, say, one for each conversation. Model.state makes it; each call of an entry
    that uses it is given it. Calls that only read it may run together; a call that writes it has it alone."""

    def __init__(self, program: _runtime.Program, number: int):
        self._program, self._number = program, number
        self.native = _runtime.State(program, number)
        self.info: _runtime.TensorInfo = self.native.info
        self._dtype = dtype_of(self.info.dtype)

    def __repr__(self) -> str:
        return f"<heddle.State {self.info!r}{'' if self.length is None else f', length {self.length}'}>"

    @property
    def length(self) -> int | None:
        """How much of it is in use; None for a state that has no length."""
        length = self.native.length
        return None if length < 0 else length

    @length.setter
    def length(self, length: int) -> None:
        if isinstance(length, bool) or not isinstance(length, numbers.Integral):
            raise TypeError(f"the length of state {self.info.name!r} is given as {length!r}; a number is wanted")
        if not -(2**63) <= length < 2**63:
            raise ValueError(f"the length of state {self.info.name!r} is given as {length}; a number that the state can have is wanted")
        self.native.length = length

    def reset(self) -> None:
        """Zeros, of length 0."""
        self.native.reset()

    def copy(self) -> State:
        """Another one with the same contents and length."""
        copy = State(self._program, self._number)
        copy.copy_from(self)
        return copy

    def copy_from(self, source: State) -> None:
        """Takes the contents and length of the same state of the same program."""
        if not isinstance(source, State):
            raise TypeError(f"state {self.info.name!r} is to be a copy of a {type(source).__qualname__}; what Model.state gives is wanted")
        self.native.copy_from(source.native)

    def _parts(self, shape: list[int], size: int) -> list[tuple[int, slice]]:
        """Where the bytes of an array of that shape lie in the state, and where in the array: apart for each index before the dimension that the
        length counts."""
        dimension = self.native.dimension
        if dimension < 0:
            return [(0, slice(0, size))]
        count = math.prod(shape[:dimension])
        if not size or not count:
            return []
        step, part = self.info.bytes // count, size // count
        return [(i * step, slice(i * part, (i + 1) * part)) for i in range(count)]

    def read(self) -> np.ndarray:
        """Its contents, as a new array: of a state that grows, as far as its length."""
        shape = list(self.info.shape)
        if self.native.dimension >= 0:
            shape[self.native.dimension] = self.native.length
        array = np.empty(shape, self._dtype)
        data = as_bytes(array)
        for offset, part in self._parts(shape, array.nbytes):
            self.native.read(offset, data[part])
        return array

    def write(self, value: Any) -> None:
        """Replaces its contents. Those of a state that grows may have any length up to the largest, which it then has; the length of others stays."""
        array = np.from_dlpack(value) if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray) else np.asarray(value)
        what = f"state {self.info.name!r}"
        if array.dtype != self._dtype and array.dtype in DEFAULTS:
            array = convert(array, self._dtype, what)
        dimension, shape = self.native.dimension, list(array.shape)
        grows = dimension >= 0 and len(shape) == len(self.info.shape)
        if grows and shape[dimension] <= self.info.shape[dimension]:
            shape[dimension] = self.info.shape[dimension]
        if array.dtype != self._dtype or shape != self.info.shape:
            wanted = f"{self.info.dtype}{self.info.shape}" + (f", or less in dimension {dimension}," if dimension >= 0 else "")
            raise ValueError(f"{what} is given {array.dtype}{list(array.shape)}; {wanted} is wanted")
        data = as_bytes(array)
        for offset, part in self._parts(list(array.shape), array.nbytes):
            self.native.write(offset, data[part])
        if dimension >= 0:
            self.native.length = array.shape[dimension]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a state's memory is its own: only a copy can be had")
        return self.read() if dtype is None else self.read().astype(dtype)

    # Of a copy: the memory itself is a call's to change, and may be a device's.
    def __dlpack__(self, **options: Any) -> Any:
        return self.read().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
