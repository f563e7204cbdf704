"""A StableHLO program while it is written: values with types, what is known of their magnitude, and the text.

Compositions are compared to the last bit, or to the ULP that the last operation states. That works because every value is one of

- exact: integers (wrapping), booleans, and floats that are whole numbers below a bound which their type holds exactly, so that every
  order of every sum gives the same; operations on exact values track the bound;
- final: results of operations that round. Only operations that move or choose elements take them; their tolerance in ULP stays with them.
"""

import random
from dataclasses import dataclass

import ml_dtypes
import numpy as np

INTS = ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
NUMPY = {"i1": np.bool_, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
         "complex<f32>": np.complex64, "complex<f64>": np.complex128,
         **{f"i{n}": getattr(np, f"int{n}") for n in (8, 16, 32, 64)},
         **{f"ui{n}": getattr(np, f"uint{n}") for n in (8, 16, 32, 64)}}
# Whole numbers up to here are exact.
LIMIT = {"f16": 2**11, "bf16": 2**8, "f32": 2**24, "f64": 2**53, "complex<f32>": 2**24, "complex<f64>": 2**53}


@dataclass(frozen=True)
class Type:
    shape: tuple
    element: str

    def __str__(self):
        return "tensor<" + "".join(f"{d}x" for d in self.shape) + self.element + ">"

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def rank(self):
        return len(self.shape)

    def of(self, element):
        return Type(self.shape, element)

    def shaped(self, shape):
        return Type(tuple(int(d) for d in shape), self.element)


@dataclass
class Value:
    name: str
    type: Type
    # Largest magnitude of exact floats; None for integers.
    bound: float = None
    # Whether operations that round are behind it, and the ULP that this may cost.
    final: bool = False
    ulp: int = 0


class Program:

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.values, self.inputs = [], [], []
        self.counter = 0

    def fresh(self):
        self.counter += 1
        return f"%v{self.counter}"

    def emit(self, text, *types, like=(), bound=None, final=None, ulp=None):
        """Adds an operation with one result per type; `like` are the values whose tolerance the results inherit."""
        name = self.fresh()
        results = name if len(types) == 1 else f"{name}:{len(types)}"
        self.lines.append(f"    {results} = {text}")
        made = []
        for i, type in enumerate(types):
            inherited = max((v.ulp for v in like), default=0)
            value = Value(name if len(types) == 1 else f"{name}#{i}", type,
                          bound if type.element in LIMIT else None,
                          any(v.final for v in like) if final is None else final, inherited if ulp is None else ulp)
            made.append(value)
            self.values.append(value)
        return made[0] if len(made) == 1 else made

    def constant(self, value, type):
        """A splat or list that is part of the program."""
        name = self.fresh()
        self.lines.append(f"    {name} = stablehlo.constant dense<{value}> : {type}")
        return name

    def shape(self, rank=None):
        rank = self.random.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        return tuple(self.random.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 17]) if self.random.random() < 0.97 else 33
                     for _ in range(rank))

    def element(self):
        return self.random.choice(INTS + FLOATS * 3 + COMPLEX + ["i1"])

    def input(self, type):
        """A value that the program gets: whole numbers, so that it is exact."""
        numbers = np.random.default_rng(self.random.getrandbits(32))
        bound = None
        if type.element == "i1":
            data = numbers.integers(0, 2, type.shape).astype(np.bool_)
        elif type.element in LIMIT:
            bound = 4 if LIMIT[type.element] <= 2**11 else 16
            data = numbers.integers(-bound, bound + 1, type.shape)
            if type.element in COMPLEX:
                data = data + 1j * numbers.integers(-bound, bound + 1, type.shape)
                bound *= 2
            data = data.astype(NUMPY[type.element])
        else:
            info = np.iinfo(NUMPY[type.element])
            low, high = (info.min, info.max) if self.random.random() < 0.5 else (max(info.min, -9), 9)
            data = numbers.integers(low, high, type.shape, dtype=NUMPY[type.element], endpoint=True)
        value = Value(self.fresh(), type, bound)
        self.inputs.append((value, np.asarray(data)))
        self.values.append(value)
        return value

    def pick(self, wanted=lambda value: True):
        """A value that there is, or None."""
        candidates = [value for value in self.values if wanted(value)]
        return self.random.choice(candidates) if candidates else None

    def pick_or_input(self, type, wanted=lambda value: True):
        if self.random.random() < 0.7:
            found = self.pick(lambda v: v.type == type and wanted(v))
            if found:
                return found
        return self.input(type)

    # The text, once for an evaluator that takes arguments, once as a program that checks itself.

    def results(self):
        return [value for value in self.values if all(value is not given for given, _ in self.inputs)]

    def with_arguments(self):
        arguments = ", ".join(f"{value.name}: {value.type}" for value, _ in self.inputs)
        results = self.results()
        types = ", ".join(str(value.type) for value in results)
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *self.lines,
                          f"    return {', '.join(v.name for v in results)} : {types}", "}"])

    def checking(self, expected):
        """The program with checks of its results against arrays."""
        results = self.results()
        lines = ["func.func @main() {"]
        types = [str(value.type) for value, _ in self.inputs]
        if self.inputs:
            names = [value.name for value, _ in self.inputs]
            lines.append(f"    %in:{len(names)} = call @inputs() : () -> ({', '.join(types)})")
            rename = {name: f"%in#{i}" for i, name in enumerate(names)}
        body = []
        for line in self.lines:
            for name in sorted(rename, key=len, reverse=True):
                line = replace_name(line, name, rename[name])
            body.append(line)
        lines += body
        lines.append(f"    %want:{len(results)} = call @expected() : () -> ({', '.join(str(v.type) for v in results)})")
        for i, value in enumerate(results):
            name = rename.get(value.name, value.name)
            if value.type.element in LIMIT and value.final:
                lines.append(f'    "check.expect_close"({name}, %want#{i}) {{max_ulp_difference = {value.ulp} : i64}} : ({value.type}, {value.type}) -> ()')
            else:
                lines.append(f'    "check.expect_eq"({name}, %want#{i}) : ({value.type}, {value.type}) -> ()')
        lines += ["    return", "}"]
        lines += function("inputs", [(value.type, data) for value, data in self.inputs])
        lines += function("expected", [(value.type, data) for value, data in zip(results, expected)])
        return "\n".join(lines) + "\n"


def replace_name(line, name, other):
    import re
    return re.sub(re.escape(name) + r"(?![0-9#])", other, line)


def function(name, tensors):
    types = ", ".join(str(type) for type, _ in tensors)
    lines = [f"func.func private @{name}() -> ({types}) {{"]
    for i, (type, data) in enumerate(tensors):
        lines.append(f"  %{i} = stablehlo.constant dense<{literal(type, data)}> : {type}")
    names = ", ".join(f"%{i}" for i in range(len(tensors)))
    return lines + [f"  return {names} : {types}", "}"]


def literal(type, data):
    data = np.asarray(data).reshape(type.shape)
    if type.size == 0:
        return ""
    if type.element == "i1":
        def nested(array):
            return str(bool(array)).lower() if array.ndim == 0 else "[" + ", ".join(nested(part) for part in array) + "]"
        return nested(data)
    return '"0x' + np.ascontiguousarray(data).tobytes().hex().upper() + '"'
