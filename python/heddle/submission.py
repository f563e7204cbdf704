"""Calls that nobody waits for."""

from __future__ import annotations

import atexit
import math
import numbers
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from heddle import _runtime


def seconds(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if not isinstance(timeout, numbers.Real) or not timeout >= 0:
        raise ValueError(f"timeout is {timeout!r}; seconds from 0, or None, are wanted")
    # Longer than any call: about 30 years.
    return min(float(timeout), 1e9)


def truly_sized(results: dict[str, Any], shapes: list[list[int]]) -> dict[str, Any]:
    """The results as far as `shapes` say, of which there are none where the program computes no sizes. What is true comes first in the memory."""
    return {name: _first(value, shape) for (name, value), shape in zip(results.items(), shapes)} if shapes else results


def _first(value: Any, shape: list[int]) -> Any:
    if not isinstance(value, np.ndarray) or list(value.shape) == shape:
        return value
    return value.reshape(-1)[: math.prod(shape)].reshape(shape)


# Contexts that calls were submitted to.
_contexts: weakref.WeakSet[_runtime.Context] = weakref.WeakSet()
# The threads that run them are the parent's.
os.register_at_fork(after_in_child=_contexts.clear)


def will_finish(context: _runtime.Context) -> None:
    """Its calls are done before the interpreter ends: a function of Python's that they call cannot run once it is ending."""
    _contexts.add(context)


@atexit.register
def _finish() -> None:
    for context in list(_contexts):
        # In pieces, for Ctrl-C.
        while not context.finish(0.1):
            pass
    while not _runtime.finish_left(0.1):
        pass


class Submission:
    """A call that was submitted; Model.submit gives it."""

    def __init__(self, native: _runtime.Submission, results: dict[str, Any]):
        self.native, self._results = native, results

    def done(self) -> bool:
        """Whether the call is over, well or not."""
        return self.native.done()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it is over; False if so many seconds pass before."""
        return self.native.wait(seconds(timeout))

    def result(self, timeout: float | None = None) -> dict[str, Any]:
        """The arrays of the outputs by name, when the call is over; what it failed with is raised. TimeoutError if so many seconds pass before."""
        if not self.wait(timeout):
            raise TimeoutError("the call is not done, and goes on")
        self.native.check()
        return truly_sized(self._results, self.native.shapes())

    def cancel(self) -> None:
        """Ends the call soon; it then fails with HDL-0816."""
        self.native.cancel()

    def add_done_callback(self, function: Callable[[Submission], Any]) -> None:
        """Calls `function` with this object when the call is over, on a thread of its own; at once if it is over already."""
        if not callable(function):
            raise TypeError(f"a callback is a {type(function).__qualname__}; a function is wanted")
        if self.done():
            function(self)
            return

        def follow() -> None:
            self.wait()
            function(self)

        # The interpreter waits for it before it ends.
        threading.Thread(target=follow, name="heddle-callback").start()
