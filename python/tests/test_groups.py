"""Processes that run a program together, each with its own parts."""

import os
import pathlib
import re
import socket
import subprocess
import sys

import numpy as np
import pytest

import heddle
from test_ranks import LAYERS, V, W, X, Y

# What each process does: x has five rows, and parts of three.
WORKER = """
import pathlib
import sys
import numpy as np
import heddle
path, arrays, wrong = sys.argv[1], np.load(sys.argv[2]), sys.argv[3]
given = dict(rank=int(sys.argv[4]), count=4, rendezvous=sys.argv[5], secret_file=pathlib.Path(sys.argv[6])) if len(sys.argv) > 4 else {}
with heddle.Group(**given) as group:
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


def test_what_is_given_comes_before_variables(tmp_path):
    path = heddle.compile(LAYERS.encode(), tmp_path / "layers.heddle", mesh={"data": 2, "model": 2})
    np.savez(tmp_path / "arrays.npz", x=X, w=W, v=V, y=Y)
    secret = tmp_path / "secret.txt"
    secret.touch(mode=0o600)
    secret.write_text("0123456789abcdef")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    wrong = dict(os.environ, RANK="9", WORLD_SIZE="none", HEDDLE_RENDEZVOUS="there", HEDDLE_SECRET="short")
    ranks = [subprocess.Popen([sys.executable, "-c", WORKER, path, tmp_path / "arrays.npz", "", str(rank), place, secret], env=wrong, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for rank in range(4)]
    for rank in ranks:
        text = rank.communicate(timeout=240)[0]
        assert rank.returncode == 0 and "is done" in text, text


@pytest.mark.parametrize("given, message", [
    (dict(rank=4, count=4), "rank is 4, and should be a number from 0 to 3"),
    (dict(rank=-1, count=4), "rank is -1, and should be a number from 0 to 3"),
    (dict(rank=0, count=0), "count is 0, and should be a number from 1 to 1048576"),
    (dict(rank=1), "of rank and count only rank is given"),
    (dict(count=4), "of rank and count only count is given"),
    (dict(rank=1, count=4, rendezvous="::1"), "rendezvous is '::1', and should be HOST:PORT, as 127.0.0.1:29500 or "),
    (dict(rank=1, count=4, rendezvous="127.0.0.1:1", secret_file="none.txt"), "rank 1: secret_file: the secret in none.txt: No such file or directory"),
    (dict(engine="mpi", rank=0, count=1), "rank, count, rendezvous and secret_file are of the engine tcp"),
])
def test_what_is_given_wrong_is_named(given, message):
    with pytest.raises(heddle.HeddleError, match=re.escape(message)):
        heddle.Group(**given)


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
