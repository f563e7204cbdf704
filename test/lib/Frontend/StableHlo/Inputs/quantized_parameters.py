"""Writes files of quantized weights into a folder, and what is wrong with such files."""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "e2e"))
import gguf_formats
import packed_formats

RANDOM = np.random.default_rng(0)


def gguf(folder):
    """Matrices [24, 256] in each format, rows of one, and tensors in formats that are not read."""
    shape, tensors = (24, 256), []
    for name, (number, *_) in gguf_formats.FORMATS.items():
        tensors.append((name.lower(), number, shape, gguf_formats.random_data(name, shape, RANDOM, False)))
    tensors += [("cube", 2, (2, 12, 256), gguf_formats.random_data("Q4_0", (2, 12, 256), RANDOM, False)), ("square", 8, (256, 256), bytes(256 * 8 * 34)),
                ("half", 1, (24, 256), bytes(24 * 512)), ("grid", 16, (24, 256), bytes(24 * 66)), ("new", 77, (24, 256), bytes(64))]
    data = gguf_formats.gguf_file(tensors)
    (folder / "model.gguf").write_bytes(data)
    (folder / "cut.gguf").write_bytes(data[:-100])


def packed(folder):
    """Layers [24, 64] of GPTQ in folders of their own, some of which are wrong."""
    groups = (2, 24)
    good = packed_formats.gptq(RANDOM.integers(0, 16, (64, 24)), RANDOM.integers(1, 16, groups), RANDOM.random(groups).astype("f2"), 4, 32)
    config = config_of_gptq = {"quant_method": "gptq", "bits": 4, "group_size": 32}

    def put(place, parts, config):
        (folder / place).mkdir()
        (folder / place / "w.safetensors").write_bytes(packed_formats.safetensors_file({f"layer.{name}": part for name, part in parts.items()}))
        if config is not None:
            (folder / place / "quantize_config.json").write_text(json.dumps(config))

    put("gptq", good, config)
    put("alone", good, None)
    put("three", good, config | {"bits": 3})
    put("other", good, config | {"quant_method": "quip"})
    put("marlin", good, config | {"checkpoint_format": "marlin"})
    put("gemv", good, {"w_bit": 4, "q_group_size": 32, "version": "GEMV"})
    put("groups", good, config | {"group_size": 16})
    put("ordered", good | {"g_idx": good["g_idx"][::-1].copy()}, config)
    put("wrapped", good | {"qzeros": np.full((2, 3), -1, np.int32)}, config)
    put("empty", good | {"qweight": np.broadcast_to(np.int32(0), (1 << 40, 0))}, config)
    put("words", good | {"qzeros": good["qzeros"][:, :2].copy()}, config)
    put("broken", good, None)
    (folder / "broken" / "quantize_config.json").write_text("{")
    nibbles = packed_formats.packed(RANDOM.integers(-8, 8, (24, 64)), None, RANDOM.random((24, 2)).astype("f2"), 4)
    put("packed", nibbles, None)
    put("scales", nibbles | {"weight_scale": RANDOM.random((24, 3)).astype("f2")}, None)
    put("bytes", {"weight_packed": np.zeros((24, 32), np.int8), "weight_scale": nibbles["weight_scale"]}, None)
    eight = packed_formats.packed(RANDOM.integers(-128, 128, (24, 64)), None, RANDOM.random((24, 2)).astype("f2"), 8)
    put("eight", eight, None)
    of_bits = [{"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {
        f"group_{i}": {"weights": {"num_bits": n}} for i, n in enumerate(bits)}}} for bits in ([8, 8], [7], [4], [4, 8])]
    for place, config in zip(["eight_said", "seven_said", "four_said", "mixed"], of_bits):
        put(place, eight, None)
        (folder / place / "config.json").write_text(json.dumps(config))
    put("none", {"weight_packed": np.zeros((0, 0), np.int32), "weight_scale": np.zeros((0, 0), "f2"), "weight_shape": np.array([0, 2**63 - 1])}, None)
    # A configuration that leads out of the folder is not one that is not there.
    put("linked", good, config_of_gptq)
    (folder / "linked" / "config.json").symlink_to(folder / "model.gguf")
    put("floats", {"weight_packed": np.zeros((24, 32), np.uint8), "weight_scale": np.zeros((24, 4), packed_formats.ml_dtypes.float8_e4m3fn)}, None)


def stored(folder):
    """Layers [24, 64] whose numbers are a tensor as they are."""
    scale = RANDOM.random((24, 1)).astype("f4")
    integers = RANDOM.integers(-128, 128, (24, 64)).astype(np.int8)
    floats = RANDOM.standard_normal((24, 64)).astype(packed_formats.ml_dtypes.float8_e4m3fn)

    def put(name, **parts):
        (folder / f"{name}.safetensors").write_bytes(packed_formats.safetensors_file({f"l.{part}": value for part, value in parts.items()}))

    put("int8", weight=integers, weight_scale=scale)
    put("int8_misfit", weight=integers, weight_scale=scale[:23])
    put("fp8", weight=floats, weight_scale=scale)
    put("fp8_zeros", weight=floats, weight_scale=scale, weight_zero_point=np.zeros((24, 1), floats.dtype))
    put("fp8_offset", weight=floats, weight_scale=scale, weight_zero_point=np.ones((24, 1), floats.dtype))
    (folder / "turned.safetensors").write_bytes(packed_formats.safetensors_file({"w": np.zeros((24, 256), np.float32)}))


folder = pathlib.Path(sys.argv[1])
stored(folder)
gguf(folder)
packed(folder)
np.save(folder / "cube.npy", np.zeros((2, 3, 4), np.float32))
