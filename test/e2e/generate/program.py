"""A StableHLO program while it is written: values with types, what is known of their magnitude, and the text.

Compositions are compared to the last bit, or within what the last operation states. That works because every value is one of

- exact: integers (wrapping), booleans, and floats that are whole numbers below a bound which their type holds exactly, so that every
  order of every sum gives the same; operations on exact values track the bound;
- final: results of operations that round. Only operations that move or choose elements take them; their tolerance stays with them;
- known: what numpy computes from inputs, for what jaxlib does not do as the specification says (denormals, f6, quantized types). jaxlib
  gets it as an argument.
"""

import random
import re
from dataclasses import dataclass

import numpy as np

from elements import BITS, COMPLEX, FLOATS, INTS, LIMIT, NARROW, NUMPY, SMALL_INTS, is_integer, literal, whole_numbers


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
    # Whether operations that round are behind it, and what that may cost: ULP, or a part of the tensor's largest magnitude.
    final: bool = False
    ulp: int = 0
    near: float = 0
    # What numpy makes of it, for known values and inputs.
    data: np.ndarray = None
    # Zeros' signs count.
    strict: bool = False
    # A magnitude that `near` is a part of where all of the tensor is smaller: that of the terms of a sum that cancels.
    terms: float = 1e-30


@dataclass
class Step:
    """An operation: its text, what jaxlib gets in its place (None: nothing), what it makes, and what the interpreter gets in its place."""
    text: str
    oracle: str
    values: list
    interpreted: str = None


class Program:

    def __init__(self, seed, elements=None, narrow=0.15):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(self.random.getrandbits(32))
        self.steps, self.values, self.inputs, self.functions = [], [], [], []
        self.elements = elements or set(NUMPY)
        # How often a new value has elements of a byte or less.
        self.narrow = narrow
        self.counter = 0

    def fresh(self):
        self.counter += 1
        return f"%v{self.counter}"

    def emit(self, text, *types, like=(), bound=None, final=None, ulp=None, near=None, oracle=None, interpreted=None):
        """Adds an operation with one result per type; `like` are the values whose tolerance the results inherit."""
        name = self.fresh()
        results = name if len(types) == 1 else f"{name}:{len(types)}"
        made = [
            Value(name if len(types) == 1 else f"{name}#{i}", type, bound if type.element in LIMIT else None,
                  any(v.final for v in like) if final is None else final,
                  max((v.ulp for v in like), default=0) if ulp is None else ulp,
                  max((v.near for v in like), default=0) if near is None else near) for i, type in enumerate(types)]
        self.steps.append(Step(f"    {results} = {text}", f"    {results} = {oracle or text}", made,
                               interpreted and f"    {results} = {interpreted}"))
        self.values += made
        return made[0] if len(made) == 1 else made

    def emit_known(self, text, type, data, ulp=0, near=0, strict=False):
        """An operation whose result numpy knows. Nothing else takes it, except what knows it too."""
        value = Value(self.fresh(), type, None, True, ulp, near, np.asarray(data), strict)
        self.steps.append(Step(f"    {value.name} = {text}", None, [value]))
        return value

    def emit_text(self, text, known=False, several=1):
        """A part of what is compared later: constants, tokens, values of other types. jaxlib does not see what is known. Gives the name."""
        name = self.fresh()
        line = f"    {name}{f':{several}' if several > 1 else ''} = {text}"
        self.steps.append(Step(line, None if known else line, []))
        return name

    def constant(self, value, type):
        """A splat or list that is part of the program."""
        return self.emit_text(f"stablehlo.constant dense<{value}> : {type}")

    def function(self, arguments, results, body):
        """A private function beside @main; gives its name. The body names its arguments %a0, %a1, ..."""
        name = f"f{len(self.functions)}"
        header = ", ".join(f"%a{i}: {type}" for i, type in enumerate(arguments))
        self.functions.append(f"func.func private @{name}({header}) -> ({', '.join(map(str, results))}) {{\n{body}\n}}")
        return name

    def shape(self, rank=None):
        rank = self.random.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        return tuple(self.random.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 9, 17]) for _ in range(rank))

    def element(self):
        chosen = self.random.choice(INTS + FLOATS + FLOATS + COMPLEX + ["i1"])
        if self.random.random() < self.narrow:
            chosen = self.random.choice([e for e in SMALL_INTS + NARROW if e in self.elements and e != "f8E8M0FNU"] or [chosen])
        return chosen

    def input(self, type, data=None):
        """A new argument of @main; without data whole numbers, floats and complex with some bound."""
        bound = None
        if data is None:
            data, bound = whole_numbers(self.numbers, self.random, type)
        value = Value(self.fresh(), type, bound, data=np.asarray(data, NUMPY[type.element]))
        self.inputs.append(value)
        if bound is not None or type.element not in LIMIT:
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
        return [value for step in self.steps for value in step.values]

    def for_oracle(self):
        """The text that jaxlib evaluates, its arguments' data, and which results it gives."""
        known = [value for value in self.results() if value.data is not None]
        given = self.inputs + known
        arguments = ", ".join(f"{value.name}: {value.type}" for value in given if jaxlib_has(value.type))
        results = [value for value in self.results() if value.data is None]
        types = ", ".join(str(value.type) for value in results)
        body, names = [], {}
        for step in self.steps:
            if not step.oracle or any(value.data is not None for value in step.values):
                continue
            body.append(renamed(step.oracle, names))
            # jaxlib's simplifier is wrong about some neighbours: a slice whose start is clamped to that of another, functions of constants.
            for value in step.values:
                names[value.name] = f"%b{len(names)}"
                body.append(f"    {names[value.name]} = stablehlo.optimization_barrier {value.name} : {value.type}")
        text = "\n".join([f"func.func @main({arguments}) -> ({types}) {{", *body,
                          f"    return {', '.join(names[v.name] for v in results)} : {types}" if results else "    return", "}", *self.functions])
        return text, [value.data for value in given if jaxlib_has(value.type)], results

    def checking(self, expected, how=(), steps=None, inputs=None):
        """The program with checks of its results against arrays, by name; or of some of its steps, with more inputs. `how` it is run."""
        steps = self.steps if steps is None else steps
        inputs = self.inputs if inputs is None else inputs
        rename, lines = {}, []
        types = ", ".join(str(value.type) for value in inputs)
        if inputs:
            lines.append(f"    %in:{len(inputs)} = call @inputs() : () -> ({types})")
            rename = {value.name: f"%in#{i}" for i, value in enumerate(inputs)}
        lines += [renamed(step.interpreted or step.text if "--interpret" in how else step.text, rename) for step in steps]
        results = [value for step in steps for value in step.values if value.name in expected]
        lines.append(f"    %want:{len(results)} = call @expected() : () -> ({', '.join(str(v.type) for v in results)})")
        for i, value in enumerate(results):
            lines += check(value, f"%want#{i}", f"%bits{i}", np.asarray(expected[value.name]))
        functions = [text for i, text in enumerate(self.functions) if any(f"@f{i}" in line for line in [*lines, *self.functions[i + 1:]])]
        return "\n".join(["func.func @main() {", *lines, "    return", "}"] +
                         constants("inputs", [(value.type, value.data) for value in inputs]) +
                         constants("expected", [(value.type, expected[value.name]) for value in results]) + functions) + "\n"


    def whole_results(self):
        return [value for value in self.results() if not value.final and value.type.element not in LIMIT]

    def unchecked(self):
        """The program with what is exact as results, for a comparison of two ways to run it: most whole numbers are arguments, the others,
        and floats, whose values must be known, constants."""
        wanted = self.whole_results()
        lines, arguments, names = [], [], {}
        for value in self.inputs:
            names[value.name] = f"%in{len(names)}"
            if is_integer(value.type.element) and self.random.random() < 0.7:
                arguments.append(f"{names[value.name]}: {value.type}")
            else:
                data = literal(value.type, value.data)
                lines.append(f"    {names[value.name]} = stablehlo.constant dense<{data}> : {value.type}")
        lines += [renamed(step.text, names) for step in self.steps]
        types = ", ".join(str(value.type) for value in wanted)
        results = f"{', '.join(value.name for value in wanted)} : {types}"
        return "\n".join([f"func.func @main({', '.join(arguments)}) -> ({types}) {{", *lines, f"    return {results}", "}", *self.functions]) + "\n"


