"""BERT, of which a file says how the weights of its layers lie, on two devices: equal to one.

usage: bert.py HEDDLE FOLDER

The weights are those of the model's file, in its order: of each layer queries, keys, values, output, up and down. Prints for each engine whether the
numbers are those of one device, but for sums in another order.
"""

import pathlib
import sys

import onnx
from compiled_programs import compiled, difference, run

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import model_accuracy

COLUMNS, ROWS = '[{}, {"model"}]', '[{"model"}, {}]'
OF_A_LAYER = [COLUMNS, COLUMNS, COLUMNS, ROWS, COLUMNS, ROWS]


def main() -> int:
    heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    path = model_accuracy.materialize("bert_b1")
    weights = [tensor.name for tensor in onnx.load(path, load_external_data=False).graph.initializer if sorted(tensor.dims) in ([768, 768], [768, 3072])]
    file = folder / "bert.shardings"
    file.write_text("".join(f"{name}: {OF_A_LAYER[number % 6]}\n" for number, name in enumerate(weights)))
    one = compiled(heddle, path, folder / "one.heddle", ["--force"])
    two = compiled(heddle, path, folder / "two.heddle", ["--force", "--mesh", "model=2", "--shard", str(file)])
    inputs = ["--inputs", str(path.with_suffix(".npz"))]
    whole = run(heddle, one, folder / "whole", inputs)
    one.unlink()
    for engine in "threads", "processes":
        parts = run(heddle, two, folder / engine, [*inputs, "--devices", "2", "--engine", engine])
        found = "".join(difference(expected, parts[name]) for name, expected in whole.items())
        print(f"{len(weights)} weights, {engine}: {found or 'equal'}")
    return 0


sys.exit(main())
