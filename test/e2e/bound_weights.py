#!/usr/bin/env python3
"""Are products with quantized weights of files what the files' formats say?  bound_weights.py HEDDLE gguf|packed TARGET...

The dequantizers of gguf_formats.py and packed_formats.py are held against what was packed by hand. Then one float model has three products for each form,
its weights inputs that --bind takes from a file of random numbers: once transposed, [in, out], once, by Gemm, as the file has it, and an initializer. Numbers are those of
f64 within what f32's sums may lose; where activations are small integers and scales powers of two, each weight is exact and so is each sum. What a weight
takes in the artifact is held against the form in which kernels read it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import gguf_formats
import packed_formats
from scaled_weights import ScaledModel, differs

F = np.float32
RANDOM = np.random.default_rng(16)
ROWS, DEPTH, COLUMNS = 3, 512, 96
GROUP = 64


class BoundModel(ScaledModel):
    """Products with inputs that are bound to the tensors of files."""

    def __init__(self):
        super().__init__()
        self.weights, self.binds, self.file_bytes = {}, [], 0
        self.rows_of_call = ROWS

    def products(self, name, real, file, tensor, exact, minima=None):
        """Three products with a weight [out, in]: one binds its transpose, one replaces an initializer. `minima` are summed up by themselves."""
        for way in ("gemm", "matmul", "initializer"):
            result = f"{name}_{'exact' if exact else 'near'}_{way}"
            weight = "w" + result
            is_turned = way == "matmul"
            if way == "initializer":
                self.constants.append(numpy_helper.from_array(np.zeros(real.shape, F), weight))
            else:
                self.weights[weight] = real.shape[::-1] if is_turned else real.shape
            self.binds.append(f"{weight}=@{{}}/{file}:{tensor}{'^T' if is_turned else ''}")
            self.inputs["x" + result] = self.rows((ROWS, real.shape[1]), exact)
            if is_turned:
                self.node("MatMul", ["x" + result, weight], result)
            else:
                self.node("Gemm", ["x" + result, weight], result, transB=1)
            # Chains of 16 terms at least; what is dequantized when compiling is rounded to f32 once.
            self.want(result, self.inputs["x" + result], real.T, 16, exact)
            if minima is not None and not exact:
                self.bounds[result] *= self.size_of(result, np.abs(real) + 2 * np.abs(minima)) / self.size_of(result, np.abs(real))

    def size_of(self, result, weight) -> np.ndarray:
        """The sums of the magnitudes of terms."""
        return np.abs(self.inputs["x" + result].astype(np.float64)) @ weight.T

    def save(self, path):
        info = helper.make_tensor_value_info
        shapes = {name: (self.rows_of_call, value.shape[1]) for name, value in self.inputs.items()} | self.weights
        graph = helper.make_graph(self.nodes, "bound", [info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()],
                                  [info(name, TensorProto.FLOAT, (self.rows_of_call, self.wanted[name].shape[1])) for name in self.outputs], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


# --- GGUF ---------------------------------------------------------------------------------------------------------------------------------


def plain_rows(kind, exact):
    """Floats in a format of ggml's that holds them as they are: their bytes, and their values."""
    real = RANDOM.integers(-4, 5, (COLUMNS, DEPTH)).astype(F) if exact else RANDOM.standard_normal((COLUMNS, DEPTH)).astype(F)
    stored = real.astype({"F32": F, "F16": np.float16, "BF16": ml_dtypes.bfloat16}[kind])
    return stored.tobytes(), stored.astype(np.float64)


