"""heddle compiles machine-learning models ahead of time into one file, and runs it.

    artifact = heddle.compile("model.onnx", dims={"batch": 1}, output="model.heddle")
    model = heddle.load("model.heddle")
    result = model(input_ids=ids)["logits"]
"""

from heddle._runtime import Group, HeddleError, TensorInfo
from heddle.compiler import CompileError, compile, inspect
from heddle.device import Device, DeviceTensor, devices
from heddle.program import Model, Parts, load
from heddle.state import State
from heddle.submission import Submission

__all__ = ["CompileError", "Device", "DeviceTensor", "Group", "HeddleError", "Model", "Parts", "State", "Submission", "TensorInfo", "compile", "devices",
           "inspect", "load"]
__version__ = "0.1.0"
