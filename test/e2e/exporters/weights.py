"""Weights for models that are kept without: made from the name and the shape, the same each time."""
import zlib

import numpy as np
import onnx
from onnx import numpy_helper


def made(name, shape):
    random = np.random.RandomState(zlib.crc32(name.encode()))
    if len(shape) <= 1:
        # Scales, shifts and variances of norms among them: all positive.
        return random.uniform(0.5, 1.5, shape).astype(np.float32)
    return (random.standard_normal(shape) / np.sqrt(np.prod(shape) / max(shape))).astype(np.float32)


def complete(path):
    """The model of a file, with the tensors that it names without holding them."""
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            tensor.CopyFrom(numpy_helper.from_array(made(tensor.name, tuple(tensor.dims)), tensor.name))
    return model
