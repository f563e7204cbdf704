"""Devices, and tensors that lie in their memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from heddle import _runtime
from heddle._arrays import EXTENDED, as_bytes, dtype_of


class DeviceTensor(_runtime.DeviceTensor):
    """Memory of a device with a type and a shape: Device.put and Device.empty make it, models take it as input and output. By DLPack it goes to
    whoever knows the device: one of CUDA is kDLCUDA there, a simulated one kDLExtDev."""

    def numpy(self) -> np.ndarray:
        """Its contents, as a new array."""
        array = np.empty(self.shape, dtype_of(self.dtype))
        self.read(as_bytes(array))
        return array

    def __repr__(self) -> str:
        return f"<heddle.DeviceTensor {self.dtype}{self.shape} on {self.device.name}>"


class Device(_runtime.Device):
    """A device that is there: `name`, `memory_bytes` of its own memory (0: not known), and `is_host` where that is the process's."""

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise TypeError(f"a device is named by a {type(name).__qualname__}; its name is wanted, such as 'sim:0'")
        if "\0" in name:
            raise ValueError(f"the name of a device cannot hold a NUL: {name!r}")
        super().__init__(name)

    def empty(self, shape: Sequence[int], dtype: Any) -> DeviceTensor:
        """A tensor of undefined contents; the type is one of numpy's or ml_dtypes', or heddle's name of it."""
        return DeviceTensor(self, _name_of(dtype), list(shape))

    def put(self, array: Any) -> DeviceTensor:
        """A copy of an array."""
        array = np.from_dlpack(array) if hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray) else np.asarray(array)
        tensor = self.empty(array.shape, array.dtype)
        tensor.write(as_bytes(array))
        return tensor


_NAMES = {dtype_of(name): name for name in ("i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64", "c64", "c128")}


def _name_of(dtype: Any) -> str:
    if isinstance(dtype, str) and dtype in (*_NAMES.values(), *EXTENDED):
        return dtype
    known = np.dtype(dtype)
    if known in _NAMES:
        return _NAMES[known]
    for name in EXTENDED:
        if dtype_of(name) == known:
            return name
    raise TypeError(f"heddle has no element type {known}")


def devices() -> list[Device]:
    """All devices that there are, the cpu first."""
    return [Device(name) for name in _runtime.device_names()]
