"""Calls of a model whose sizes its data decide, one after the other in one context, so that each finds in memory what those before left there. Against onnxruntime."""

import numpy as np
import onnxruntime


def are_close(found, wanted):
    return np.allclose(found, wanted, rtol=1e-4, atol=1e-5)


def check_calls(folder, case, model):
    """What is wrong with the calls of a case of `computed_shapes.check`, made in their order and then backwards, of its artifact as `model`."""
    name, _, _, outputs, _, feeds, _ = case
    session, wrong = onnxruntime.InferenceSession(folder / f"{name}.onnx", providers=["CPUExecutionProvider"]), []
    for feed in feeds + feeds[::-1]:
        found = model(**feed)
        for (key, _), value in zip(outputs, session.run(None, feed)):
            if found[key].shape != value.shape or not are_close(found[key], value):
                wrong.append(f"{name}: {key} of {feed['m'].sum()} is {found[key]}, not {value}")
    return wrong
