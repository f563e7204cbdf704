"""Reads the document of `heddle bench --vs --json` and computes each ratio and its interval again, from the times of the rounds."""

import json
import sys

import numpy as np

document = json.load(sys.stdin)
own = np.array(document["round_seconds"])
for peer in document["peers"]:
    other = np.array(peer["round_seconds"])
    assert len(own) == len(other) >= 30 and (own > 0).all() and (other > 0).all(), (len(own), len(other))
    logarithms = np.log(own / other)
    half = 1.96 * logarithms.std(ddof=1) / np.sqrt(len(logarithms))
    expected = np.exp(logarithms.mean() + half * np.array([-1, 0, 1]))
    np.testing.assert_allclose([peer["ratio_low"], peer["ratio"], peer["ratio_high"]], expected, rtol=1e-9)
    assert peer["p50_seconds"] in other
    print(peer["name"], peer["version"], "agrees")
