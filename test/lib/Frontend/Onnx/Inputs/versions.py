"""Compares the operator sets that heddle lists for each operator (on standard input) with the definitions of the onnx package."""
import sys
from onnx import defs

FIRST, LAST = 7, 28
known = {}
for schema in defs.get_all_schemas_with_history():
    if schema.domain == "" and schema.since_version <= LAST:
        known.setdefault(schema.name, set()).add(schema.since_version)

# What onnxruntime's optimizer writes into the default domain, though ONNX has it later or never.
known["LayerNormalization"].add(1)
known["SimplifiedLayerNormalization"] = {1}

wrong, count = 0, 0
for line in sys.stdin:
    name, *versions = line.split()
    if "." in name:
        continue
    since = known.get(name, set())
    # What is in force at the first operator set, and every change after it.
    expected = {v for v in since if v > FIRST} | {max((v for v in since if v <= FIRST), default=0)} - {0}
    count += 1
    if {int(v) for v in versions} != expected:
        wrong += 1
        print(f"{name}: listed {sorted(map(int, versions))}, defined {sorted(expected)}")
print(f"{count} operators, {wrong} wrong")
sys.exit(1 if wrong or count < 150 else 0)