def gguf_model(folder, kinds, ways) -> BoundModel:
    model, tensors = BoundModel(), []
    for exact in ways:
        for kind in kinds:
            tensor, minima = f"blk.{len(tensors)}.attn_q.weight", None
            if kind in gguf_formats.PLAIN:
                number = gguf_formats.PLAIN[kind]
                data, real = plain_rows(kind, exact)
            # Numbers of six bits times scales of six: sums of 512 such are beyond f32's bits.
            elif exact and kind.endswith("_K"):
                continue
            else:
                number = gguf_formats.FORMATS[kind][0]
                data = gguf_formats.random_data(kind, (COLUMNS, DEPTH), RANDOM, exact)
                real = gguf_formats.dequantized(kind, data, (COLUMNS, DEPTH))
                minima = gguf_formats.minima(kind, data, (COLUMNS, DEPTH))
            tensors.append((tensor, number, (COLUMNS, DEPTH), data))
            model.products(kind, real, "model.gguf", tensor, exact, minima)
            model.file_bytes += len(data)
    (folder / "model.gguf").write_bytes(gguf_formats.gguf_file(tensors))
    return model


# What an element takes in the artifact, in bits: numbers, and a block's scale and minimum in f32.
GGUF_BITS = {"Q4_0": 4 + 32 / 32, "Q8_0": 8 + 32 / 32, "Q5_0": 8 + 32 / 32, "Q3_K": 4 + 32 / 16, "Q6_K": 8 + 32 / 16, "Q4_1": 4 + 64 / 32,
             "Q5_1": 8 + 64 / 32, "Q4_K": 4 + 64 / 32, "Q5_K": 8 + 64 / 32, "MXFP4": 8 + 32 / 32}


# --- GPTQ, AWQ, compressed-tensors --------------------------------------------------------------------------------------------------------


def numbers(least, most, shape):
    return RANDOM.integers(least, most + 1, shape)


def scales(shape, exact, dtype=np.float16):
    return (2.0 ** RANDOM.integers(-4, 1, shape) if exact else RANDOM.random(shape) / 8 + 0.01).astype(dtype)


