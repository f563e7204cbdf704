"""Processes that run a program together, each with its own parts."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import heddle
from test_ranks import LAYERS, V, W, X, Y

# What each process does: x has five rows, and parts of three.
WORKER = """
import sys
import numpy as np
import heddle
path, arrays, wrong = sys.argv[1], np.load(sys.argv[2]), sys.argv[3]
with heddle.Group() as group:
    model = heddle.load(path, threads=1, group=group)
    assert group.count == model.ranks == 4
    given = {}
    for info in model.inputs:
        piece = arrays[info.name][model.part(info.name, group.rank)]
        given[info.name] = np.zeros(info.part, np.float32)
        given[info.name][tuple(map(slice, piece.shape))] = piece
    if wrong == "shape" and group.rank == 2:
        given["x"] = given["x"][:1]
    if wrong == "raises" and group.rank == 2:
        raise SystemExit(5)
    for _ in range(2):
        y = model(**given)["y"]
    assert list(y.shape) == model.outputs[0].part
    where = model.part("y", group.rank)
    expected = arrays["y"][where]
    np.testing.assert_allclose(y[tuple(map(slice, expected.shape))], expected, rtol=1e-5, atol=1e-6)
    for wanted, call in ("own part alone", lambda: model(heddle.Parts([given["x"]] * 4), given["w"], given["v"])), \\
            ("its own part alone", lambda: model(**given, parts=["y"])), ("cannot be submitted", lambda: model.submit(**given)):
        try:
            call()
        except (TypeError, ValueError) as error:
            assert wanted in str(error), error
        else:
            raise AssertionError(wanted)
print("is done")
"""


def run(tmp_path, wrong=""):
    """The exit code, and what four processes print."""
    path = heddle.compile(LAYERS.encode(), tmp_path / "layers.heddle", mesh={"data": 2, "model": 2})
    np.savez(tmp_path / "arrays.npz", x=X, w=W, v=V, y=Y)
    launch = pathlib.Path(__file__).parents[2] / "test" / "launch.py"
    result = subprocess.run([sys.executable, launch, "4", sys.executable, "-c", WORKER, path, tmp_path / "arrays.npz", wrong], env=os.environ,
                            text=True, capture_output=True)
    return result.returncode, result.stdout


def test_own_parts(tmp_path):
    code, text = run(tmp_path)
    assert code == 0 and text.count("is done") == 4, text


def test_one_process_with_another_shape(tmp_path):
    code, text = run(tmp_path, "shape")
    # Rank 3 sums with it; the other two have all that they need, and may have gone on.
    assert code == 1 and text.count("HeddleError: rank 2: input 'x' has shape") >= 2, text


def test_one_process_that_raises(tmp_path):
    code, text = run(tmp_path, "raises")
    assert code == 5 and text.count("HeddleError: rank 2 failed: its process ") >= 1, text


def test_what_is_no_group():
    with pytest.raises(heddle.HeddleError, match="there are no groups of engine 'pigeons'; there are: mpi, tcp"):
        heddle.Group("pigeons")
