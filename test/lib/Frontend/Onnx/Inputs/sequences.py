"""Writes models that use sequences: PREFIX.onnx, which is right, and PREFIX.<what is wrong>.onnx."""
import sys
from onnx import TensorProto, helper, save

PREFIX = sys.argv[1]
node = helper.make_node


def tensor(name, kind=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, kind, shape)


def number(name, values, kind=TensorProto.INT64):
    return helper.make_tensor(name, kind, [] if isinstance(values, (int, bool)) else [len(values)], [values] if isinstance(values, (int, bool)) else values)


def write(suffix, nodes, outputs, inputs=(), constants=()):
    graph = helper.make_graph(nodes, "g", [tensor("x", shape=[5, 4]), *inputs], outputs,
                              [number("zero", 0), number("two", 2), number("three", 3), number("minus", -1), number("sizes", [2, 3]),
                               number("yes", True, TensorProto.BOOL), *constants])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), PREFIX + suffix + ".onnx")


def growing(counted):
    """A loop's body that puts the sum of x and the step's number into a sequence; three steps."""
    ends = [node("Less", ["i", "two"], ["goes"])] if not counted else [node("Identity", ["c"], ["goes"])]
    return helper.make_graph(
        [node("Cast", ["i"], ["step"], to=TensorProto.FLOAT), node("Add", ["x", "step"], ["sum"]), node("SequenceInsert", ["s", "sum"], ["t"]), *ends],
        "body", [tensor("i", TensorProto.INT64, []), tensor("c", TensorProto.BOOL, []), helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)],
        [tensor("goes", TensorProto.BOOL, []), helper.make_tensor_sequence_value_info("t", TensorProto.FLOAT, None)])


write("", [
    node("SplitToSequence", ["x", "sizes"], ["pieces"], axis=0),
    node("Neg", ["x"], ["negative"]),
    node("SequenceInsert", ["pieces", "negative", "zero"], ["longer"]),
    node("ConcatFromSequence", ["longer"], ["joined"], axis=0),
    node("SequenceConstruct", ["x", "negative"], ["pair"]),
    node("Identity", ["pair"], ["same"]),
    node("ConcatFromSequence", ["same"], ["stacked"], axis=-1, new_axis=1),
    node("SequenceErase", ["longer"], ["shorter"]),
    node("SequenceAt", ["shorter", "minus"], ["last"]),
    node("SequenceLength", ["shorter"], ["count"]),
    node("SplitToSequence", ["x"], ["each"], axis=1, keepdims=0),
    node("SplitToSequence", ["x", "two"], ["twos"], axis=0),
    node("SequenceAt", ["each", "two"], ["column"]),
    node("SequenceAt", ["twos", "two"], ["rest"]),
    node("Add", ["rest", "rest"], ["rows"]),
    node("SequenceEmpty", [], ["empty"]),
    node("Loop", ["three", "yes", "empty"], ["three_sums"], body=growing(True)),
    node("ConcatFromSequence", ["three_sums"], ["counted"], axis=0),
    node("Loop", ["", "yes", "empty"], ["some_sums"], body=growing(False)),
    node("ConcatFromSequence", ["some_sums"], ["uncounted"], axis=1),
], [tensor("joined"), tensor("stacked"), tensor("last"), tensor("count", TensorProto.INT64), tensor("column"), tensor("rows"), tensor("counted"), tensor("uncounted")])

pair = node("SequenceConstruct", ["x", "x"], ["s"])
sequence = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)
write(".relu", [pair, node("Relu", ["s"], ["y"], name="relu")], [tensor("y")])
write(".output", [pair], [sequence])
write(".steps", [pair, node("Loop", ["n", "yes", "s"], ["t2"], body=growing(True)), node("SequenceAt", ["t2", "zero"], ["y"])], [tensor("y")],
      [tensor("n", TensorProto.INT64, [])])
branch = helper.make_graph([node("SequenceConstruct", ["x"], ["b"])], "b", [], [helper.make_tensor_sequence_value_info("b", TensorProto.FLOAT, None)])
write(".branches", [node("If", ["f"], ["t2"], then_branch=branch, else_branch=branch), node("SequenceAt", ["t2", "zero"], ["y"])], [tensor("y")],
      [tensor("f", TensorProto.BOOL, [])])
write(".outside", [pair, node("SequenceAt", ["s", "three"], ["y"])], [tensor("y")])
