"""Small files that ask for much: bombs.py HEDDLE FOLDER.

Each is refused with one error, or compiled, within a second of processor time and 64 MiB beyond what an ordinary program takes and
the file's own size. Where only the number of errors is left open (`many`), each names a node of its own.
"""

import json
import os
import pathlib
import struct
import sys

HUGE = 1 << 40
SECONDS = 1.0
KIBIBYTES = 64 << 10


def function(lines, arguments="%x: tensor<f32>", result="tensor<f32>", returned="%x", name="@main", attributes=""):
    body = "".join(f"  {line}\n" for line in lines)
    visibility = "" if name == "@main" else "private "
    return f"func.func {visibility}{name}({arguments}) -> {result}{attributes} {{\n{body}  return {returned} : {result}\n}}\n"


def same(type, lines):
    return function(lines, f"%x: {type}", type, "%r")


def first_of(type, element, lines, arguments="%x: tensor<f32>"):
    """A program that wants one element of a large tensor %r."""
    return function(lines + [f"%s = stablehlo.slice %r [0:1] : ({type}) -> tensor<1x{element}>"], arguments, f"tensor<1x{element}>", "%s")


ADD = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  })"""


def large_tensors():
    huge, i64 = f"tensor<{HUGE}xf32>", f"tensor<{HUGE}xi64>"
    yield "splat", "many", 6, first_of(huge, "f32", [f"%r = stablehlo.constant dense<1.0> : {huge}",
                                                     f"%q = stablehlo.sine %r : {huge}"])
    yield "splat-returned", "one", 6, function([f"%r = stablehlo.constant dense<1.0> : {huge}"], result=huge, returned="%r")
    yield "iota", "many", 6, first_of(i64, "i64", [f"%r = stablehlo.iota dim = 0 : {i64}"])
    yield "broadcast", "many", 6, first_of(huge, "f32", [f"%r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> {huge}"])
    large = f"tensor<{HUGE + 4}xf32>"
    for name, argument, line in (("pad", "%x: tensor<4xf32>", ""),
                                 ("pad-constant", "", "%x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>")):
        yield name, "many", 6, first_of(large, "f32", [
            line, "%z = stablehlo.constant dense<0.0> : tensor<f32>",
            f"%r = stablehlo.pad %x, %z, low = [{HUGE}], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> {large}"], argument)
    most = (1 << 63) - 1
    yield "pad-most", "many", 1, same("tensor<4xf32>", [
        "%z = stablehlo.constant dense<0.0> : tensor<f32>",
        f"%r = stablehlo.pad %x, %z, low = [{most}], high = [{most}], interior = [{most}] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>"])
    yield "slice-most", "one", 1, same("tensor<4xf32>", [
        f'%r = "stablehlo.slice"(%x) {{start_indices = array<i64: {-most - 1}>, limit_indices = array<i64: {most}>, '
        "strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>"])
    side = 1 << 20
    yield "gather", "one", 6, function([
        '%r = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
        f"start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {side}>}} : "
        f"(tensor<4x{side}xf32>, tensor<{side}xi32>) -> tensor<{side}x{side}xf32>"],
        f"%x: tensor<4x{side}xf32>, %i: tensor<{side}xi32>", f"tensor<{side}x{side}xf32>", "%r")
    window = f"tensor<{HUGE + 9}xf32>"
    yield "window", "many", 6, first_of(window, "f32", [
        "%z = stablehlo.constant dense<0.0> : tensor<f32>",
        f'%r = "stablehlo.reduce_window"(%x, %z) {ADD} {{window_dimensions = array<i64: {HUGE}>, '
        f"padding = dense<[[{HUGE}, {HUGE}]]> : tensor<1x2xi64>}} : (tensor<8xf32>, tensor<f32>) -> {window}"], "%x: tensor<8xf32>")
    yield "random-bits", "any", 0, function([
        "%k = stablehlo.constant dense<1> : tensor<2xui64>",
        '%r, %b = "stablehlo.rng_bit_generator"(%k) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : '
        f"(tensor<2xui64>) -> (tensor<2xui64>, tensor<{1 << 38}xui32>)"], "", "tensor<2xui64>", "%r")
    yield "dynamic-iota", "many", 6, function([
        f"%n = stablehlo.constant dense<{HUGE}> : tensor<1xi64>", "%z = stablehlo.constant dense<0.0> : tensor<f32>",
        "%d = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>",
        "%r = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>"],
        "", returned="%r")
    doubled = [f"%{i + 1} = stablehlo.concatenate %{i}, %{i}, dim = 0 : (tensor<{2 << i}xf32>, tensor<{2 << i}xf32>) -> tensor<{4 << i}xf32>"
               for i in range(29)]
    yield "doubled-constant", "any", 0, first_of(f"tensor<{2 << 29}xf32>", "f32", [
        "%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>", *doubled,
        f"%r = stablehlo.sine %29 : tensor<{2 << 29}xf32>"])


def long_computations():
    """Nothing of this may happen while compiling."""
    for name, condition in (("long-loop", "%c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>"),
                            ("endless-loop", "%c = stablehlo.constant dense<true> : tensor<i1>")):
        yield name, "any", 0, function([
            "%z = stablehlo.constant dense<0> : tensor<i64>", f"%n = stablehlo.constant dense<{HUGE}> : tensor<i64>",
            "%one = stablehlo.constant dense<1> : tensor<i64>",
            f"%r = stablehlo.while(%i = %z) : tensor<i64> cond {{ {condition}", "stablehlo.return %c : tensor<i1> } do {",
            "%k = stablehlo.add %i, %one : tensor<i64>", "stablehlo.return %k : tensor<i64> }"], "", "tensor<i64>", "%r")
    n = 1 << 30
    yield "long-product", "any", 0, function([
        f"%a = stablehlo.constant dense<1.0> : tensor<1x{n}xf32>", f"%b = stablehlo.constant dense<1.0> : tensor<{n}x1xf32>",
        f"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x{n}xf32>, tensor<{n}x1xf32>) -> tensor<1x1xf32>"],
        "", "tensor<1x1xf32>", "%r")
    n = 1 << 18
    yield "long-sums", "any", 0, function([
        "%z = stablehlo.constant dense<0.0> : tensor<f32>", f"%x = stablehlo.constant dense<1.0> : tensor<{n}xf32>",
        f'%r = "stablehlo.reduce_window"(%x, %z) {ADD} {{window_dimensions = array<i64: {n}>, '
        f"padding = dense<[[{n - 1}, 0]]> : tensor<1x2xi64>}} : (tensor<{n}xf32>, tensor<f32>) -> tensor<{n}xf32>"],
        "", f"tensor<{n}xf32>", "%r")
    # Each is a repetition if both operands are: once per operation, not once per path.
    yield "repeated-operands", "any", 0, function([
        "%0 = stablehlo.iota dim = 0 : tensor<64xf32>",
        *(f"%{i + 1} = stablehlo.add %{i}, %{i} : tensor<64xf32>" for i in range(60)),
        "%r = stablehlo.add %60, %x : tensor<64xf32>"], "%x: tensor<64xf32>", "tensor<64xf32>", "%r")


def nested():
    for depth, kind, status in ((50, "any", 0), (400, "one", 6), (100000, "one", 1)):
        lines = [f'%r{i} = "stablehlo.case"(%i) ({{' for i in range(depth)] + ["stablehlo.return %x : tensor<f32>"]
        for i in reversed(range(depth)):
            lines += ["}) : (tensor<i32>) -> tensor<f32>"] + ([f"stablehlo.return %r{i} : tensor<f32>"] if i else [])
        yield f"regions-{depth}", kind, status, function(lines, "%x: tensor<f32>, %i: tensor<i32>", returned="%r0")
    for depth, status in ((2000, 6), (200000, 1)):
        tuples = "tuple<" * depth + "f32" + ">" * depth
        yield f"tuples-{depth}", "one", status, function([], f"%x: tensor<f32>, %t: {tuples}")
        yield f"attributes-{depth}", "one", status, function([], attributes=" attributes {heddle.a = " + "[" * depth + "]" * depth + "}")
        where = "callsite(" * depth + '"a"' + ' at "b")' * depth
        yield f"locations-{depth}", "one", status, function([f"%r = stablehlo.sine %x : tensor<f32> loc({where})"], returned="%r")
        yield f"elements-{depth}", "one", 1, function(
            ["%r = stablehlo.constant dense<" + "[" * depth + "1.0" + "]" * depth + "> : tensor<1xf32>"])
    yield "tuples-of-two", "one", 6, "!t0 = tuple<f32, f32>\n" + "".join(
        f"!t{i + 1} = tuple<!t{i}, !t{i}>\n" for i in range(60)) + function([], "%x: tensor<f32>, %t: !t60")
    yield "lists-of-two", "one", 6, "#a0 = [1, 1]\n" + "".join(
        f"#a{i + 1} = [#a{i}, #a{i}]\n" for i in range(60)) + function([], attributes=" attributes {heddle.a = #a60}")
    for rank in (65, 1000):
        type = "tensor<" + "1x" * rank + "f32>"
        yield f"rank-{rank}", "one", 6, same(type, [f"%r = stablehlo.add %x, %x : {type}"])
    type = "tensor<" + "2x" * 64 + "f32>"
    yield "rank-64-of-two", "one", 6, same(type, [f"%r = stablehlo.add %x, %x : {type}"])


def calls():
    def chain(length, call):
        lines = [line for i in range(length) for line in [function(call(i + 1), returned="%r", name=f"@f{i}")]]
        return function(call(0), returned="%r") + "".join(lines) + function(
            ["%r = stablehlo.sine %x : tensor<f32>"], returned="%r", name=f"@f{length}")

    def once(i):
        return [f"%r = call @f{i}(%x) : (tensor<f32>) -> tensor<f32>"]

    def twice(i):
        return [f"%q = call @f{i}(%x) : (tensor<f32>) -> tensor<f32>", f"%r = call @f{i}(%q) : (tensor<f32>) -> tensor<f32>"]

    yield "calls-100", "any", 0, chain(100, once)
    yield "calls-2000", "one", 6, chain(2000, once)
    yield "calls-twice", "one", 6, chain(40, twice)
    yield "composite-of-itself", "one", 3, function(
        ['%r = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>'], returned="%r") + function(
            ['%r = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>'], returned="%r", name="@f")


def many():
    yield "parts-of-one", "any", 0, function(
        [f'%r = "stablehlo.concatenate"({", ".join(["%x"] * 4000)}) {{dimension = 0 : i64}} : '
         f'({", ".join(["tensor<1xf32>"] * 4000)}) -> tensor<4000xf32>'], "%x: tensor<1xf32>", "tensor<4000xf32>", "%r")
    yield "additions", "any", 0, same("tensor<8xf32>", [
        "%0 = stablehlo.abs %x : tensor<8xf32>", *(f"%{i + 1} = stablehlo.add %{i}, %x : tensor<8xf32>" for i in range(1000)),
        "%r = stablehlo.abs %1000 : tensor<8xf32>"])


def constants():
    def constant(value, type="tensor<3xf32>"):
        return function([f"%r = stablehlo.constant {value} : {type}"], "", type, "%r")

    resource = constant("dense_resource<w>") + '{-# dialect_resources: { builtin: { w: "0xBYTES" } } #-}\n'
    yield "hex-of-wrong-size", "one", 1, constant('dense<"0x0011223344">')
    yield "resource-missing", "one", 1, constant("dense_resource<w>")
    yield "resource-short", "one", 1, resource.replace("BYTES", "0400000001020304")
    yield "resource-unaligned", "one", 1, resource.replace("BYTES", "0300000001020304")
    yield "resource-aligned-to-a-gigabyte", "one", 1, resource.replace("BYTES", "0000004001020304")
    yield "sparse", "any", 0, function([f"%r = stablehlo.constant sparse<[[0]], [1.0]> : tensor<{HUGE}xf32>"])
    yield "wide-integer", "one", 1, constant("dense<1>", "tensor<4xi16777215>")


def tensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def bound():
    """Files for --bind 0=@w.safetensors."""
    def entry(**changes):
        return {"arg0": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16], **changes}}

    yield "header-beyond-the-file", struct.pack("<Q", (1 << 63) - 1) + b"{}"
    yield "header-nested", tensors(b'{"arg0":' + b"[" * 100000 + b"]" * 100000 + b"}")
    yield "data-beyond-the-file", tensors(entry(), bytes(12))
    yield "data-before-the-file", tensors(entry(data_offsets=[-16, 0]), bytes(16))
    yield "offsets-swapped", tensors(entry(data_offsets=[16, 0]), bytes(16))
    yield "shape-too-large", tensors(entry(shape=[1 << 62, 1 << 62]), bytes(16))
    yield "shape-of-fractions", tensors(entry(shape=[0.5]), bytes(16))
    yield "type-unknown", tensors(entry(dtype="F33"), bytes(16))
    yield "other-shape", tensors(entry(shape=[5], data_offsets=[0, 20]), bytes(20))
    yield "empty", b""


def run(command):
    """Exit status, processor seconds, peak KiB, error lines and text."""
    reader, writer = os.pipe()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, writer, 1), (os.POSIX_SPAWN_DUP2, writer, 2), (os.POSIX_SPAWN_CLOSE, reader)])
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read().decode(errors="replace")
    _, status, usage = os.wait4(child, 0)
    errors = [line for line in text.splitlines() if "error[HDL-" in line]
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss, errors, text


def main(heddle, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / "plain.mlir"
    plain.write_text(same("tensor<8xf32>", ["%r = stablehlo.add %x, %x : tensor<8xf32>"]))
    four = folder / "four.mlir"
    four.write_text(same("tensor<4xf32>", ["%r = stablehlo.add %x, %x : tensor<4xf32>"]))
    usual = run([heddle, "check", str(plain)])
    if usual[0] != 0:
        sys.exit("the plain program does not compile:\n" + usual[4])
    cases = []
    for group in (large_tensors, long_computations, nested, calls, many, constants):
        for name, kind, status, text in group():
            path = folder / f"{name}.mlir"
            path.write_text(text)
            cases.append((name, kind, status, path, [heddle, "check", str(path)]))
    for name, data in bound():
        path = folder / f"{name}.safetensors"
        path.write_bytes(data)
        cases.append(("bind-" + name, "one", None, path, [heddle, "check", str(four), "--bind", f"0=@{path}"]))
    wrong = 0
    for name, kind, wanted, path, command in cases:
        status, seconds, peak, errors, text = run(command)
        faults = []
        if wanted is not None and status != wanted or wanted is None and status not in (1, 2):
            faults.append(f"exit status {status}, {wanted} wanted")
        if kind == "one" and len(errors) != 1 or kind == "many" and not errors:
            faults.append(f"{len(errors)} errors")
        if seconds > SECONDS:
            faults.append(f"{seconds:.2f} s of processor time")
        if peak > usual[2] + KIBIBYTES + path.stat().st_size // 1024:
            faults.append(f"{peak >> 10} MiB, an ordinary program takes {usual[2] >> 10}")
        if faults:
            wrong += 1
            print(f"{name}: {'; '.join(faults)}\n{text[:600]}")
    print(f"{len(cases)} files: {wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
