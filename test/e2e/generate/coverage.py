"""Which operations of which types a set of programs holds, and which operations there are."""

import collections
import pathlib
import re

# Operations of the dialects that no generated program holds, and why.
LEFT_OUT = {
    "stablehlo.infeed": "needs a host that feeds",
    "stablehlo.outfeed": "needs a host that takes",
    "stablehlo.send": "needs another process",
    "stablehlo.recv": "needs another process",
    "chlo.scan": "interpreted only; what JAX writes is a composite",
    "stablehlo.unary_einsum": "neither heddle nor jaxlib compiles it",
    # What JAX never writes; broadcasts.mlir has each.
    **{
        f"chlo.{name}": "broadcasts, or needs no operation of its own"
        for name in (
            "broadcast_add", "broadcast_and", "broadcast_atan2", "broadcast_divide", "broadcast_maximum", "broadcast_minimum",
            "broadcast_multiply", "broadcast_next_after", "broadcast_or", "broadcast_polygamma", "broadcast_power", "broadcast_remainder",
            "broadcast_shift_left", "broadcast_shift_right_arithmetic", "broadcast_shift_right_logical", "broadcast_subtract", "broadcast_xor", "broadcast_zeta",
            "broadcast_complex", "broadcast_compare", "broadcast_select", "is_inf", "is_neg_inf", "is_pos_inf",
            "constant", "constant_like")
    },
}


def dialect_operations(root):
    """The operations that the dialects' definitions hold."""
    found = set()
    for dialect, name in [("StableHlo", "stablehlo"), ("Chlo", "chlo")]:
        for path in sorted((pathlib.Path(root) / "dialects" / dialect).glob("*Ops.td")):
            for mnemonic in re.findall(r"^def \w+Op\s*:\s*\w+<(?:\w+,\s*)?\"(\w+)\"", path.read_text(), re.M):
                found.add(f"{name}.{mnemonic}")
    return found


def count(text, counts=None):
    """How often each operation has a result (or an only operand) of each element type."""
    counts = collections.Counter() if counts is None else counts
    for line in text.splitlines():
        found = re.findall(r"(?<![#.\w])(?:stablehlo|chlo)\.[a-z_0-9]+", line)
        if not found:
            continue
        types = re.findall(r"tensor<(?:[\d?]+x)*([a-zA-Z][\w<>]*?(?:<[^<>]*>)?)(?:, #[^>]*>)?>", line) or re.findall(r"!quant", line) or ["-"]
        counts[found[0], "quantized" if "!quant" in line else types[-1]] += 1
    return counts


def table(counts):
    operations = collections.defaultdict(dict)
    for (operation, element), number in counts.items():
        operations[operation][element] = number
    for operation in sorted(operations):
        yield f"{operation}: " + ", ".join(f"{element} {number}" for element, number in sorted(operations[operation].items()))