def jaxlib_has(type):
    return not type.element.startswith("f6E")


def renamed(text, names):
    return re.sub(r"%v\d+(#\d+)?", lambda match: names.get(match.group(), match.group()), text)


def check(value, wanted, bits, expected):
    """The lines that compare a value."""
    pair = f"({value.name}, {wanted})"
    types = f"({value.type}, {value.type}) -> ()"
    if value.final and value.near:
        finite = np.abs(expected[np.isfinite(expected)])
        tolerance = value.near * float(np.max(finite, initial=value.terms))
        return [f'    "check.expect_almost_eq"{pair} {{tolerance = {tolerance:e} : f64}} : {types}']
    if value.final and value.ulp and value.type.element in LIMIT:
        return [f'    "check.expect_close"{pair} {{max_ulp_difference = {value.ulp} : i64}} : {types}']
    if value.strict and value.type.element in ("f16", "bf16", "f32", "f64") and not np.isnan(expected.astype(np.float64)).any():
        integer = value.type.of(f"i{BITS[value.type.element]}")
        return [f"    {bits} = stablehlo.bitcast_convert {value.name} : ({value.type}) -> {integer}",
                f"    {bits}w = stablehlo.bitcast_convert {wanted} : ({value.type}) -> {integer}",
                f'    "check.expect_eq"({bits}, {bits}w) : ({integer}, {integer}) -> ()']
    return [f'    "check.expect_eq"{pair} : {types}']


def constants(name, tensors):
    types = ", ".join(str(type) for type, _ in tensors)
    lines = [f"func.func private @{name}() -> ({types}) {{"]
    for i, (type, data) in enumerate(tensors):
        lines.append(f"  %{i} = stablehlo.constant dense<{literal(type, data)}> : {type}")
    names = ", ".join(f"%{i}" for i in range(len(tensors)))
    return lines + [f"  return {names} : {types}" if names else "  return", "}"]
