"""Devices, tensors in their memory, and placement."""

import ctypes
import os
import signal

import numpy as np
import pytest

import heddle

TWO = """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("first")
  %z = stablehlo.dot_general %y, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("second")
  return %z : tensor<4x4xf32>
}
"""


@pytest.fixture
def sim():
    return next(device for device in heddle.devices() if device.name == "sim:0")


@pytest.fixture
def staged():
    """Wants all but its input "right" on sim:0."""
    return os.path.join(os.environ["HEDDLE_TEST_MODELS"], "staged.heddle")


def test_devices():
    names = [device.name for device in heddle.devices()]
    assert names[0].startswith("cpu") and {"sim:0", "sim:1"} <= set(names)
    cpu, *others = heddle.devices()
    assert cpu.is_host and not any(device.is_host for device in others)
    assert all(device.memory_bytes > 0 for device in others)
    with pytest.raises(heddle.HeddleError) as error:
        heddle.Device("sim:4096")
    assert error.value.code == "HDL-0716"
    with pytest.raises(TypeError, match="a device is named by a int; its name is wanted"):
        heddle.Device(5)
    with pytest.raises(ValueError, match="the name of a device cannot hold a NUL"):
        heddle.Device("sim:0\0")


@pytest.mark.parametrize("dtype", ["f32", "i8", "bf16", "i1", np.int64])
def test_contents_come_back(sim, dtype):
    tensor = sim.empty((2, 3), dtype)
    value = np.arange(6).reshape(2, 3).astype(tensor.numpy().dtype)
    tensor = sim.put(value)
    assert tensor.shape == [2, 3] and tensor.device.name == "sim:0"
    np.testing.assert_array_equal(tensor.numpy(), value)
    assert tensor.numpy().dtype == value.dtype


def test_dlpack(sim):
    tensor = sim.put(np.arange(6, dtype=np.float32))
    assert tensor.__dlpack_device__() == (12, 0)  # kDLExtDev
    assert "dltensor" in repr(tensor.__dlpack__())
    # Nobody else can follow the address.
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(tensor)
    host = heddle.devices()[0].put(np.arange(6, dtype=np.float32))
    assert host.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(host), np.arange(6, dtype=np.float32))


def test_no_such_tensors(sim):
    with pytest.raises(TypeError, match="no element type"):
        sim.empty((2,), "U3")
    with pytest.raises(ValueError, match="no such shape"):
        sim.empty((1 << 40, 1 << 40), "f32")
    with pytest.raises(heddle.HeddleError) as error:
        sim.empty((1 << 40,), "f32")
    assert error.value.code == "HDL-0826"
    with pytest.raises(ValueError, match="another size"):
        sim.empty((2,), "f32").write(np.zeros(3, np.float32))


def test_tensors_of_a_call_lie_on_its_device(sim, staged):
    model = heddle.load(staged)
    assert [info.device for info in model.inputs] == ["sim:0", "cpu", "sim:0"] and model.devices == ["cpu", "sim:0"]
    left, right = np.arange(1000, dtype=np.float32).reshape(10, 100), np.full((10, 100), 3, np.float32)
    counters = sim.put(np.arange(64, dtype=np.int32))
    total = sim.empty((10, 100), "f32")
    results = model(sim.put(left), right, counters, out={"sum": total, "counted": counters})
    assert results["sum"] is total
    np.testing.assert_array_equal(total.numpy(), left + right)
    np.testing.assert_array_equal(counters.numpy(), np.arange(1, 65, dtype=np.int32))
    with pytest.raises(heddle.HeddleError) as error:
        model(left, right, np.arange(64, dtype=np.int32))
    assert error.value.code == "HDL-0814"
    with pytest.raises(heddle.HeddleError) as error:
        model(sim.put(left), sim.put(right), counters, out={"sum": total, "counted": counters})
    assert error.value.code == "HDL-0814"


class Foreign:
    """A tensor as an array of another package, which is seen by DLPack alone."""

    def __init__(self, tensor):
        self.tensor, self.shape = tensor, tensor.shape

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


@pytest.fixture(params=["sim", "cuda"])
def accelerator(request):
    """A device, what DLPack calls it, and a model that wants all but its input "right" there."""
    names = [device.name for device in heddle.devices()]
    if f"{request.param}:0" not in names:
        pytest.skip(f"no {request.param}")
    models = os.environ["HEDDLE_TEST_MODELS"]
    path = os.path.join(models, "staged-cuda.heddle" if request.param == "cuda" else "staged.heddle")
    return heddle.Device(f"{request.param}:0"), (2 if request.param == "cuda" else 12, 0), heddle.load(path)


