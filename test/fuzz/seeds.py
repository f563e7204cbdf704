"""Writes seed inputs for the fuzzers into a folder for each: seeds.py FOLDER TOOLS.

TOOLS is the folder of a build's programs, which make artifacts and portable artifacts. What was found before (test/fuzz/found) is
among the seeds. ONNX models and results of jax.export are left out where the packages are missing.
"""

import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent


# A program whose artifact asks its host for a function.
CUSTOM_CALLS = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xcomplex<f64>>) -> (tensor<2x3xf32>, tensor<2xcomplex<f64>>) {
  %0:2 = stablehlo.custom_call @f(%a, %b) {api_version = 4 : i32, has_side_effect = true,
    backend_config = {flag = true, list = [1, 2], name = "n", real = 0.5 : f64, reals = array<f32: 1.0>, texts = ["a", "b"]},
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<2x3xf32>, tensor<2xcomplex<f64>>) -> (tensor<2x3xf32>, tensor<2xcomplex<f64>>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xcomplex<f64>>
}
"""


def arrays():
    for kind in ("f4", ">f8", "f2", "i1", ">u2", "i8", "?", "c8"):
        yield np.dtype(kind).name + ("-big" if kind[0] == ">" else ""), np.arange(6).astype(kind).reshape(2, 3)
    yield "column", np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3))
    yield "scalar", np.float32(3)
    yield "empty", np.zeros((0, 4), "i4")


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npz(save):
    out = io.BytesIO()
    save(out, a=np.arange(6, dtype="f4"), b=np.zeros((2, 40), "i8"))
    return out.getvalue()


def safetensors():
    data = np.arange(6, dtype="<f4").tobytes()
    header = json.dumps({"__metadata__": {"k": "v"},
                         "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
                         "b": {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]}}).encode()
    return struct.pack("<Q", len(header)) + header + data + bytes(8)


def gguf():
    sys.path.insert(0, str(TESTS / "e2e"))
    import gguf_formats

    random = np.random.default_rng(0)
    tensors = [(name.lower(), number, (2, 256), gguf_formats.random_data(name, (2, 256), random, False))
               for name, (number, *_) in gguf_formats.FORMATS.items()]
    return gguf_formats.gguf_file([("f", 0, (3,), bytes(12)), *tensors], alignment=64)


def packed():
    """A configuration, a zero byte, and a layer in each form that it may speak of."""
    sys.path.insert(0, str(TESTS / "e2e"))
    import packed_formats

    halves, zeros = np.ones((2, 8), "f2"), np.full((2, 8), 7)
    numbers = np.arange(64 * 8).reshape(64, 8)
    layers = {
        "gptq": ({"bits": 4, "group_size": 32}, packed_formats.gptq(numbers % 16, zeros, halves, 4, 32)),
        "awq": ({"w_bit": 4, "q_group_size": 32, "version": "gemm"}, packed_formats.awq(numbers % 16, zeros, halves)),
        "packed": ({"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"a": {"weights": {"num_bits": 8}}}}},
                   packed_formats.packed(numbers.T % 256 - 128, zeros.T, halves.T, 8)),
        "nvfp4": ({}, {"weight_packed": np.zeros((8, 32), "u1"), "weight_scale": np.ones((8, 4), packed_formats.ml_dtypes.float8_e4m3fn),
                       "weight_global_scale": np.ones(1, "f4")}),
        "int8": ({}, {"weight": np.ones((8, 64), "i1"), "weight_scale": np.ones(1, "f4"), "weight_zero_point": np.ones(1, "i1")}),
    }
    for name, (config, parts) in layers.items():
        tensors = packed_formats.safetensors_file({f"l.{part}": value for part, value in parts.items()})
        yield name, json.dumps(config).encode() + b"\0" + tensors


def onnx_models():
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4])
    weights = numpy_helper.from_array(np.ones((3, 4), "f4"), "w")
    indices = helper.make_tensor("i", TensorProto.INT64, [2], [1, 2])
    branch = helper.make_graph([helper.make_node("Identity", ["x"], ["o"])], "branch", [], [y])
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["m"]),
                               helper.make_node("If", ["c"], ["z"], then_branch=branch, else_branch=branch),
                               helper.make_node("Elu", ["m"], ["y"], alpha=0.5)], "g", [x], [y], [weights, indices])
    yield "model", helper.make_model(graph).SerializeToString()
    yield "tensor", weights.SerializeToString()
    yield "typed", indices.SerializeToString()


def jax_exports():
    import jax
    from jax import export

    x = jax.ShapeDtypeStruct((2, 3), np.float32)
    (n,) = export.symbolic_shape("n")
    for name, shape in (("fixed", x), ("symbolic", jax.ShapeDtypeStruct((n, 3), np.float32))):
        yield name, bytes(export.export(jax.jit(lambda x: {"y": x + 1}))(shape).serialize())


def programs():
    return sorted(TESTS.glob("dialects/StableHlo/*.mlir")) + sorted(TESTS.glob("lib/Frontend/Vhlo/*.mlir"))


def main(folder, tools):
    folder, tools = pathlib.Path(folder), pathlib.Path(tools)

    def put(target, name, data):
        (folder / target).mkdir(parents=True, exist_ok=True)
        (folder / target / name).write_bytes(data)

    for name, array in arrays():
        put("npy", name, npy(array))
    put("npz", "stored", npz(np.savez))
    put("npz", "deflated", npz(np.savez_compressed))
    put("safetensors", "two", safetensors())
    put("gguf", "blocks", gguf())
    for name, data in packed():
        put("packed", name, data)
    for target, make in (("onnx", onnx_models), ("exported", jax_exports)):
        try:
            for name, data in make():
                put(target, name, data)
                if target == "exported":
                    put("bytecode", name + ".exported", data)
        except ImportError as error:
            print(f"{target}: seeds only from what was found before: {error}")
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out"
        for program in programs():
            put("stablehlo", program.name, program.read_bytes())
            for version in ("0.9.0", "1.20.0"):
                if subprocess.run([tools / "heddle-translate", "--serialize", f"--target={version}", program, "-o", out],
                                  capture_output=True, check=False).returncode == 0:
                    put("bytecode", f"{program.stem}.{version}.mlirbc", out.read_bytes())
        artifact = folder / "artifact.heddle"
        (pathlib.Path(scratch) / "calls.mlir").write_text(CUSTOM_CALLS)
        for model in (pathlib.Path(scratch) / "calls.mlir", TESTS / "lib/Frontend/Vhlo/round-trip.mlir"):
            subprocess.run([tools / "heddle", "compile", model, "-o", artifact, "--force", "--custom-call", "f"], check=True,
                           capture_output=True)
            put("artifact", model.stem, artifact.read_bytes())
        # What the compiler does not make yet: several devices, states, guards, selection.
        for name in ("control", "dynamic", "placed", "select", "solved", "state"):
            put("artifact", name, (tools.parent / "test/runtime/models" / f"{name}.heddle").read_bytes())
        # Plans start where a page does; the verifier finds out which. They are for the devices and kernels of the model `placed`.
        data = (folder / "artifact" / "placed").read_bytes()
        artifact.write_bytes(data)
        for page in range(4096, len(data), 4096):
            put("plan", f"page-{page}", data[page : page + 8192])
    for found in sorted((HERE / "found").glob("*/*")):
        put(found.parent.name, "found-" + found.name, found.read_bytes())
    for target in folder.iterdir():
        if target.is_dir():
            print(f"{target.name}: {len(list(target.iterdir()))} seeds")


if __name__ == "__main__":
    main(*sys.argv[1:])
