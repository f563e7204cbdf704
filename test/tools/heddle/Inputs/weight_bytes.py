"""Prints how the bytes of weights are divided among targets: heddle inspect --json FILE | weight_bytes.py"""

import json
import sys

artifact = json.load(sys.stdin)
targets = artifact["targets"]
total = artifact["weight_bytes"]
assert total > 0 and total == sum(weight["bytes"] for weight in artifact["weights"])
print("shared:", artifact["shared_weight_bytes"])
print("all shared:", artifact["shared_weight_bytes"] == total and all(target["weight_bytes"] == total for target in targets))
print("own:", [target["own_weight_bytes"] for target in targets])
print("all own:", all(target["own_weight_bytes"] == total for target in targets))
