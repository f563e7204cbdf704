"""The process that files are tried in: one for all compilations, made anew where it is gone, and not shared with a forked child."""

import os
import pathlib
import signal

import pytest

import heddle

# An alias that is no location's is more than plain text: it is tried.
PROGRAM = """
#two = dense<2.0> : tensor<3xf32>
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.constant #two
  %1 = stablehlo.multiply %x, %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}"""


def parsers():
    found = []
    for task in pathlib.Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            try:
                if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "heddle-parse":
                    found.append(int(child))
            except FileNotFoundError:
                pass
    return found


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "tried.mlir"
    path.write_text(PROGRAM)
    return path


def test_one_is_kept(model):
    for _ in range(3):
        heddle.compile(model, model.with_suffix(".heddle"))
    first = parsers()
    assert len(first) == 1
    heddle.compile(model, model.with_suffix(".heddle"))
    assert parsers() == first


def test_one_that_died_is_replaced(model):
    heddle.compile(model, model.with_suffix(".heddle"))
    [first] = parsers()
    os.kill(first, signal.SIGKILL)
    heddle.compile(model, model.with_suffix(".heddle"))
    [second] = parsers()
    assert second != first


def test_a_forked_child_has_its_own(model):
    heddle.compile(model, model.with_suffix(".heddle"))
    before = parsers()
    child = os.fork()
    if child == 0:
        try:
            heddle.compile(model, model.with_suffix(".child.heddle"))
            os._exit(0 if len(parsers()) == 1 and parsers() != before else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parsers() == before
    heddle.compile(model, model.with_suffix(".heddle"))
    assert parsers() == before
