"""What a program keeps between its calls."""

from __future__ import annotations

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
        self.native.copy_from(source.native)

    def read(self) -> np.ndarray:
        """Its contents, as a new array."""
        array = np.empty(self.info.shape, self._dtype)
        self.native.read(0, as_bytes(array))
        return array

    def write(self, value: Any) -> None:
        """Replaces its contents; the length stays."""
        array = np.from_dlpack(value) if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray) else np.asarray(value)
        what = f"state {self.info.name!r}"
        if array.dtype != self._dtype and array.dtype in DEFAULTS:
            array = convert(array, self._dtype, what)
        if array.dtype != self._dtype or list(array.shape) != self.info.shape:
            raise ValueError(f"{what} is given {array.dtype}{list(array.shape)}; {self.info.dtype}{self.info.shape} is wanted")
        self.native.write(0, as_bytes(array))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a state's memory is its own: only a copy can be had")
        return self.read() if dtype is None else self.read().astype(dtype)

    # Of a copy: the memory itself is a call's to change, and may be a device's.
    def __dlpack__(self, **options: Any) -> Any:
        return self.read().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
