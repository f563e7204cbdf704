"""States: what calls change and keep."""

import gc
import os
import weakref

import numpy as np
import pytest

import heddle


@pytest.fixture(params=["state", "placed-state"])
def counting(request):
    """Counts in a state of eight numbers, whose length grows by one; its entry "peek" only reads."""
    return heddle.load(os.path.join(os.environ["HEDDLE_TEST_MODELS"], f"{request.param}.heddle"))


def test_calls_change_it(counting):
    state, peek = counting.state(), counting.entry("peek")
    assert [info.name for info in counting.states] == ["counters"] and state.info.shape == [8] and state.info.dtype == "i32"
    for number in (1, 2, 3):
        np.testing.assert_array_equal(counting(states={"counters": state})["now"], np.full(8, number, np.int32))
    assert state.length == 3
    np.testing.assert_array_equal(peek(states={"counters": state})["now"], np.full(8, 3, np.int32))
    np.testing.assert_array_equal(state.read(), np.full(8, 3, np.int32))
    other = state.copy()
    counting.submit(states={"counters": other}).result()
    assert (state.read()[0], other.read()[0], state.length, other.length) == (3, 4, 3, 4)
    state.reset()
    assert not state.read().any() and state.length == 0
    state.copy_from(other)
    assert state.read()[7] == 4 and state.length == 4


def test_contents(counting):
    state = counting.state("counters")
    state.write(np.arange(8, dtype=np.int32))
    np.testing.assert_array_equal(np.from_dlpack(state), np.arange(8))
    np.testing.assert_array_equal(np.asarray(state), np.arange(8))
    state.write(list(range(8, 16)))
    np.testing.assert_array_equal(state.read(), np.arange(8, 16))
    with pytest.raises(ValueError, match=r"i32\[8\] is wanted"):
        state.write(np.arange(9, dtype=np.int32))
    with pytest.raises(ValueError, match=r"given float32"):
        state.write(np.zeros(8, np.float32))


def test_lengths(counting):
    state = counting.state()
    state.length = 8
    with pytest.raises(heddle.HeddleError) as error:
        counting(states={"counters": state})
    assert error.value.code == "HDL-0825"
    with pytest.raises(heddle.HeddleError) as error:
        state.length = 9
    assert error.value.code == "HDL-0825" and state.length == 8


def test_a_state_that_functions_of_its_program_hold_is_collected(tmp_path):
    source = """
    func.func @main(%x: tensor<8xf32> {heddle.name = "x"}) -> (tensor<8xf32> {heddle.name = "y"}) {
      %y = stablehlo.custom_call @seen(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %y : tensor<8xf32>
    }
    """
    path = heddle.compile(source.encode(), tmp_path / "held.heddle", custom_calls="seen", states={"x": "y"})

    def start():
        held = []
        model = heddle.load(path, custom_calls={"seen": lambda x: x + len(held)})
        held.append(model.state())
        model(states={"x": held[0]})
        np.testing.assert_array_equal(held[0].read(), np.ones(8, np.float32))
        return weakref.ref(held[0]), weakref.ref(model)

    gone = start()
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_mistakes(counting):
    with pytest.raises(TypeError, match="state 'counters' is missing"):
        counting()
    with pytest.raises(TypeError, match="there is no state 'cache'; there are: counters"):
        counting(states={"cache": counting.state()})
    with pytest.raises(TypeError, match="is given a ndarray"):
        counting(states={"counters": np.zeros(8, np.int32)})
    with pytest.raises(ValueError, match="there is no state 'cache'"):
        counting.state("cache")
    with pytest.raises(ValueError, match="there is no entry 'other'; there are: main, peek"):
        counting.entry("other")
    other = heddle.load(os.path.join(os.environ["HEDDLE_TEST_MODELS"], "state.heddle"))
    with pytest.raises(heddle.HeddleError) as error:
        counting(states={"counters": other.state()})
    assert error.value.code == "HDL-0823"


def test_lengths_are_numbers(counting):
    state = counting.state()
    state.length = np.int64(3)
    for wrong in (1.5, "a", None, True, np.True_):
        with pytest.raises(TypeError, match=f"the length of state 'counters' is given as {wrong!r}; a number is wanted"):
            state.length = wrong
    for wrong in (2**63, -(2**63) - 1):
        with pytest.raises(ValueError, match=f"the length of state 'counters' is given as {wrong}; a number that the state can have is wanted"):
            state.length = wrong
    assert state.length == 3


def test_what_is_no_state_is_said(counting):
    state = counting.state()
    with pytest.raises(TypeError, match="state 'counters' is to be a copy of a int; what Model.state gives is wanted"):
        state.copy_from(5)
    with pytest.raises(TypeError, match="states is a list; a dictionary of what Model.state gives, by the names of states, is wanted"):
        counting(states=[state])
    result, out = counting(states={"counters": state})["now"], np.empty(8, np.int32)
    for wrong, kind in ((out, "ndarray"), ([out], "list"), (7, "int")):
        with pytest.raises(TypeError, match=f"out is a {kind}; a dictionary of arrays to write to, by the names of outputs, is wanted"):
            counting(states={"counters": state}, out=wrong)
    with pytest.raises(TypeError, match="sizes is a list; a dictionary of numbers, by the names of sizes, is wanted"):
        counting(states={"counters": state}, sizes=[3])
    assert counting(states={"counters": state}, out={"now": out})["now"][0] == result[0] + 1


@pytest.fixture(scope="module")
def growing(tmp_path_factory):
    """Appends its input to a cache, and gives the hyperbolic tangent of all that is in there and twice the input."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [helper.make_node("Concat", ["past", "x"], ["present"], axis=0), helper.make_node("Tanh", ["present"], ["y"]),
             helper.make_node("Add", ["x", "x"], ["twice"])]
    inputs = [helper.make_tensor_value_info("past", kind, ["past", 4]), helper.make_tensor_value_info("x", kind, [1, 4])]
    outputs = [helper.make_tensor_value_info("present", kind, None), helper.make_tensor_value_info("y", kind, None),
               helper.make_tensor_value_info("twice", kind, [1, 4])]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    return heddle.compile(model, tmp_path_factory.mktemp("growing") / "growing.heddle", dims={"past": (0, 5)}, states={"past": "present"})


def test_what_follows_a_length_is_as_large_as_when_the_call_runs(growing):
    """It is not when the call is submitted: calls before it make the state longer."""
    model = heddle.load(growing)
    state, rows = model.state(), [np.full((1, 4), number, np.float32) for number in range(7)]
    submitted = [model.submit(row, states={"past": state}) for row in rows[:3]]
    given = np.zeros((5, 4), np.float32)
    submitted.append(model.submit(rows[3], states={"past": state}, out={"y": given[:4]}))
    # Behind what is submitted, which it waits for.
    last = model(rows[4], states={"past": state})
    for number, results in enumerate([*(call.result() for call in submitted), last]):
        np.testing.assert_allclose(results["y"], np.tanh(np.concatenate(rows[: number + 1])), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(results["twice"], 2 * rows[number])
    assert state.length == 5 and given[3, 0] == submitted[3].result()["y"][3, 0] and not given[4].any()
    # One of another shape than the call finds is refused, and so is a state that is full.
    state.length = 2
    with pytest.raises(heddle.HeddleError) as error:
        model.submit(rows[0], states={"past": state}, out={"y": given[:4]}).result()
    assert error.value.code == "HDL-0807"
    state.length = 5
    model.submit(rows[5], states={"past": state}).result()
    with pytest.raises(heddle.HeddleError):
        model.submit(rows[6], states={"past": state}).result()
    assert state.length == 6
