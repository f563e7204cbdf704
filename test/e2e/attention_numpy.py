"""The composite `heddle.attention` with its options against numpy: lengths, windows, sinks, logarithms of sums, masks, shared heads, several types.

Each case is one composite with a decomposition that is written out here. Cases in f32, and those that are computed in f32, must become one
kernel each; the others run their operations. Compiled results are compared with numpy in double precision, and those of the operations alone
(the interpreter's) too.

    attention_numpy.py FOLDER TARGETS    prints a line per failure, and last how many passed
"""

import itertools
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

RANDOM = np.random.default_rng(7)
# Relative to the largest value: of sums of some hundred products of numbers of this precision.
ALLOWED = {"f32": 3e-6, "f16": 5e-3, "bf16": 4e-2}


@dataclass
class Case:
    query: tuple[int, ...]
    keys: int
    width: int
    key_heads: int = 0
    mask: str = ""
    causal: bool = False
    window: int = 0
    lengths: tuple[int, ...] | int | None = None
    sink: bool = False
    logarithms: bool = False
    zero_nan_rows: bool = False
    type: str = "f32"
    accumulator: str = ""
    poison: bool = False

    @property
    def key(self):
        batch = list(self.query[:-2])
        if self.key_heads:
            batch[-1] = self.key_heads
        return (*batch, self.keys, self.query[-1])

    @property
    def value(self):
        return (*self.key[:-1], self.width)

    @property
    def sums(self):
        return self.accumulator or self.type

    @property
    def in_kernel(self):
        return self.sums == "f32"


def tensor(shape, element):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


class Body:
    """Operations of one decomposition."""

    def __init__(self):
        self.lines = []

    def add(self, text):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def splat(self, value, shape, element):
        return self.add(f"stablehlo.constant dense<{value}> : {tensor(shape, element)}")

    def apply(self, op, shape, element, *operands):
        return self.add(f"stablehlo.{op} {', '.join(operands)} : {tensor(shape, element)}")

    def convert(self, value, shape, source, target):
        if source == target:
            return value
        return self.add(f"stablehlo.convert {value} : ({tensor(shape, source)}) -> {tensor(shape, target)}")

    def broadcast(self, value, source, target, element, dims):
        return self.add(f"stablehlo.broadcast_in_dim {value}, dims = {list(dims)} : ({tensor(source, element)}) -> {tensor(target, element)}")

    def reduce(self, op, value, initial, shape, element):
        start = self.splat(initial, (), element)
        return self.add(f"stablehlo.reduce({value} init: {start}) applies stablehlo.{op} across dimensions = [{len(shape) - 1}] : "
                        f"({tensor(shape, element)}, {tensor((), element)}) -> {tensor(shape[:-1], element)}")

    def select(self, condition, yes, no, shape, element):
        return self.add(f"stablehlo.select {condition}, {yes}, {no} : {tensor(shape, 'i1')}, {tensor(shape, element)}")

    def compare(self, direction, left, right, shape, element):
        return self.add(f"stablehlo.compare {direction}, {left}, {right} : ({tensor(shape, element)}, {tensor(shape, element)}) -> "
                        f"{tensor(shape, 'i1')}")


def repeat_heads(b: Body, case: Case, name, shape, element):
    if not case.key_heads:
        return name, shape
    at = len(shape) - 3
    times = case.query[at] // case.key_heads
    wide = (*shape[:at + 1], times, *shape[at + 1:])
    merged = (*shape[:at], case.query[at], *shape[at + 1:])
    spread = b.broadcast(name, shape, wide, element, [*range(at + 1), *range(at + 2, len(wide))])
    return b.add(f"stablehlo.reshape {spread} : ({tensor(wide, element)}) -> {tensor(merged, element)}"), merged


