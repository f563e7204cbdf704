"""Sizes: what a model says of them, which are given with a call, what is refused."""

import os

import numpy as np
import onnx.parser
import pytest

import heddle


@pytest.fixture
def solved():
    """sum = left + right of an even number of rows; a mask of 3 * past + rows + 1 tells past, the call gives limit, which is to be past."""
    return heddle.load(os.path.join(os.environ["HEDDLE_TEST_MODELS"], "solved.heddle"))


def arguments(rows, past):
    return np.arange(rows * 4, dtype=np.float32).reshape(rows, 4), np.full((rows, 4), 2, np.float32), np.zeros(3 * past + rows + 1, np.int8)


def test_what_a_model_says(solved):
    assert [repr(size) for size in solved.sizes] == ["rows: 2..64, multiples of 2", "past: 0..8", "limit: 0..9"]
    rows = solved.sizes[0]
    assert (rows.name, rows.minimum, rows.maximum, rows.multiple) == ("rows", 2, 64, 2)
    assert solved.given_sizes == ["limit"] and solved.assumptions == ["past = limit", "past <= 4"]


def test_arena_by_sizes(solved):
    assert 0 <= solved.arena_bytes({"rows": 2}) <= solved.arena_bytes()
    with pytest.raises(TypeError, match="there is no size 'columns'"):
        solved.arena_bytes({"columns": 2})
    with pytest.raises(heddle.HeddleError, match="'rows' must be from 2 to 64"):
        solved.arena_bytes({"rows": 66})


def test_sizes_are_given(solved):
    for rows, past in ((2, 0), (6, 3), (64, 4)):
        given = arguments(rows, past)
        np.testing.assert_array_equal(solved(*given, sizes={"limit": past})["sum"], given[0] + 2)
        np.testing.assert_array_equal(solved.submit(*given, sizes={"limit": past}).result()["sum"], given[0] + 2)
    # What inputs tell may be given, too.
    assert solved(*arguments(6, 3), sizes={"limit": 3, "past": 3, "rows": 6})["sum"].shape == (6, 4)


@pytest.mark.parametrize("rows, past, sizes, message", [
    (6, 3, {"limit": 2}, r"past = limit does not hold: past is 3, limit is 2 \(node attend wants it\)"),
    (6, 5, {"limit": 5}, "past <= 4 does not hold: past is 5"),
    (6, 3, {}, "the size 'limit' is told by no input"),
    (6, 3, {"limit": 10}, "'limit' must be from 0 to 9"),
    (5, 3, {"limit": 3}, "'rows' must be from 2 to 64 and a multiple of 2"),
    (6, 3, {"limit": 3, "rows": 8}, r"input 'left' has shape \[6, 4\] instead of \[8, 4\]"),
])
def test_what_is_refused(solved, rows, past, sizes, message):
    with pytest.raises(heddle.HeddleError, match=message) as error:
        solved(*arguments(rows, past), sizes=sizes)
    assert error.value.code == "HDL-0807"


def test_mistakes(solved):
    with pytest.raises(TypeError, match="there is no size 'length'; there are: rows, past, limit"):
        solved(*arguments(6, 3), sizes={"length": 3})
    for wrong in (-1, 2.0, True, "3", 2**63):
        with pytest.raises(TypeError, match="size 'limit' is given as"):
            solved(*arguments(6, 3), sizes={"limit": wrong})


def test_nothing_beside_a_counted_size(tmp_path):
    """Each result of a program that counts is asked for its shape, also one whose rows have no elements."""
    model = onnx.parser.parse_model('''<ir_version: 10, opset_import: ["" : 21]>
        g (float[3, N] x, float[4] c) => (float[3, N] y, int64[1, K] places) { y = Neg(x) places = NonZero(c) }''')
    heddle.compile(model, tmp_path / "counted.heddle", dims={"N": "0..4"})
    counted = heddle.load(tmp_path / "counted.heddle")
    for columns in (0, 2):
        results = counted(np.ones((3, columns), np.float32), np.array([1, 0, 1, 0], np.float32))
        assert results["y"].shape == (3, columns) and (results["y"] == -1).all()
        np.testing.assert_array_equal(results["places"], [[0, 2]])
