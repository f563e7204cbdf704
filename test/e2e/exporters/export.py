"""Writes the graphs in Inputs: each architecture by both exporters of torch, with open sizes, without weights.

usage: export.py [NAME...]

Needs, in an environment of its own: torch==2.9.1 torchvision==0.24.1 transformers==4.57.1 onnx==1.23.2 onnxscript==0.7.2.
Large tensors of floats are left out, as external data that nothing holds: `weights.py` makes some anew. Tests need none of torch.
"""
import contextlib, io, json, pathlib, sys, traceback, warnings

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from architectures import ARCHITECTURES

INPUTS = pathlib.Path(__file__).parent / "Inputs"
EXAMPLE = {"batch": 2, "length": 7, "past": 5, "written": 4, "height": 32, "width": 48, "samples": 500, "nodes": 6}


def example(shape, values):
    shape = [EXAMPLE.get(size, size) for size in shape]
    if values == "mask":
        return torch.ones(shape, dtype=torch.int64)
    return torch.randn(shape) if values is None else torch.randint(0, values, shape)


def is_weights(tensor):
    """Large, of floats, and not a table that few numbers make, as a mask is one."""
    if tensor.data_type != onnx.TensorProto.FLOAT:
        return False
    values = numpy_helper.to_array(tensor)
    return values.size >= 64 and (len(np.unique(values)) > 8 or values.ndim <= 1 or ".weight" in tensor.name)


def strip(graph):
    for tensor in graph.initializer:
        if is_weights(tensor):
            tensor.ClearField("raw_data")
            tensor.ClearField("float_data")
            tensor.data_location = onnx.TensorProto.EXTERNAL
            del tensor.external_data[:]
            tensor.external_data.add(key="location", value="weights")
    del graph.metadata_props[:], graph.value_info[:]
    graph.doc_string = ""
    for item in [*graph.node, *graph.input, *graph.output, *graph.initializer]:
        item.doc_string = ""
        del item.metadata_props[:]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                strip(attribute.g)


def export(name, case, exporter):
    torch.manual_seed(0)
    module = case["make"]().eval()
    arguments = tuple(example(shape, values) for _, shape, values in case["inputs"])
    axes = {key: {i: size for i, size in enumerate(shape) if isinstance(size, str) and size != case.get("fixed", {}).get(exporter)} for key, shape, _ in case["inputs"]}
    if exporter == "dynamo":
        options = dict(dynamo=True, dynamic_shapes=tuple(axes.values()), optimize=True)
    else:
        options = dict(dynamo=False, dynamic_axes=axes, opset_version=17)
    path = INPUTS / f"{name}.{exporter}.onnx"
    with torch.no_grad():
        if exporter == "dynamo":
            program = torch.onnx.export(module, arguments, input_names=list(axes), external_data=False, verbose=False, **options)
            model = program.model_proto
        else:
            memory = io.BytesIO()
            torch.onnx.export(module, arguments, memory, input_names=list(axes), **options)
            model = onnx.load_from_string(memory.getvalue())
    strip(model.graph)
    for function in model.functions:
        function.doc_string = ""
        for node in function.node:
            node.doc_string = ""
            del node.metadata_props[:]
    path.write_bytes(model.SerializeToString(deterministic=True))


def main():
    wanted, failed = sys.argv[1:], 0
    table = {}
    for name, case in ARCHITECTURES.items():
        table[name] = {"sizes": case["sizes"], "integers": {key: values for key, _, values in case["inputs"] if values is not None}}
        for exporter in ("script", "dynamo"):
            if wanted and name not in wanted:
                continue
            said = io.StringIO()
            try:
                with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                    warnings.simplefilter("ignore")
                    export(name, case, exporter)
            except Exception:
                failed += 1
                print(f"failed {name} {exporter}: {traceback.format_exc()[-1500:]}", flush=True)
            else:
                print(f"{name} {exporter}", flush=True)
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table.items())
    (INPUTS / "sizes.json").write_text("{\n" + rows + "\n}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
