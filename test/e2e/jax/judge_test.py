"""Checks suite.judge by outputs that are right and wrong."""

import numpy as np

from suite import judge

INF, NAN = np.inf, np.nan


def verdict(our, their, exact, dtype=np.float32) -> str:
    our, their = (np.array([value], dtype) for value in (our, their))
    reason, ratio = judge(our, their, np.array([exact], np.float64 if dtype == np.float32 else dtype))
    assert bool(reason) == (not ratio <= 1), (reason, ratio)
    return "wrong" if reason else "right"


def check(wanted: str, *outputs, **options) -> None:
    found = verdict(*outputs, **options)
    assert found == wanted, (wanted, outputs, found)


check("right", [1, 2, 3], [1, 2, 3], [1, 2, 3])
check("right", [1, 2, 3 + 5e-7], [1, 2, 3], [1, 2, 3])
check("wrong", [1, 2, 3.001], [1, 2, 3], [1, 2, 3])
# jax's own error allows ten times as much.
check("right", [1, 2, 3.001], [1, 2, 3.0002], [1, 2, 3])
# The same kind of number wherever jax and the double agree.
check("right", [INF, NAN, -INF], [INF, NAN, -INF], [INF, NAN, -INF])
for other in ([-INF, NAN, -INF], [INF, 0, -INF], [INF, NAN, 1e38], [NAN, NAN, -INF]):
    check("wrong", other, [INF, NAN, -INF], [INF, NAN, -INF])
# Single precision overflows: jax's infinity is right, and so is the number.
check("right", [INF, 1], [INF, 1], [5e38, 1])
check("right", [3e38, 1], [INF, 1], [3e38, 1])
check("wrong", [1, 1], [INF, 1], [3e38, 1])
check("wrong", [NAN, 1], [INF, 1], [3e38, 1])
check("wrong", [-INF, 1], [INF, 1], [3e38, 1])
# One such element says nothing of the others.
check("wrong", [INF, 1, 7], [INF, 1, 2], [5e3, 1, 2])
check("wrong", [INF, NAN, 2], [INF, 1, 2], [5e3, 1, 2])
# jax is finite where the double is not.
check("right", [1e30, 1], [1e30, 1], [INF, 1])
check("wrong", [1e29, 1], [1e30, 1], [INF, 1])
check("right", [INF, 1], [1e30, 1], [INF, 1])
check("wrong", [NAN, 1], [1e30, 1], [INF, 1])
check("right", [], [], [])
check("right", [1, 2], [1, 2], [1, 2], dtype=np.int32)
check("wrong", [1, 3], [1, 2], [1, 2], dtype=np.int32)
