#!/usr/bin/env python3
"""Conversions to and from the 8, 6 and 4-bit floats, against ml_dtypes.

    narrow_floats.py HEDDLE [--interpret]

To a narrow type: all values of f16 and of bf16, and the ties between neighbours with what is
just beside them. From it: all of its values, to f32, f16 and bf16. NaN counts as NaN whatever its
bits; types without NaN are not asked for one.
"""

import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
QUIET = 0x7FC00000


def hexadecimal(array):
    return f'dense<"0x{array.tobytes().hex().upper()}">'


def canonical(values):
    """The bits of f32 values, one NaN for all."""
    bits = values.astype(np.float32).view(np.uint32).copy()
    bits[np.isnan(values.astype(np.float32))] = QUIET
    return bits


def sources(dtype, patterns):
    """What is converted to the type, as f32."""
    every = np.arange(1 << 16, dtype=np.uint16)
    known = np.sort(np.unique(patterns.astype(np.float32)[np.isfinite(patterns.astype(np.float32))]))
    ties = ((known[:-1].astype(np.float64) + known[1:]) / 2).astype(np.float32)
    beside = np.concatenate([ties, np.nextafter(ties, np.float32(np.inf)), np.nextafter(ties, np.float32(-np.inf))])
    values = np.concatenate([every.view(np.float16).astype(np.float32), every.view(ml_dtypes.bfloat16).astype(np.float32), beside])
    if not np.isnan(np.float32(np.nan).astype(dtype).astype(np.float32)):
        values = values[np.isfinite(values)]
    if dtype is ml_dtypes.float8_e8m0fnu:
        values = values[values > 0]  # it has neither sign nor zero
        # ml_dtypes takes the larger of two powers of two at a tie, the next one for everything above the smallest,
        # 2^-127, and the largest for what lies beyond it; here the even one, the nearest, and NaN from 1.25 times the
        # largest on, where LLVM's own conversion gives up.
        inside = (values >= np.finfo(np.float32).tiny) & (values < 1.25 * 2.0**127)
        values = values[inside & (np.frexp(values)[0] != 0.75)]
    return values


def program(name, dtype):
    width = int(name[1])
    patterns = np.arange(1 << width, dtype=np.uint8).view(dtype)
    lines = []

    def check(kind, text, count, expected):
        lines.append(f"""
    {text}
    %nan_{kind} = stablehlo.compare NE, %r_{kind}, %r_{kind} : (tensor<{count}xf32>, tensor<{count}xf32>) -> tensor<{count}xi1>
    %quiet_{kind} = stablehlo.constant dense<{QUIET}> : tensor<{count}xui32>
    %b_{kind} = stablehlo.bitcast_convert %r_{kind} : (tensor<{count}xf32>) -> tensor<{count}xui32>
    %v_{kind} = stablehlo.select %nan_{kind}, %quiet_{kind}, %b_{kind} : tensor<{count}xi1>, tensor<{count}xui32>
    %e_{kind} = stablehlo.constant {hexadecimal(expected)} : tensor<{count}xui32>
    stablehlo.custom_call @check.expect_eq(%v_{kind}, %e_{kind}) {{has_side_effect = true}} : (tensor<{count}xui32>, tensor<{count}xui32>) -> ()""")

    values = sources(dtype, patterns)
    with np.errstate(all="ignore"):
        narrowed = values.astype(dtype)
    n = values.size
    check("to", f"""%s_to = stablehlo.constant {hexadecimal(values)} : tensor<{n}xf32>
    %t_to = stablehlo.convert %s_to : (tensor<{n}xf32>) -> tensor<{n}x{name}>
    %r_to = stablehlo.convert %t_to : (tensor<{n}x{name}>) -> tensor<{n}xf32>""", n, canonical(narrowed))
    every = patterns.astype(np.float32)
    m = patterns.size
    for wide, through in (("f32", np.float32), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        with np.errstate(all="ignore"):
            expected = canonical(patterns.astype(np.float32).astype(through))
        check(wide, f"""%s_{wide} = stablehlo.constant {hexadecimal(every)} : tensor<{m}xf32>
    %t_{wide} = stablehlo.convert %s_{wide} : (tensor<{m}xf32>) -> tensor<{m}x{name}>
    %w_{wide} = stablehlo.convert %t_{wide} : (tensor<{m}x{name}>) -> tensor<{m}x{wide}>
    %r_{wide} = stablehlo.convert %w_{wide} : (tensor<{m}x{wide}>) -> tensor<{m}xf32>""", m, expected)
    return "func.func @main() {" + "".join(lines) + "\n    return\n}\n"


def main():
    heddle, options = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, dtype in TYPES.items():
            files.append(f"{folder}/{name}.mlir")
            with open(files[-1], "w") as file:
                file.write(program(name, dtype))
        done = subprocess.run([heddle, "test", *options, *files], stdout=subprocess.PIPE, text=True)
        print(done.stdout.replace(folder + "/", ""), end="")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
