"""Runs the node cases of the onnx package through heddle's ONNX import and reference interpreter.

usage: onnx_node_cases.py ONNX-CASES [--only REGEX] [--keep FOLDER]

ONNX-CASES is the program of that name. A case's operands that must be known when compiling (shapes, axes, pads) are inputs that
are bound to the case's values, as `--bind @bound.npz` binds them. Cases of operator sets before 7, and such that take or return sequences, optionals or
strings, are left out. Prints what did not pass, and `N passed, N failed, N skipped`.
"""
import argparse, contextlib, pathlib, re, subprocess, sys, tempfile, warnings
import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

# Which operands of an operator decide the shape of its results.
KNOWN = {
    "AffineGrid": [1], "CenterCropPad": [1], "Col2Im": [1, 2], "ConstantOfShape": [0], "CumProd": [1], "CumSum": [1],
    "DFT": [1, 2], "Dropout": [1, 2], "Expand": [1], "Loop": [0, 1], "MaxUnpool": [2],
    "OneHot": [1], "Pad": [1, 3], "Range": [0, 1, 2], "Reshape": [1],
    "Resize": [1, 2, 3], "Slice": [3, 4], "Split": [1], "Squeeze": [1], "STFT": [1, 3], "Tile": [1], "Trilu": [1],
    "Unsqueeze": [1], "Upsample": [1], "HannWindow": [0], "HammingWindow": [0], "BlackmanWindow": [0],
}
KNOWN.update({f"Reduce{kind}": [1] for kind in (
    "L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")})


def values_read(node):
    """What a node reads: its inputs, and those of the nodes in its branches."""
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        for inner in attribute.g.node:
            names += values_read(inner)
    return names


def known_inputs(graph):
    """Inputs that only operands listed above use, also through the nodes in between."""
    names = set()
    for node in graph.node:
        for position in KNOWN.get(node.op_type, []):
            if position < len(node.input) and node.input[position]:
                names.add(node.input[position])
    # What such an operand is computed from must be known as well.
    for node in reversed(graph.node):
        if names & set(node.output) and node.op_type not in ("Shape", "Size"):
            names.update(values_read(node))
    return names


def values_of(data):
    """The arrays of a data set, or nothing if some value is no tensor that heddle has."""
    arrays = []
    for value in data:
        if isinstance(value, TensorProto):
            arrays.append(value)
            continue
        if not isinstance(value, np.ndarray) or value.dtype.kind in "OUSc":
            return None
        arrays.append(numpy_helper.from_array(value))
    return arrays


def tolerance(case, outputs):
    """The case's own, but not finer than its narrowest float resolves."""
    narrow = any(o.data_type in (TensorProto.FLOAT16, TensorProto.BFLOAT16) for o in outputs)
    return (max(case.rtol, 2e-2), max(case.atol, 1e-2)) if narrow else (case.rtol, max(case.atol, 1e-6))


def write_case(folder, case):
    """Writes the case as onnx-cases reads it; false if it is not for heddle."""
    versions = [o.version for o in case.model.opset_import if o.domain in ("", "ai.onnx")]
    if not versions or versions[0] < 7 or not case.data_sets:
        return False
    inputs, outputs = map(values_of, case.data_sets[0])
    if inputs is None or outputs is None or len(inputs) != len(case.model.graph.input):
        return False
    known, bound, feeds = known_inputs(case.model.graph), {}, []
    for info, value in zip(case.model.graph.input, inputs):
        if info.name in known:
            bound[info.name] = numpy_helper.to_array(value)
        else:
            feeds.append(value)
    data = folder / case.name / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / case.name / "model.onnx").write_bytes(case.model.SerializeToString())
    if bound:
        np.savez(folder / case.name / "bound.npz", **bound)
    (folder / case.name / "tolerance").write_text("%g %g" % tolerance(case, outputs))
    for kind, values in (("input", feeds), ("output", outputs)):
        for i, value in enumerate(values):
            (data / f"{kind}_{i}.pb").write_bytes(value.SerializeToString())
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="cases whose name holds this regular expression")
    parser.add_argument("--keep", help="write the cases into this folder, and leave them")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the package's own cases divide by zero on purpose
    from onnx.backend.test.loader import load_node_model_tests

    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(arguments.keep or stack.enter_context(tempfile.TemporaryDirectory()))
        left_out = 0
        for case in load_node_model_tests():
            if re.search(arguments.only, case.name) and not write_case(folder, case):
                left_out += 1
        print(f"{left_out} cases are of other operator sets or no tensors", flush=True)
        return subprocess.run([arguments.program, str(folder)]).returncode


sys.exit(main())
