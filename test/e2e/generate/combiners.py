"""Regions that combine two elements in any order and grouping."""

from elements import BITS, COMPLEX, FLOATS, LIMIT, NARROW, integer_range, is_signed
from picks import is_int
from program import Type

COMBINE = {"add": lambda e: True, "maximum": lambda e: e not in COMPLEX, "minimum": lambda e: e not in COMPLEX,
           "and": lambda e: e not in LIMIT, "or": lambda e: e not in LIMIT, "xor": lambda e: e not in LIMIT, "multiply": is_int}


def combiner(p, element, overwrite=False, plain=False):
    """A name and the region; the same in other words sometimes, but where it must be plain."""
    names = sorted(name for name, holds in COMBINE.items() if holds(element))
    name = p.random.choice(names + (["overwrite"] if overwrite else []))
    t = f"tensor<{element}>"
    lines = [f"%c = stablehlo.{name} %a, %b : {t}"]
    if name == "overwrite":
        lines = [f"%c = stablehlo.optimization_barrier %b : {t}"] if p.random.random() < 0.3 else []
    elif plain:
        pass
    elif name in ("maximum", "minimum") and element not in FLOATS + NARROW and p.random.random() < 0.4:
        kind = "SIGNED" if is_signed(element) else "UNSIGNED"
        lines = [f"%m = stablehlo.compare {'GT' if name == 'maximum' else 'LT'}, %a, %b, {kind} : ({t}, {t}) -> tensor<i1>",
                 f"%c = stablehlo.select %m, %a, %b : tensor<i1>, {t}"]
    elif p.random.random() < 0.3 and element not in COMPLEX and element != "i1":
        lines = [f"%m = stablehlo.{name} %b, %a : {t}", f"%n = stablehlo.negate %m : {t}" if not element.startswith("u") else
                 f"%n = stablehlo.add %m, %m : {t}", f"%c = stablehlo.{name} %a, %b : {t}"]
    result = "%c" if lines else "%b"
    body = "".join(f"\n      {line}" for line in lines)
    return name, f"({{\n    ^bb0(%a: {t}, %b: {t}):{body}\n      stablehlo.return {result} : {t}\n    }})"


def neutral_text(name, element):
    if name in ("add", "or", "xor"):
        return "false" if element == "i1" else "(0.0, 0.0)" if element in COMPLEX else "0.0" if element in LIMIT else "0"
    if element == "i1":
        return "false" if name == "maximum" else "true"
    if name == "multiply":
        return "1"
    if is_int(element):
        low, high = integer_range(element)
        return str({"and": -1 if is_signed(element) else high, "minimum": high, "maximum": low}[name])
    if element in NARROW:
        return f"{'-' if name == 'maximum' else ''}{LIMIT[element]}.0"
    width = BITS[element]
    infinity = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}[element]
    return f"0x{infinity | (1 << (width - 1) if name == 'maximum' else 0):0{width // 4}X}"


def neutral(p, name, element):
    """The value that a reduction may start from any number of times."""
    return p.constant(neutral_text(name, element), Type((), element))


def combined(name, x, before, count):
    """The bound of what a region makes of `count` elements of x."""
    if x.bound is None:
        return None
    return before + x.bound * max(count, 1) if name == "add" else max(x.bound, before)