def gptq_layer(exact, bits, version=1, same=False):
    groups = (DEPTH // GROUP, COLUMNS)
    zeros = np.full(groups, 1 << (bits - 1)) if same else numbers(1, (1 << bits) - 1, groups)
    parts = packed_formats.gptq(numbers(0, (1 << bits) - 1, (DEPTH, COLUMNS)), zeros, scales(groups, exact), bits, GROUP, version)
    config = {"quantization_config": {"quant_method": "gptq", "bits": bits, "group_size": GROUP, "desc_act": False,
                                      "checkpoint_format": "gptq_v2" if version == 2 else "gptq"}}
    return parts, packed_formats.from_gptq(parts, bits, GROUP, version), ("config.json", config)


def awq_layer(exact):
    groups = (DEPTH // GROUP, COLUMNS)
    parts = packed_formats.awq(numbers(0, 15, (DEPTH, COLUMNS)), numbers(0, 15, groups), scales(groups, exact))
    return parts, packed_formats.from_awq(parts, GROUP), ("quant_config.json", {"zero_point": True, "q_group_size": GROUP, "w_bit": 4, "version": "GEMM"})


def packed_layer(exact, bits, zeros=False, inputs=DEPTH, outputs=COLUMNS):
    middle, groups = 1 << (bits - 1), (outputs, inputs // 20 if inputs % GROUP else inputs // GROUP)
    zero = numbers(-middle, middle - 1, groups) if zeros else None
    parts = packed_formats.packed(numbers(-middle, middle - 1, (outputs, inputs)), zero, scales(groups, exact, ml_dtypes.bfloat16), bits)
    groups_of_layers = {"group_0": {"weights": {"num_bits": bits, "type": "int"}}}
    config = {"quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups_of_layers}}
    return parts, packed_formats.from_packed(parts, bits), ("config.json", config)


def plain_layer(exact, kind, columns, zeros=False):
    """Scales of groups, of outputs (one column) or of all (none)."""
    shape = (COLUMNS, columns) if columns else (1,)
    parts = {"weight_scale": scales(shape, exact, F)}
    if kind == "int":
        parts["weight"] = numbers(-128, 127, (COLUMNS, DEPTH)).astype(np.int8)
    else:
        parts["weight"] = (numbers(-8, 8, (COLUMNS, DEPTH)) if exact else RANDOM.standard_normal((COLUMNS, DEPTH))).astype(ml_dtypes.float8_e4m3fn)
    if zeros:
        parts["weight_zero_point"] = numbers(-9, 9, shape).astype(np.int8)
    return parts, packed_formats.from_plain(parts), None


def float_layer(exact, kind):
    """NVFP4 with a global scale, or MXFP4."""
    parts = {"weight_packed": numbers(0, 255, (COLUMNS, DEPTH // 2)).astype(np.uint8)}
    if kind == "nv":
        parts["weight_scale"] = scales((COLUMNS, DEPTH // 16), exact, ml_dtypes.float8_e4m3fn)
        parts["weight_global_scale"] = np.array([2.0 if exact else 3.0], F)
    else:
        parts["weight_scale"] = numbers(122, 127, (COLUMNS, DEPTH // 32)).astype(np.uint8)
    return parts, packed_formats.from_floats(parts), None


LAYERS = {
    "gptq4": lambda exact: gptq_layer(exact, 4), "gptq4_middle": lambda exact: gptq_layer(exact, 4, same=True), "gptq8": lambda exact: gptq_layer(exact, 8),
    "gptq2": lambda exact: gptq_layer(exact, 2), "gptq4_second": lambda exact: gptq_layer(exact, 4, 2), "awq": awq_layer,
    "packed4": lambda exact: packed_layer(exact, 4), "packed4_zeros": lambda exact: packed_layer(exact, 4, True),
    "packed8": lambda exact: packed_layer(exact, 8), "packed4_odd": lambda exact: packed_layer(exact, 4, True, 100, 37),
    "int8": lambda exact: plain_layer(exact, "int", 1), "int8_groups": lambda exact: plain_layer(exact, "int", DEPTH // GROUP, True),
    "int8_all": lambda exact: plain_layer(exact, "int", 0), "int8_all_zeros": lambda exact: plain_layer(exact, "int", 0, True),
    "fp8": lambda exact: plain_layer(exact, "float", 1),
    "fp8_all": lambda exact: plain_layer(exact, "float", 0), "nvfp4": lambda exact: float_layer(exact, "nv"),
    "mxfp4": lambda exact: float_layer(exact, "mx"),
}


def packed_model(folder, kinds, ways) -> BoundModel:
    """Each layer in a folder of its own, beside its configuration."""
    model = BoundModel()
    for exact in ways:
        for kind in kinds:
            parts, real, config = LAYERS[kind](exact)
            place = f"{kind}_{exact}"
            (folder / place).mkdir(exist_ok=True)
            if config:
                (folder / place / config[0]).write_text(json.dumps(config[1]))
            layer = {f"model.layers.0.q_proj.{name}": part for name, part in parts.items()}
            (folder / place / "model.safetensors").write_bytes(packed_formats.safetensors_file(layer))
            model.products(kind, real, f"{place}/model.safetensors", "model.layers.0.q_proj.weight", exact)
            model.file_bytes += sum(part.nbytes for name, part in parts.items() if name not in ("g_idx", "weight_shape"))
    return model


# Numbers, scales of groups of 64 in f32 and, where they are not one number, a byte for each zero point.
PACKED_BITS = {"gptq4": 4 + 40 / 64, "gptq4_middle": 4 + 32 / 64, "gptq8": 8 + 40 / 64, "awq": 4 + 40 / 64, "packed4": 4 + 32 / 64,
               "packed4_zeros": 4 + 40 / 64, "packed8": 8 + 32 / 64, "int8": 8 + 32 / 512, "int8_groups": 8 + 40 / 64, "nvfp4": 8 + 32 / 16,
               "mxfp4": 8 + 32 / 32}


# --- comparison ---------------------------------------------------------------------------------------------------------------------------


def compiled(heddle, target, model, folder, *options):
    model.save(folder / "model.onnx")
    binds = [text for bind in model.binds for text in ("--bind", bind.format(folder))]
    subprocess.run([heddle, "compile", "-q", "--force", folder / "model.onnx", *binds, *options, "-t", target, "-o", folder / "model.heddle"], check=True)


def results(heddle, folder) -> dict[str, np.ndarray]:
    run = subprocess.run([heddle, "run", folder / "model.heddle", "--inputs", folder / "inputs.npz", "--output", folder / "out", "--json"], check=True,
                         stdout=subprocess.PIPE)
    return {output["name"]: np.load(output["file"]) for output in json.loads(run.stdout)["outputs"]}


def sizes_differ(heddle, folder, make, wanted) -> int:
    """Weights that take more than the form in which kernels read them, by a hundredth."""
    failed = 0
    for kind, bits in wanted.items():
        model = make(folder, [kind], [False])
        compiled(heddle, "x86-64-v3", model, folder)
        shown = subprocess.run([heddle, "inspect", folder / "model.heddle", "--json"], check=True, stdout=subprocess.PIPE)
        taken = json.loads(shown.stdout)["weight_bytes"]
        good = taken * 8 <= DEPTH * COLUMNS * bits * 1.01
        print(f"{kind}: {taken * 8 / (DEPTH * COLUMNS):.3f} bits an element, {taken / model.file_bytes:.3f} of the file's: {'ok' if good else 'WRONG'}")
        failed += not good
    return failed


def open_sizes_differ(heddle, folder) -> int:
    """Products of as many rows as a call has: compiled and interpreted, and no larger for that."""
    failed = 0
    for kind in ("Q4_0", "Q4_K"):
        model = gguf_model(folder, [kind], [False])
        for name in [*model.inputs]:
            if not name.endswith("matmul"):
                del model.inputs[name]
        model.outputs = [name for name in model.outputs if name.endswith("matmul")]
        model.nodes = [node for node in model.nodes if node.op_type == "MatMul"]
        model.weights = {name: shape for name, shape in model.weights.items() if name.endswith("matmul")}
        model.binds = [bind for bind in model.binds if "_matmul=" in bind]
        model.constants, model.rows_of_call = [], "n"
        compiled(heddle, "x86-64-v3", model, folder, "--dim", "n=1..6")
        bits = json.loads(subprocess.run([heddle, "inspect", folder / "model.heddle", "--json"], check=True, stdout=subprocess.PIPE).stdout)["weight_bytes"]
        bits *= 8 / (DEPTH * COLUMNS)
        compared = subprocess.run([heddle, "compare", "-q", folder / "model.onnx", "--dim", "n=1..6", "--bind", model.binds[0].format(folder)])
        good = compared.returncode == 0 and bits <= GGUF_BITS[kind] * 1.01
        print(f"{kind}, rows chosen by calls: {bits:.3f} bits an element: {'ok' if good else 'WRONG'}")
        failed += not good
    return failed


def main() -> int:
    heddle, which, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
    if which == "gguf":
        formats, make, kinds, bits = gguf_formats, gguf_model, [*gguf_formats.FORMATS, *gguf_formats.PLAIN], GGUF_BITS
    else:
        formats, make, kinds, bits = packed_formats, packed_model, list(LAYERS), PACKED_BITS
    wrong = formats.check_by_hand()
    print(f"packed by hand: {len(wrong)} differ", *wrong, sep="\n  ")
    failed = len(wrong)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model = make(folder, kinds, [True, False])
        np.savez(folder / "inputs.npz", **model.inputs)
        for target in targets:
            compiled(heddle, target, model, folder)
            ours = results(heddle, folder)
            count = sum(differs(model, name, ours[name]) for name in model.outputs)
            print(f"{target}: {len(model.outputs)} products, {count} differ")
            failed += count
        failed += sizes_differ(heddle, folder, make, bits)
        failed += open_sizes_differ(heddle, folder) if which == "gguf" else 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
