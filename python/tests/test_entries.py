"""Models that become states and entries of one artifact."""

import numpy as np
import pytest

import heddle

# One step of a decoder, in short: a row goes into a cache, all rows are scored.
STEP = """
func.func @step(%x: tensor<1x8xf32> {heddle.name = "x"}, %position: tensor<i32> {heddle.name = "position"}, %past: tensor<16x8xf32> {heddle.name = "past"})
    -> (tensor<1x16xf32> {heddle.name = "scores"}, tensor<16x8xf32> {heddle.name = "present"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %present = stablehlo.dynamic_update_slice %past, %x, %position, %zero : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %scores = stablehlo.dot_general %x, %present, contracting_dims = [1] x [1] : (tensor<1x8xf32>, tensor<16x8xf32>) -> tensor<1x16xf32>
  return %scores, %present : tensor<1x16xf32>, tensor<16x8xf32>
}
"""
FILL = """
func.func @main(%prompt: tensor<?x8xf32> {heddle.name = "prompt"}, %seed: tensor<16x8xf32> {heddle.name = "seed"})
    -> (tensor<?x8xf32> {heddle.name = "doubled"}, tensor<16x8xf32> {heddle.name = "present"}) {
  %doubled = stablehlo.add %prompt, %prompt : tensor<?x8xf32>
  %present = stablehlo.negate %seed : tensor<16x8xf32>
  return %doubled, %present : tensor<?x8xf32>, tensor<16x8xf32>
}
"""
ROW = np.arange(8, dtype=np.float32).reshape(1, 8)


def test_a_state_of_a_model_in_memory(tmp_path):
    model = heddle.load(heddle.compile(STEP.encode(), tmp_path / "step.heddle", states={"past": "present"}))
    assert [info.name for info in model.inputs] == ["x", "position"] and [info.name for info in model.states] == ["past"]
    state = model.state()
    for position in 0, 3:
        scores = model(ROW + position, position, states={"past": state})["scores"]
    expected = np.zeros((16, 8), np.float32)
    expected[0], expected[3] = ROW, ROW + 3
    np.testing.assert_array_equal(state.read(), expected)
    np.testing.assert_allclose(scores, (ROW + 3) @ expected.T)


def test_a_position_is_a_state(tmp_path):
    counted = STEP.replace("(tensor<1x16xf32> {heddle", "(tensor<i32> {heddle.name = \"next\"}, tensor<1x16xf32> {heddle")
    counted = counted.replace("return %scores, %present : ", """%one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %position, %one : tensor<i32>
      return %next, %scores, %present : tensor<i32>, """)
    model = heddle.load(heddle.compile(counted.encode(), tmp_path / "counted.heddle", states={"past": "present", "position": "next"}))
    states = {info.name: model.state(info.name) for info in model.states}
    for number in 1, 2, 3:
        model(np.full((1, 8), number, np.float32), states=states)
    assert states["position"].read() == 3 and states["past"].read()[:4, 0].tolist() == [1, 2, 3, 0]


def test_entries_share_a_state(tmp_path):
    (tmp_path / "step.mlir").write_text(STEP + FILL)
    path = heddle.compile(None, tmp_path / "both.heddle", entries={"fill": FILL.encode(), "decode": (tmp_path / "step.mlir", "step")},
                          states={"past": "present"}, shapes={"prompt": ((1, 4), 8)})
    decode = heddle.load(path, entry="decode")
    fill, state = decode.entry("fill"), decode.state()
    doubled = fill(np.tile(ROW, (3, 1)), np.tile(-ROW, (16, 1)), states={"past": state})["doubled"]
    np.testing.assert_array_equal(doubled, np.tile(2 * ROW, (3, 1)))
    np.testing.assert_array_equal(state.read(), np.tile(ROW, (16, 1)))
    scores = decode(np.ones((1, 8), np.float32), 5, states={"past": state})["scores"]
    np.testing.assert_array_equal(scores, [[8 if row == 5 else 28 for row in range(16)]])


def test_the_artifact_is_called_as_the_first_entry(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "step.mlir").write_text(STEP)
    assert str(heddle.compile(entries={"decode": tmp_path / "step.mlir"})) == "step.heddle"


def test_mistakes(tmp_path):
    output, model = tmp_path / "none.heddle", STEP.encode()
    for both in {"model": model, "entries": {"a": model}}, {"model": None, "entries": {}}, {}:
        with pytest.raises(TypeError, match="either a model or entries are wanted, and not both"):
            heddle.compile(output=output, **both)
    with pytest.raises(TypeError, match="entries is a list; a dictionary such as"):
        heddle.compile(output=output, entries=[model])
    with pytest.raises(TypeError, match="an entry is called 3; a name is wanted"):
        heddle.compile(output=output, entries={3: model})
    with pytest.raises(TypeError, match="entry 'a' is .*; a model, or a pair"):
        heddle.compile(output=output, entries={"a": (model, 1)})
    with pytest.raises(TypeError, match="cannot compile a int"):
        heddle.compile(output=output, entries={"a": 1})
    with pytest.raises(TypeError, match="a model that is not a file needs an output path"):
        heddle.compile(entries={"a": model})
    with pytest.raises(TypeError, match="states is a str; a dictionary such as"):
        heddle.compile(model, output, states="past=present")
    with pytest.raises(TypeError, match="states holds 'past': 1; names are wanted"):
        heddle.compile(model, output, states={"past": 1})
    for name, code, text in ("w1", "HDL-0101", "is a name that heddle gives itself"), ("", "HDL-0101", "an entry has no name"):
        with pytest.raises(heddle.CompileError, match=text) as error:
            heddle.compile(output=output, entries={name: model})
        assert error.value.code == code
    with pytest.raises(heddle.CompileError, match="there is no function @other") as error:
        heddle.compile(output=output, entries={"a": (model, "other")})
    assert error.value.code == "HDL-0303"
    with pytest.raises(heddle.CompileError, match="there is no input of this name") as error:
        heddle.compile(model, output, states={"cache": "present"})
    assert error.value.code == "HDL-0106"
    with pytest.raises(heddle.CompileError, match="names the input 'prompts', which no entry has") as error:
        heddle.compile(output=output, entries={"a": model, "b": FILL.encode()}, shapes={"prompts": (4, 8)})
    assert error.value.code == "HDL-0213" and not output.exists()
    with pytest.raises(ValueError, match="the name of an entry holds a NUL"):
        heddle.compile(output=output, entries={"a\0": model})