def decomposition(case: Case, name: str, arguments: dict[str, tuple]) -> str:
    b, e = Body(), case.sums
    rank = len(case.query)
    scores = (*case.query[:-1], case.keys)
    rows = scores[:-1]
    batch = list(range(rank - 2))
    query = b.convert("%query", case.query, case.type, e)
    key, key_shape = repeat_heads(b, case, b.convert("%key", case.key, case.type, e), case.key, e)
    value, value_shape = repeat_heads(b, case, b.convert("%value", case.value, case.type, e), case.value, e)
    s = b.add(f"stablehlo.dot_general {query}, {key}, batching_dims = {batch} x {batch}, contracting_dims = [{rank - 1}] x [{rank - 1}] : "
              f"({tensor(case.query, e)}, {tensor(key_shape, e)}) -> {tensor(scores, e)}")
    s = b.apply("multiply", scores, e, s, b.splat(0.25, scores, e))
    low = b.splat({"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[e], scores, e)
    if case.mask:
        shape, element = arguments["mask"]
        mask = b.broadcast("%mask", shape, scores, element, range(rank - len(shape), rank))
        s = b.select(mask, s, low, scores, e) if case.mask == "bool" else b.apply("add", scores, e, s, b.convert(mask, scores, element, e))
    length = b.splat(case.keys, scores, "i32")
    if case.lengths is not None:
        shape, element = arguments["lengths"]
        inside = b.add(f"stablehlo.clamp {b.splat(0, (), element)}, %lengths, {b.splat(case.keys, (), element)} : "
                       f"({tensor((), element)}, {tensor(shape, element)}, {tensor((), element)}) -> {tensor(shape, element)}")
        inside = b.convert(inside, shape, element, "i32")
        length = b.broadcast(inside, shape, scores, "i32", [0] if shape else [])
        there = b.compare("LT", b.add(f"stablehlo.iota dim = {rank - 2} : {tensor(value_shape, 'i32')}"),
                          b.broadcast(inside, shape, value_shape, "i32", [0] if shape else []), value_shape, "i32")
        value = b.select(there, value, b.splat("0.0", value_shape, e), value_shape, e)
    at = b.apply("add", scores, "i32", b.add(f"stablehlo.iota dim = {rank - 2} : {tensor(scores, 'i32')}"),
                 b.apply("subtract", scores, "i32", length, b.splat(case.query[-2], scores, "i32")))
    j = b.add(f"stablehlo.iota dim = {rank - 1} : {tensor(scores, 'i32')}")
    if case.lengths is not None:
        s = b.select(b.compare("LT", j, length, scores, "i32"), s, low, scores, e)
    if case.causal:
        s = b.select(b.compare("LE", j, at, scores, "i32"), s, low, scores, e)
    if case.window:
        distance = b.apply("subtract", scores, "i32", at, j)
        s = b.select(b.compare("LT", distance, b.splat(case.window, scores, "i32"), scores, "i32"), s, low, scores, e)
    top = b.reduce("maximum", s, {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[e], scores, e)
    along = range(rank - 1)
    if case.sink:
        shape, element = arguments["sink"]
        sink = b.broadcast(b.convert("%sink", shape, element, e), shape, rows, e, [rank - 3])
        top = b.apply("maximum", rows, e, top, sink)
    p = b.apply("exponential", scores, e, b.apply("subtract", scores, e, s, b.broadcast(top, rows, scores, e, along)))
    total = b.reduce("add", p, "0.0", scores, e)
    if case.sink:
        total = b.apply("add", rows, e, total, b.apply("exponential", rows, e, b.apply("subtract", rows, e, sink, top)))
    p = b.apply("divide", scores, e, p, b.broadcast(total, rows, scores, e, along))
    if case.zero_nan_rows:
        p = b.select(b.compare("NE", p, p, scores, e), b.splat("0.0", scores, e), p, scores, e)
    out = (*rows, case.width)
    result = b.add(f"stablehlo.dot_general {p}, {value}, batching_dims = {batch} x {batch}, contracting_dims = [{rank - 1}] x [{rank - 2}] : "
                   f"({tensor(scores, e)}, {tensor(value_shape, e)}) -> {tensor(out, e)}")
    results = [(b.convert(result, out, e, case.type), tensor(out, case.type))]
    if case.logarithms:
        logarithm = b.apply("add", rows, e, top, b.apply("log", rows, e, total))
        if case.zero_nan_rows:
            lowest = b.splat({"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[e], rows, e)
            logarithm = b.select(b.compare("NE", logarithm, logarithm, rows, e), lowest, logarithm, rows, e)
        results.append((b.convert(logarithm, rows, e, "f32"), tensor(rows, "f32")))
    header = ", ".join(f"%{argument}: {tensor(*type)}" for argument, type in arguments.items())
    types = ", ".join(type for _, type in results)
    return (f"func.func private @{name}({header}) -> ({types}) {{\n" + "\n".join(b.lines) +
            f"\n  return {', '.join(value for value, _ in results)} : {types}\n}}\n")


def wanted(case: Case, arrays: dict[str, np.ndarray]):
    q, k, v = (arrays[name].astype(np.float64) for name in ("query", "key", "value"))
    if case.key_heads:
        times = case.query[-3] // case.key_heads
        k, v = np.repeat(k, times, axis=-3), np.repeat(v, times, axis=-3)
    m, n = case.query[-2], case.keys
    lengths = np.broadcast_to(np.clip(arrays.get("lengths", np.int64(n)), 0, n), case.query[0] if len(case.query) > 2 else ())
    lengths = lengths.reshape(lengths.shape + (1,) * (len(case.query) - lengths.ndim))
    i, j = np.arange(m)[:, None], np.arange(n)[None, :]
    at = i + (lengths - m)
    counts = j < lengths
    if case.causal:
        counts = counts & (j <= at)
    if case.window:
        counts = counts & (at - j < case.window)
    v = np.where(np.swapaxes(j < lengths, -1, -2), v, 0)
    with np.errstate(all="ignore"):
        s = 0.25 * (q @ np.swapaxes(k, -1, -2))
        if case.mask == "bool":
            s = np.where(arrays["mask"], s, -np.inf)
        elif case.mask:
            s = s + arrays["mask"]
        s = np.where(counts, s, -np.inf)
        top = s.max(axis=-1)
        if case.sink:
            sink = arrays["sink"].astype(np.float64)[:, None]
            top = np.maximum(top, sink)
        p = np.exp(s - top[..., None])
        total = p.sum(axis=-1) + (np.exp(sink - top) if case.sink else 0)
        p = p / total[..., None]
        logarithm = top + np.log(total)
        if case.zero_nan_rows:
            p = np.where(np.isnan(p), 0, p)
            logarithm = np.where(np.isnan(logarithm), -np.inf, logarithm)
        return [p @ v] + ([logarithm] if case.logarithms else [])


def rounded(array, element):
    if element == "f16":
        return array.astype(np.float16).astype(np.float32)
    if element == "bf16":
        bits = array.astype(np.float32).view(np.uint32)
        return ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return array.astype(np.float32)


def cases():
    plain = dict(query=(2, 3, 21, 16), keys=77, width=24)
    options = [dict(causal=True), dict(window=9), dict(causal=True, window=9), dict(lengths=(40, 7)), dict(lengths=33), dict(sink=True),
               dict(logarithms=True), dict(mask="bool"), dict(mask="float"), dict(causal=True, lengths=(77, 30)),
               dict(causal=True, window=17, lengths=(70, 25), sink=True, logarithms=True)]
    for option in options:
        yield Case(**plain, **option)
        yield Case(query=(2, 6, 5, 8), keys=45, width=8, key_heads=2, **option)
    # Everything with everything.
    for causal, window, lengths, sink, zero in itertools.product([False, True], [0, 6], [None, (19, 40)], [False, True], [False, True]):
        yield Case(query=(2, 4, 13, 8), keys=37, width=5, key_heads=2, mask="bool", causal=causal, window=window, lengths=lengths, sink=sink,
                   zero_nan_rows=zero, logarithms=True)
    # Fewer keys than queries, none at all, more than there are; NaN behind the last.
    yield Case(query=(3, 2, 20, 8), keys=12, width=8, causal=True, logarithms=True)
    yield Case(query=(3, 2, 20, 8), keys=12, width=8, causal=True, logarithms=True, zero_nan_rows=True)
    yield Case(query=(3, 2, 4, 8), keys=12, width=8, lengths=(0, 12, 99), poison=True)
    yield Case(query=(3, 2, 4, 8), keys=12, width=8, lengths=(0, 5, -4), zero_nan_rows=True, logarithms=True, poison=True)
    yield Case(query=(3, 2, 4, 8), keys=12, width=8, lengths=(0, 5, 1), sink=True, logarithms=True, poison=True)
    # One query against a cache, two dimensions.
    yield Case(query=(4, 4, 1, 32), keys=300, width=32, key_heads=2, causal=True, lengths=(300, 1, 77, 290), poison=True)
    yield Case(query=(50, 16), keys=90, width=16, causal=True, window=20, lengths=60, logarithms=True)
    for element, accumulator in [("bf16", ""), ("f16", ""), ("bf16", "f32"), ("f16", "f32")]:
        yield Case(**plain, type=element, accumulator=accumulator, mask="float")
        yield Case(query=(2, 6, 5, 8), keys=45, width=8, key_heads=2, type=element, accumulator=accumulator, causal=True, window=11,
                   lengths=(45, 9), sink=True, logarithms=True)


def inputs_of(case: Case):
    arrays = {"query": RANDOM.standard_normal(case.query), "key": RANDOM.standard_normal(case.key), "value": RANDOM.standard_normal(case.value)}
    arrays = {name: rounded(array, case.type) for name, array in arrays.items()}
    types = {"query": (case.query, case.type), "key": (case.key, case.type), "value": (case.value, case.type)}
    if case.mask == "bool":
        shape = (case.query[-2], case.keys)
        # The second row sees nothing.
        arrays["mask"] = (RANDOM.random(shape) < 0.7) & (np.arange(shape[0])[:, None] != 1)
        types["mask"] = (shape, "i1")
    elif case.mask:
        shape = (case.query[0], 1, 1, case.keys)
        arrays["mask"] = rounded(RANDOM.standard_normal(shape), case.type)
        types["mask"] = (shape, case.type)
    if case.lengths is not None:
        wide = isinstance(case.lengths, int)
        arrays["lengths"] = np.array(case.lengths, np.int64 if wide else np.int32)
        types["lengths"] = (arrays["lengths"].shape, "i64" if wide else "i32")
    if case.sink:
        arrays["sink"] = rounded(RANDOM.standard_normal(case.query[-3]), case.type)
        types["sink"] = (arrays["sink"].shape, case.type)
    if case.poison:
        for row, length in enumerate(np.clip(arrays["lengths"], 0, case.keys)):
            arrays["key"][row, :, length:] = np.nan
            arrays["value"][row, :, length:] = np.nan
    return arrays, types


def program(all_cases):
    """One function of all cases, its inputs, and what numpy computes."""
    functions, body, header, results, result_types, given, answers = [], [], [], [], [], {}, []
    for number, case in enumerate(all_cases):
        arrays, types = inputs_of(case)
        names = []
        for name, array in arrays.items():
            argument = f"arg{len(given)}"
            given[argument] = array
            shape, element = types[name]
            outside = "f32" if element in ("f16", "bf16") else element
            header.append(f"%{argument}: {tensor(shape, outside)}")
            names.append(f"%{argument}")
            if outside != element:
                body.append(f"  %narrow_{argument} = stablehlo.convert %{argument} : ({tensor(shape, outside)}) -> {tensor(shape, element)}")
                names[-1] = f"%narrow_{argument}"
        attributes = ["scale = 0.25 : f32"]
        if len(arrays) > 3:
            attributes.append(f"optional = [{', '.join(f'{chr(34)}{name}{chr(34)}' for name in list(arrays)[3:])}]")
        attributes += [f"{name} = true" for name in ("causal", "zero_nan_rows") if getattr(case, name)]
        if case.window:
            attributes.append(f"window = {case.window} : i64")
        if case.accumulator:
            attributes.append(f"accumulator = {case.accumulator}")
        out = (*case.query[:-1], case.width)
        types_out = [tensor(out, case.type)] + ([tensor(out[:-1], "f32")] if case.logarithms else [])
        functions.append(decomposition(case, f"case{number}", types))
        count = f":{len(types_out)}" if len(types_out) > 1 else ""
        body.append(f"  %case{number}{count} = stablehlo.composite \"heddle.attention\" {', '.join(names)} "
                    f"{{composite_attributes = {{{', '.join(attributes)}}}, decomposition = @case{number}}} : "
                    f"({', '.join(tensor(*type) for type in types.values())}) -> ({', '.join(types_out)})")
        first = f"%case{number}#0" if count else f"%case{number}"
        if case.type != "f32":
            body.append(f"  %wide{number} = stablehlo.convert {first} : ({types_out[0]}) -> {tensor(out, 'f32')}")
            first = f"%wide{number}"
        results += [first] + ([f"%case{number}#1"] if count else [])
        result_types += [tensor(out, "f32")] + types_out[1:]
        answers += [(case, answer) for answer in wanted(case, arrays)]
    text = (f"func.func @main({', '.join(header)}) -> ({', '.join(result_types)}) {{\n" + "\n".join(body) +
            f"\n  return {', '.join(results)} : {', '.join(result_types)}\n}}\n" + "".join(functions))
    return text, given, answers


def differs(case: Case, got, answer):
    if got.shape != answer.shape:
        return f"has the shape {got.shape}, wanted {answer.shape}"
    special = ~np.isfinite(answer)
    if not np.array_equal(got[special], answer[special], equal_nan=True):
        return "has NaN or infinity elsewhere"
    error = np.abs(np.where(special, 0, got) - np.where(special, 0, answer)).max(initial=0)
    # Operands are what they are in the type; what is computed in f32 is rounded once.
    allowed = ALLOWED[case.type] * max(1, np.abs(answer[~special]).max(initial=0))
    return "" if error <= allowed else f"is off by {error:.3g}, allowed {allowed:.3g}"


def count_launches(folder, model, target):
    """How often a program launches a kernel that is a whole attention."""
    subprocess.run(["heddle", "compile", model, "-t", target, "-q", "--stop-after=heddle-dispatch", "--force"], cwd=folder, check=True)
    dump = next(folder.glob("program.heddle-dispatch*.mlir"))
    text = dump.read_text()
    dump.unlink()
    attentions = [re.match(r"[ a-z]*@(\w+)", part)[1] for part in text.split("func.func")[1:] if "kernel.attention" in part]
    return sum(text.count(f"kernel.launch @{name}(") for name in attentions)


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    targets = sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    all_cases = list(cases())
    text, given, answers = program(all_cases)
    model = folder / "program.mlir"
    model.write_text(text)
    np.savez(folder / "inputs.npz", **given)
    failures = passed = 0

    def run(model, target, threads):
        """What is computed compared with what is wanted: failures and successes."""
        artifact, out = folder / "program.heddle", folder / f"out-{model.stem}-{target}-{threads}"
        subprocess.run(["heddle", "compile", model, "-t", target, "-o", artifact, "-q", "--force"], check=True)
        subprocess.run(["heddle", "run", artifact, "--inputs", folder / "inputs.npz", "--threads", threads, "--output", out, "-q"],
                       check=True, stdout=subprocess.DEVNULL)
        files = sorted(out.glob("*.npy"), key=lambda file: int(re.sub(r"\D", "", file.stem) or 0))
        for file, (case, answer) in zip(files, answers, strict=True):
            fault = differs(case, np.load(file).astype(np.float64), answer)
            if fault:
                print(f"failed: {model.stem}, {target}, {threads} threads: {case}: {fault}")
            yield bool(fault)

    for target in targets.split(","):
        kernels = count_launches(folder, model, target)
        count = sum(case.in_kernel for case in all_cases)
        if kernels != count:
            print(f"failed: {target} has {kernels} kernels of attention, wanted {count}")
            failures += 1
        for threads in ("1", "2"):
            faults = list(run(model, target, threads))
            failures += sum(faults)
            passed += len(faults) - sum(faults)
    # A name that nobody knows leaves the decompositions, which these results hold against numpy, too.
    operations = folder / "operations.mlir"
    operations.write_text(model.read_text().replace('"heddle.attention"', '"some.attention"'))
    faults = list(run(operations, target, "2"))
    failures += sum(faults)
    passed += len(faults) - sum(faults)
    print(f"{passed} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
