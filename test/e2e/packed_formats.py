"""How safetensors files hold the weights of GPTQ, AWQ and compressed-tensors: a packer and a dequantizer of each.

The packers place a number at a time by where the formats say its bits lie; the dequantizers go the other way round with masks over whole words. What was
packed by hand (HAND_PACKED) says whether both are right.
"""

import json
import struct

import ml_dtypes
import numpy as np

# Which of eight columns the bits 0 to 3, 4 to 7, ... of AWQ's words belong to.
AWQ_COLUMNS = [0, 2, 4, 6, 1, 3, 5, 7]
DTYPES = {np.dtype("f4"): "F32", np.dtype("f2"): "F16", np.dtype(ml_dtypes.bfloat16): "BF16", np.dtype("i4"): "I32", np.dtype("i8"): "I64",
          np.dtype("i1"): "I8", np.dtype("u1"): "U8", np.dtype(ml_dtypes.float8_e4m3fn): "F8_E4M3"}


def safetensors_file(tensors) -> bytes:
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = np.ascontiguousarray(tensor).tobytes()
        header[name] = {"dtype": DTYPES[tensor.dtype], "shape": tensor.shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


# --- packers ------------------------------------------------------------------------------------------------------------------------------


def words_down(numbers, bits) -> np.ndarray:
    """[n, m] to [n * bits / 32, m]: neighbours of the first dimension share a word, the first in the lowest bits; zeros fill the last word."""
    count = 32 // bits
    words = np.zeros((-(-numbers.shape[0] // count), numbers.shape[1]), np.uint32)
    for i in range(numbers.shape[0]):
        words[i // count] |= numbers[i].astype(np.uint32) << np.uint32(i % count * bits)
    return words.view(np.int32)


def words_across(numbers, bits, columns=None) -> np.ndarray:
    count = 32 // bits
    words = np.zeros((numbers.shape[0], -(-numbers.shape[1] // count)), np.uint32)
    for j in range(numbers.shape[1]):
        place = columns.index(j % count) if columns else j % count
        words[:, j // count] |= numbers[:, j].astype(np.uint32) << np.uint32(place * bits)
    return words.view(np.int32)


def gptq(numbers, zeros, scales, bits, group, version=1) -> dict:
    """Numbers [inputs, outputs], zero points and scales [groups, outputs]."""
    return {"qweight": words_down(numbers, bits), "qzeros": words_across(zeros - (version == 1), bits), "scales": scales,
            "g_idx": (np.arange(numbers.shape[0]) // group).astype(np.int32)}


def awq(numbers, zeros, scales) -> dict:
    return {"qweight": words_across(numbers, 4, AWQ_COLUMNS), "qzeros": words_across(zeros, 4, AWQ_COLUMNS), "scales": scales}


def packed(numbers, zeros, scales, bits) -> dict:
    """compressed-tensors' pack-quantized: signed numbers [outputs, inputs], zero points (or none) and scales [outputs, groups]."""
    middle = 1 << (bits - 1)
    result = {"weight_packed": words_across(numbers + middle, bits), "weight_scale": scales, "weight_shape": np.array(numbers.shape)}
    if zeros is not None:
        result["weight_zero_point"] = words_down(zeros + middle, bits)
    return result


# --- dequantizers: [outputs, inputs] in f64 -----------------------------------------------------------------------------------------------


def fields(words, bits) -> np.ndarray:
    """[..] words to [.., n] of their bits, the lowest first."""
    words = words.view(np.uint32)
    return np.stack([words >> np.uint32(at) & np.uint32((1 << bits) - 1) for at in range(0, 32, bits)], -1).astype(np.int64)


def by_group(parameters, count, axis) -> np.ndarray:
    """A group's parameter for each of `count` inputs."""
    group = -(-count // parameters.shape[axis])
    return np.repeat(parameters, group, axis).take(range(count), axis)


def from_gptq(parts, bits, group, version=1) -> np.ndarray:
    words = fields(parts["qweight"], bits)  # [words, outputs, n]
    numbers = words.transpose(0, 2, 1).reshape(-1, words.shape[1])
    zeros = fields(parts["qzeros"], bits).reshape(parts["qzeros"].shape[0], -1) + (version == 1)
    at = parts["g_idx"]
    return ((numbers - zeros[at]) * parts["scales"].astype(np.float64)[at]).T


def from_awq(parts, group) -> np.ndarray:
    def matrix(words):
        result = np.zeros((words.shape[0], words.shape[1], 8), np.int64)
        result[:, :, AWQ_COLUMNS] = fields(words, 4)
        return result.reshape(words.shape[0], -1)
    numbers, zeros = matrix(parts["qweight"]), matrix(parts["qzeros"])
    at = np.arange(numbers.shape[0]) // group
    return ((numbers - zeros[at]) * parts["scales"].astype(np.float64)[at]).T


def from_packed(parts, bits) -> np.ndarray:
    outputs, inputs = parts["weight_shape"]
    numbers = fields(parts["weight_packed"], bits).reshape(outputs, -1)[:, :inputs]
    zeros = np.full(parts["weight_scale"].shape, 1 << (bits - 1))
    if "weight_zero_point" in parts:
        words = fields(parts["weight_zero_point"], bits)
        zeros = words.transpose(0, 2, 1).reshape(-1, words.shape[1])[:outputs]
    return (numbers - by_group(zeros, inputs, 1)) * by_group(parts["weight_scale"].astype(np.float64), inputs, 1)


def from_plain(parts) -> np.ndarray:
    """int-quantized and float-quantized: numbers as they are, scales of groups, outputs or all."""
    numbers, scales = parts["weight"].astype(np.float64), parts["weight_scale"].astype(np.float64)
    if "weight_zero_point" in parts:
        zeros = parts["weight_zero_point"].astype(np.int64)
        numbers = numbers - (zeros if zeros.size == 1 else by_group(zeros, numbers.shape[1], 1))
    return numbers * (scales.reshape(()) if scales.size == 1 else by_group(scales, numbers.shape[1], 1))


FOUR_BIT_FLOATS = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def from_floats(parts) -> np.ndarray:
    """nvfp4-pack-quantized and mxfp4-pack-quantized: two floats in a byte, the first in the low bits."""
    codes = np.stack([parts["weight_packed"] & 15, parts["weight_packed"] >> 4], -1).reshape(parts["weight_packed"].shape[0], -1)
    if "weight_global_scale" in parts:
        scales = parts["weight_scale"].astype(np.float32) / parts["weight_global_scale"]
    else:
        scales = 2.0 ** (parts["weight_scale"].astype(np.float64) - 127)
    return FOUR_BIT_FLOATS[codes] * by_group(scales.astype(np.float64), codes.shape[1], 1)


# --- by hand ------------------------------------------------------------------------------------------------------------------------------


def word(value) -> np.ndarray:
    return np.array([[value]], np.uint32).view(np.int32)


def by_hand():
    """(what it is, a dequantized weight, what it must be)."""
    half = np.array([[0.5]], "f2")
    yield ("GPTQ of 4 bits: inputs 1 to 8 of one output, zero point 7 + 1",
           from_gptq({"qweight": word(0x87654321), "qzeros": np.array([[7]], np.int32), "scales": half, "g_idx": np.zeros(8, np.int32)}, 4, 8)[:1],
           [[-3.5, -3, -2.5, -2, -1.5, -1, -0.5, 0]])
    yield ("GPTQ's second format, of 8 bits",
           from_gptq({"qweight": word(0xFF800100), "qzeros": word(0x80), "scales": half, "g_idx": np.zeros(4, np.int32)}, 8, 4, 2)[:1],
           [[-64, -63.5, 0, 63.5]])
    eighths = np.full((1, 8), 0.5, "f2")
    yield ("AWQ: the bits from 4 on are column 2, those from 16 on column 1",
           from_awq({"qweight": word(0x76543210), "qzeros": word(0), "scales": eighths}, 1), [[0], [2], [0.5], [2.5], [1], [3], [1.5], [3.5]])
    yield ("compressed-tensors: numbers -8, -7, 7, and words for eight inputs of which there are three",
           from_packed({"weight_packed": word(0xF10), "weight_scale": half, "weight_shape": np.array([1, 3])}, 4), [[-4, -3.5, 3.5]])
    yield ("compressed-tensors: the second output's zero point lies in bits 4 to 7",
           from_packed({"weight_packed": np.array([[0x9], [0x9]], np.int32), "weight_scale": np.array([[0.5], [0.5]], "f2"),
                        "weight_shape": np.array([2, 1]), "weight_zero_point": word(0x71)}, 4), [[4], [1]])
    bytes_ = np.array([[0x21, 0xF7] + 6 * [0]], np.uint8)
    yield ("NVFP4: 0.5, 1, 6, -6 by 2, a scale that is divided by 4",
           from_floats({"weight_packed": bytes_, "weight_scale": np.array([[8]], ml_dtypes.float8_e4m3fn), "weight_global_scale": np.array([4], "f4")}),
           [[1, 2, 12, -12] + 12 * [0]])
    yield ("MXFP4: the same by 2 ** (126 - 127)",
           from_floats({"weight_packed": np.pad(bytes_, ((0, 0), (0, 8))), "weight_scale": np.array([[126]], np.uint8)}), [[0.25, 0.5, 3, -3] + 28 * [0]])


def check_by_hand() -> list[str]:
    return [f"{what}: {got.tolist()} is not {wanted}" for what, got, wanted in by_hand() if not np.array_equal(got, wanted)]
