"""Counts the identities of the kernels of two artifacts, as `inspect --json` tells them."""

import json
import re
import sys


def identities(path: str) -> list[list[str]]:
    with open(path) as file:
        return [[kernel["identity"] for kernel in target["kernels"]] for target in json.load(file)["targets"]]


one, two = (identities(path) for path in sys.argv[1:])
every = [identity for target in one for identity in target]
assert all(re.fullmatch("[0-9a-f]{32}", identity) for identity in every), every
print(f"{len(one[0])} kernels, {len(set(every))} identities, {'equal in both' if one == two else 'different'}")
