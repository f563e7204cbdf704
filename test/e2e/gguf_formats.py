"""ggml's formats, a number at a time: what each element of a block stands for, and files of tensors in them.

A format is said by where an element's bits lie, its scale and its minimum. Blocks that were packed by hand (HAND_PACKED) say whether that is so.
"""

import struct

import numpy as np


def half(block, at) -> float:
    return float(np.frombuffer(bytes(block[at:at + 2]), "<f2")[0])


def low_or_high(byte, high) -> int:
    return byte >> 4 if high else byte & 15


def signed(byte) -> int:
    return byte - 256 if byte > 127 else byte


def bit(block, begin, number) -> int:
    """Bit `number` of those from a byte on, the lowest of a byte first."""
    return block[begin + number // 8] >> (number % 8) & 1


def four_bits(block, begin, e) -> int:
    """Elements 0 to 15 are the low halves of 16 bytes, 16 to 31 the high ones."""
    return low_or_high(block[begin + e % 16], e >= 16)


def q4_0(block, e):
    return half(block, 0) * (four_bits(block, 2, e) - 8)


def q4_1(block, e):
    return half(block, 0) * four_bits(block, 4, e) + half(block, 2)


def q5_0(block, e):
    return half(block, 0) * (four_bits(block, 6, e) + 16 * bit(block, 2, e) - 16)


def q5_1(block, e):
    return half(block, 0) * (four_bits(block, 8, e) + 16 * bit(block, 4, e)) + half(block, 2)


def q8_0(block, e):
    return half(block, 0) * signed(block[2 + e])


def two_bits(block, begin, e) -> int:
    """128 elements lie in 32 bytes: 32 in the lowest two bits, the next 32 in the next two, and so on."""
    byte = block[begin + e // 128 * 32 + e % 32]
    return byte >> (2 * (e % 128 // 32)) & 3


def q2_k(block, e):
    both = block[e // 16]
    return half(block, 80) * (both & 15) * two_bits(block, 16, e) - half(block, 82) * (both >> 4)


def q3_k(block, e):
    s = e // 16
    scale = low_or_high(block[96 + s % 8], s >= 8) + 16 * (block[104 + s % 4] >> (2 * (s // 4)) & 3) - 32
    third = block[e % 32] >> (e // 32) & 1
    return half(block, 108) * scale * (two_bits(block, 32, e) + 4 * third - 4)


def six_bit_pair(block, s):
    """Scale and minimum of 32 elements, in bytes 4 to 15."""
    if s < 4:
        return block[4 + s] & 63, block[8 + s] & 63
    return (low_or_high(block[8 + s], False) + 16 * (block[s] >> 6), low_or_high(block[8 + s], True) + 16 * (block[4 + s] >> 6))


def k_nibble(block, begin, e) -> int:
    """64 elements lie in 32 bytes: 32 in the low halves, 32 in the high ones."""
    return low_or_high(block[begin + e // 64 * 32 + e % 32], e % 64 >= 32)


def q4_k(block, e):
    scale, minimum = six_bit_pair(block, e // 32)
    return half(block, 0) * scale * k_nibble(block, 16, e) - half(block, 2) * minimum


def q5_k(block, e):
    scale, minimum = six_bit_pair(block, e // 32)
    fifth = block[16 + e % 32] >> (e // 32) & 1
    return half(block, 0) * scale * (k_nibble(block, 48, e) + 16 * fifth) - half(block, 2) * minimum


def q6_k(block, e):
    # Half a block has 64 bytes of low bits.
    low = low_or_high(block[e // 128 * 64 + e % 64], e % 128 >= 64)
    return half(block, 208) * signed(block[192 + e // 16]) * (low + 16 * two_bits(block, 128, e) - 32)


def mxfp4(block, e):
    code = four_bits(block, 1, e)
    size = [0, 0.5, 1, 1.5, 2, 3, 4, 6][code & 7]
    return (-size if code & 8 else size) * 2.0 ** (block[0] - 127)


# Number in files, elements and bytes of a block, where its halves are, and an element's value. Then the numbers of formats of floats as they are.
FORMATS = {"Q4_0": (2, 32, 18, [0], q4_0), "Q4_1": (3, 32, 20, [0, 2], q4_1), "Q5_0": (6, 32, 22, [0], q5_0), "Q5_1": (7, 32, 24, [0, 2], q5_1),
           "Q8_0": (8, 32, 34, [0], q8_0), "Q2_K": (10, 256, 84, [80, 82], q2_k), "Q3_K": (11, 256, 110, [108], q3_k),
           "Q4_K": (12, 256, 144, [0, 2], q4_k), "Q5_K": (13, 256, 176, [0, 2], q5_k), "Q6_K": (14, 256, 210, [208], q6_k), "MXFP4": (39, 32, 17, [], mxfp4)}
PLAIN = {"F32": 0, "F16": 1, "BF16": 30}

# What is added to an element, of formats in which kernels read the rest by itself.
MINIMA = {"Q4_1": lambda block, _: half(block, 2), "Q5_1": lambda block, _: half(block, 2),
          "Q4_K": lambda block, e: -half(block, 2) * six_bit_pair(block, e // 32)[1],
          "Q5_K": lambda block, e: -half(block, 2) * six_bit_pair(block, e // 32)[1]}

HALF, ONE, TWO = [0x00, 0x38], [0x00, 0x3C], [0x00, 0x40]  # 0.5, 1 and 2 as halves
# Bytes of blocks that are 0 elsewhere, and elements: of each format some whose bits lie in different places.
HAND_PACKED = [
    ("Q4_0", {0: HALF, 2: [0x1F], 17: [0x80]}, {0: 3.5, 16: -3.5, 15: -4.0, 31: 0.0, 1: -4.0}),
    ("Q4_1", {0: HALF, 2: ONE, 4: [0x2F]}, {0: 8.5, 16: 2.0, 1: 1.0}),
    ("Q5_0", {0: HALF, 2: [0x01, 0x00, 0x01, 0x80], 6: [0x4F], 21: [0x30]}, {0: 7.5, 16: 2.0, 31: 1.5, 15: -8.0, 1: -8.0}),
    ("Q5_1", {0: HALF, 2: ONE, 4: [0x02, 0x00, 0x00, 0x80], 8: [0x21, 0x0F]}, {0: 1.5, 16: 2.0, 1: 16.5, 31: 9.0}),
    ("Q8_0", {0: HALF, 2: [0x7F, 0x80, 0xFF], 33: [0x03]}, {0: 63.5, 1: -64.0, 2: -0.5, 31: 1.5, 3: 0.0}),
    # The second 16 elements have the second byte's scale 3 and minimum 2; element 48 lies in the bits 2 and 3 of byte 16 of 32.
    ("Q2_K", {0: [0x01, 0x23, 0x00, 0x15], 16: [0x02], 32: [0x0D], 80: HALF, 82: ONE}, {0: 1.0, 16: -0.5, 48: 6.5, 17: -2.0, 1: 0.0}),
    # Scales 33 - 32, 14 - 32, and of the last elements 63 - 32; without their third bits numbers are below zero.
    ("Q3_K", {0: [0x01], 31: [0x80], 32: [0x03], 95: [0xC0], 96: [0x01, 0x0E], 103: [0xF0], 104: [0x02, 0x00, 0x00, 0xC0], 108: HALF},
     {0: 1.5, 1: -2.0, 16: 36.0, 255: 46.5, 254: -62.0}),
    # Scales 1 of the first, 2 + 3 * 16 of the fifth 32 elements; minima 5 of the first and 1 + 16 of the fifth.
    ("Q4_K", {0: HALF, 2: TWO, 4: [0xC1], 8: [0x45], 12: [0x12], 16: [0x07], 80: [0x0F]}, {0: -6.5, 1: -10.0, 32: 0.0, 128: 341.0, 129: -34.0}),
    ("Q5_K", {0: HALF, 2: TWO, 4: [0xC1], 8: [0x45], 12: [0x12], 16: [0x11], 48: [0x07], 112: [0x0F]},
     {0: 1.5, 1: -10.0, 32: 0.0, 128: 741.0, 129: -34.0}),
    # Element 0: 1.5 * 2^2; element 16: -6 * 2^2.
    ("MXFP4", {0: [129], 1: [0xF3], 16: [0x98]}, {0: 6.0, 16: -24.0, 15: -0.0, 31: -2.0, 1: 0.0}),
    # Element 0: 3 + 2 * 16 - 32; element 64: 1 - 32; element 255: 15 + 3 * 16 - 32, scale -1.
    ("Q6_K", {0: [0x13], 127: [0xF0], 128: [0x02], 191: [0xC0], 192: [0x02, 0x00, 0x00, 0x00, 0x01], 207: [0xFF], 208: HALF},
     {0: 3.0, 1: -32.0, 64: -15.5, 255: -15.5, 254: 16.0}),
]


def elements(name, value, data, shape) -> np.ndarray:
    """`value` of each element of a tensor's bytes, in f64."""
    _, count, size, _, _ = FORMATS[name]
    return np.array([value(data[at:at + size], e) for at in range(0, len(data), size) for e in range(count)]).reshape(shape)


def dequantized(name, data, shape) -> np.ndarray:
    """What the bytes of a tensor stand for."""
    return elements(name, FORMATS[name][4], data, shape)


def minima(name, data, shape) -> np.ndarray:
    """What is added to each element behind the product of its number and its scale."""
    return elements(name, MINIMA[name], data, shape) if name in MINIMA else np.zeros(shape)


def hand_packed(name, parts) -> bytes:
    block = bytearray(FORMATS[name][2])
    for at, values in parts.items():
        block[at:at + len(values)] = bytes(values)
    return bytes(block)


def check_by_hand() -> list[str]:
    """Formats of which an element that was packed by hand is something else."""
    wrong = []
    for name, parts, wanted in HAND_PACKED:
        block = hand_packed(name, parts)
        wrong += [f"{name}[{e}] is {FORMATS[name][4](block, e)}, not {value}" for e, value in wanted.items() if FORMATS[name][4](block, e) != value]
    assert {name for name, _, _ in HAND_PACKED} == set(FORMATS)
    return wrong


def random_data(name, shape, random, exact) -> bytes:
    """A tensor of any numbers; scales and minima are powers of two if products must be exact."""
    _, elements, size, halves, _ = FORMATS[name]
    count = int(np.prod(shape)) // elements
    data = random.integers(0, 256, (count, size), dtype=np.uint8)
    for at in halves:
        values = 2.0 ** random.integers(-4, 1, count) if exact else random.random(count) / 16 + 1e-3
        data[:, at:at + 2] = values.astype("<f2").view(np.uint8).reshape(count, 2)
    if name == "MXFP4":
        data[:, 0] = random.integers(122, 127, count)
    return data.tobytes()


def text(value) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf_file(tensors, alignment=32, version=3) -> bytes:
    """A file of (name, format's number, row-major shape, bytes), with some values before them."""
    pairs = [text("general.architecture") + struct.pack("<I", 8) + text("none"),
             text("general.alignment") + struct.pack("<II", 4, alignment),
             text("names") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b"),
             text("numbers") + struct.pack("<IIQ3f", 9, 6, 3, 1, 2, 3)]
    head, data = b"", b""
    for name, number, shape, content in tensors:
        data += bytes(-len(data) % alignment)
        head += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", number, len(data))
        data += content
    start = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs) + head
    return start + bytes(-len(start) % alignment) + data