def test_arrays_of_others_are_used_where_they_lie(accelerator):
    device, named, model = accelerator
    left, right = np.arange(1000, dtype=np.float32).reshape(10, 100), np.full((10, 100), 3, np.float32)
    counters, total = device.put(np.arange(64, dtype=np.int32)), device.empty((10, 100), "f32")
    assert total.__dlpack_device__() == named
    results = model(Foreign(device.put(left)), right, Foreign(counters), out={"sum": Foreign(total), "counted": Foreign(counters)})
    assert results["sum"].tensor is total
    np.testing.assert_array_equal(total.numpy(), left + right)
    np.testing.assert_array_equal(counters.numpy(), np.arange(1, 65, dtype=np.int32))
    with pytest.raises(heddle.HeddleError, match=f"input 'right' is on '{device.name}', the program wants it on 'cpu'") as error:
        model(Foreign(device.put(left)), Foreign(device.put(right)), Foreign(counters), out={"sum": total, "counted": counters})
    assert error.value.code == "HDL-0814"


def test_arrays_of_devices_that_nobody_knows(accelerator):
    """DLPack's own capsule of a device that heddle has no driver for."""
    _, _, model = accelerator
    shape = (ctypes.c_int64 * 2)(10, 100)
    tensor = ManagedTensor(None, 7, 3, 2, 2, 32, 1, ctypes.addressof(shape), None, 0, None, None)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    class Array:
        shape = [10, 100]

        def __dlpack__(self, **_):
            return make(ctypes.addressof(tensor), b"dltensor", None)

        def __dlpack_device__(self):
            return 7, 3

    with pytest.raises(heddle.HeddleError, match="input 'right' is elsewhere than on 'cpu'.*device 3 of DLPack's type 7") as error:
        model(np.zeros((10, 100), np.float32), Array(), np.zeros(64, np.int32))
    assert error.value.code == "HDL-0814"


class ManagedTensor(ctypes.Structure):
    """DLPack's DLManagedTensor, without a deleter."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("extents", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def test_staged_tensors(staged):
    model = heddle.load(staged, stage_tensors=True)
    left, right = np.arange(1000, dtype=np.float32).reshape(10, 100), np.full((10, 100), 3, np.float32)
    for call in (model, lambda *inputs: model.submit(*inputs).result()):
        results = call(left, right, np.arange(64, dtype=np.int32))
        np.testing.assert_array_equal(results["sum"], left + right)
        np.testing.assert_array_equal(results["counted"], np.arange(1, 65, dtype=np.int32))


def test_tensors_lie_on_devices_where_asked_for(tmp_path):
    x = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    path = heddle.compile(TWO.encode(), tmp_path / "placed.heddle", place="sim", device_tensors=True)
    plain = heddle.load(heddle.compile(TWO.encode(), tmp_path / "plain.heddle"))
    with pytest.raises(heddle.HeddleError) as error:
        heddle.load(path)(x)
    assert error.value.code == "HDL-0814"
    np.testing.assert_array_equal(heddle.load(path, stage_tensors=True)(x)["out0"], plain(x)["out0"])


def test_placement(tmp_path):
    x = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    plain = heddle.load(heddle.compile(TWO.encode(), tmp_path / "plain.heddle"))
    assert plain.devices == ["cpu"]
    for number, options in enumerate([{"place": "cpu,sim"}, {"place": ("cpu", "sim:1"), "place_rules": {"sec*": "sim:1"}},
                                      {"place": ["sim"], "place_by": "first"}]):
        placed = heddle.load(heddle.compile(TWO.encode(), tmp_path / f"{number}.heddle", **options))
        assert len(placed.devices) == 2 and placed.devices[1].startswith("sim:")
        np.testing.assert_array_equal(placed(x)["out0"], plain(x)["out0"])
    for options in ({"place": "tpu"}, {"place": "cpu,sim", "place_rules": {"third": "sim"}}, {"place": "cpu", "place_by": "lot"}):
        with pytest.raises(heddle.CompileError) as error:
            heddle.compile(TWO.encode(), tmp_path / "no.heddle", **options)
        assert error.value.code == "HDL-0114"


def test_a_forked_child_opens_devices_of_its_own(sim, staged):
    """Those of its parent serve the parent only, and say so at once."""
    left, right = np.arange(1000, dtype=np.float32).reshape(10, 100), np.full((10, 100), 3, np.float32)
    tensor, model = sim.put(left), heddle.load(staged, stage_tensors=True)
    call = lambda model: model(left, right, np.arange(64, dtype=np.int32))["sum"]
    np.testing.assert_array_equal(call(model), left + right)
    uses = [lambda: sim.put(left), tensor.numpy, lambda: call(model), lambda: model.submit(left, right, np.arange(64, dtype=np.int32)).result()]
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        failures = len(uses)
        for use in uses:
            try:
                use()
            except heddle.HeddleError as error:
                failures -= error.code == "HDL-0822" and "was opened before this process was forked" in str(error)
        again = next(device for device in heddle.devices() if device.name == "sim:0")
        failures += not np.array_equal(again.put(left).numpy(), left)
        failures += not np.array_equal(call(heddle.load(staged, stage_tensors=True)), left + right)
        os._exit(failures)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(call(model), left + right)
    np.testing.assert_array_equal(tensor.numpy(), left)
