"""heddle's runtime by its C interface: what a folder of a device pack needs of it, on a machine that has Python and no heddle.

The package `heddle` does more, and is built for one version of Python.
"""

import contextlib
import ctypes
import pathlib

# heddle_code, heddle_dtype and flags of include/heddle/runtime.h.
DEVICE_MISSING, TARGET_MISMATCH = 716, 712
STAGE_TENSORS = 1


class Failure(Exception):
    """A status that is not HEDDLE_OK."""

    def __init__(self, status):
        super().__init__(status.message.decode(errors="replace"))
        self.code = status.code


class Status(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 508)]


class LoadOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("variant", ctypes.c_char_p), ("custom_calls", ctypes.c_void_p),
                ("custom_call_count", ctypes.c_size_t), ("devices", ctypes.c_char_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("shape_min", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t),
                ("alignment", ctypes.c_size_t), ("replaces", ctypes.c_int64), ("device", ctypes.c_char_p), ("whole", ctypes.POINTER(ctypes.c_int64))]


class Tensor(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("out_shape", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p), ("user", ctypes.c_void_p), ("device", ctypes.c_void_p)]


class DeviceInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("memory_bytes", ctypes.c_uint64), ("is_host", ctypes.c_uint32)]


class CallOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("deadline_ns", ctypes.c_uint64), ("cancel", ctypes.c_void_p), ("on_step", ctypes.c_void_p),
                ("user", ctypes.c_void_p), ("states", ctypes.c_void_p), ("state_count", ctypes.c_size_t), ("flags", ctypes.c_uint32),
                ("sizes", ctypes.c_void_p), ("size_count", ctypes.c_size_t)]


def sized(structure):
    """A structure of the interface, zero but for its size."""
    one = structure()
    one.size = ctypes.sizeof(structure)
    return one


class Library:
    def __init__(self, path: pathlib.Path):
        self.calls = ctypes.CDLL(str(path))
        # Functions that give anything but an int; those that give a status are called by way of `check`.
        for name, kind in (("heddle_dtype_name", ctypes.c_char_p), ("heddle_program_input_count", ctypes.c_size_t),
                           ("heddle_program_output_count", ctypes.c_size_t)):
            getattr(self.calls, name).restype = kind

    def check(self, name: str, *arguments) -> None:
        """Calls what gives a status, and raises Failure if that is not well."""
        function = getattr(self.calls, name)
        function.restype = Status
        status = function(*arguments)
        if status.code:
            raise Failure(status)


class Device:
    """An open device, and the memory that it gave."""

    def __init__(self, library: Library, name: str):
        self.library, self.handle, self.memory = library, ctypes.c_void_p(), []
        library.check("heddle_device_open", name.encode(), ctypes.byref(self.handle))

    def describe(self) -> str:
        """Its name."""
        info = sized(DeviceInfo)
        self.library.check("heddle_device_describe", self.handle, ctypes.byref(info))
        return info.name.decode(errors="replace")

    def allocate(self, size: int) -> ctypes.c_void_p:
        memory = ctypes.c_void_p()
        self.library.check("heddle_device_allocate", self.handle, ctypes.c_size_t(size), ctypes.byref(memory))
        self.memory.append(memory)
        return memory

    def close(self) -> None:
        for memory in self.memory:
            self.library.calls.heddle_device_free(self.handle, memory)
        self.library.calls.heddle_device_close(self.handle)


class Program:
    """An artifact that was loaded by the name of a variant, and one context of its first entry."""

    def __init__(self, library: Library, path: pathlib.Path, variant: str):
        self.library, self.handle, self.context = library, ctypes.c_void_p(), ctypes.c_void_p()
        options = sized(LoadOptions)
        options.variant = variant.encode()
        library.check("heddle_program_load_file", str(path).encode(), ctypes.byref(options), ctypes.byref(self.handle))
        library.check("heddle_context_create", self.handle, ctypes.c_size_t(0), None, ctypes.byref(self.context))
        self.inputs, self.outputs = self.signature("input"), self.signature("output")

    def signature(self, kind: str) -> list[TensorInfo]:
        count = getattr(self.library.calls, f"heddle_program_{kind}_count")(self.handle, ctypes.c_size_t(0))
        infos = [sized(TensorInfo) for _ in range(count)]
        for i, info in enumerate(infos):
            self.library.check(f"heddle_program_{kind}_info", self.handle, ctypes.c_size_t(0), ctypes.c_size_t(i), ctypes.byref(info))
        return infos

    def dtype(self, info: TensorInfo) -> str:
        return self.library.calls.heddle_dtype_name(info.dtype).decode()

    def call(self, inputs: list[ctypes.c_void_p], outputs: list[ctypes.c_void_p]) -> None:
        """Waits for the result. Addresses are those of the process's memory, from where tensors are copied to the device and back."""
        arguments = self.tensors(inputs, outputs, None)
        options = sized(CallOptions)
        options.flags = STAGE_TENSORS
        self.library.check("heddle_context_call", self.context, *arguments, ctypes.byref(options))

    def submit(self, inputs: list[ctypes.c_void_p], outputs: list[ctypes.c_void_p], device: Device, times: int) -> None:
        """Calls one after the other, and waits for the last."""
        arguments, events = self.tensors(inputs, outputs, device), [ctypes.c_void_p() for _ in range(times)]
        with contextlib.ExitStack() as stack:
            for event in events:
                self.library.check("heddle_context_submit", self.context, *arguments, None, None, ctypes.byref(event))
                stack.callback(self.library.calls.heddle_event_destroy, event)
            for event in events:
                self.library.check("heddle_event_wait", event, ctypes.c_uint64(0))

    def tensors(self, inputs, outputs, device):
        def pointers(infos, addresses):
            tensors = [sized(Tensor) for _ in infos]
            for tensor, info, address in zip(tensors, infos, addresses, strict=True):
                tensor.data, tensor.dtype, tensor.rank, tensor.shape = address, info.dtype, info.rank, info.shape
                tensor.device = device.handle if device else None
            return (ctypes.POINTER(Tensor) * max(len(tensors), 1))(*(ctypes.pointer(tensor) for tensor in tensors)), ctypes.c_size_t(len(tensors))
        return *pointers(self.inputs, inputs), *pointers(self.outputs, outputs)

    def close(self) -> None:
        self.library.calls.heddle_context_destroy(self.context)
        self.library.calls.heddle_program_destroy(self.handle)
