// Losses of a classification: what a model says of the right class of each
// place.

#include "Functions.h"
#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

/// Of [N, C, ...] scores of classes, [N, ...] right ones and maybe a weight for
/// each class. False after a fault.
static bool checkOperands(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t rank = node.rank(0);
  if (rank < 2 || node.rank(1) != rank - 1 ||
      (node.has(2) && node.rank(2) != 1)) {
    (void)node.invalid("the right classes have the shape " +
                       spellShape(node.shape(1)) + ", the scores " +
                       spellShape(node.shape(0)) +
                       ": all of these but that of the classes, the second, "
                       "are wanted");
    return false;
  }
  if (!isa<IntegerType>(node.element(1))) {
    (void)node.invalid("the right classes are no integers");
    return false;
  }
  return !emit.hasFault();
}

/// -logarithm[n, c, ...] * weight[c] at the right class c of each place; 0
/// where that is ignored. A mean is one of the weights that were taken.
static Value negativeLogLikelihood(NodeImporter &node, Value logarithms,
                                   StringRef reduction) {
  Emitter &emit = node.emit;
  Value right = node.operand(1);
  Type exact = Emitter::elementOf(logarithms);
  Shape shape = emit.shapeOf(logarithms);
  OwnedExtents places, all;
  for (int64_t i = 0; i < node.rank(0); ++i) {
    if (i != 1)
      places.push_back(i);
    if (i + 1 < node.rank(0))
      all.push_back(i);
  }
  Value number =
      emit.iota(emit.type(shape, Emitter::elementOf(right)), /*dimension=*/1);
  Value isRight = emit.compare(emit.broadcastInDim(right, shape, places),
                               number, Direction::EQ);
  Value ignored;
  if (node.hasAttribute("ignore_index"))
    ignored = emit.compare(
        right,
        emit.splatInteger(Emitter::typeOf(right),
                          node.integerAttribute("ignore_index", 0)),
        Direction::EQ);
  auto ofRight = [&](Value values) {
    Value chosen = emit.select(isRight, values, emit.splatLike(values, 0));
    Value sum = emit.reduce(chosen, 1, Combine::Add);
    return ignored ? emit.select(ignored, emit.splatLike(sum, 0), sum) : sum;
  };
  Value losses = emit.unary<stablehlo::NegOp>(ofRight(logarithms));
  Value weights;
  if (node.has(2)) {
    Value weight = emit.convert(node.operand(2), exact);
    weights = ofRight(alongDimension(emit, weight, shape, 1));
    losses = emit.multiply(losses, weights);
  }
  if (reduction == "none")
    return losses;
  Value sum = emit.reduce(losses, all, Combine::Add);
  if (reduction == "sum")
    return sum;
  if (!weights) {
    weights = emit.splatLike(losses, 1);
    if (ignored)
      weights = emit.select(ignored, emit.splatLike(losses, 0), weights);
  }
  return emit.divide(sum, emit.reduce(weights, all, Combine::Add));
}

/// The loss of `logarithms`, which are in a type of at least 32 bits, in that
/// of the scores.
static LogicalResult setLoss(NodeImporter &node, Value logarithms) {
  StringRef reduction = node.stringAttribute("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.invalid("reduction is neither none, mean nor sum");
  Value loss = negativeLogLikelihood(node, logarithms, reduction);
  return node.result(node.emit.convert(loss, node.element(0)));
}

static LogicalResult importNegativeLogLikelihoodLoss(NodeImporter &node) {
  if (!checkOperands(node))
    return failure();
  return setLoss(node, node.emit.widened(node.operand(0)));
}

static LogicalResult importSoftmaxCrossEntropyLoss(NodeImporter &node) {
  Emitter &emit = node.emit;
  if (!checkOperands(node))
    return failure();
  Value logarithms = logSoftmax(emit, emit.widened(node.operand(0)), 1);
  if (node.wants(1))
    node.set(1, emit.convert(logarithms, node.element(0)));
  return setLoss(node, logarithms);
}

void heddle::onnx::addLosses(OperatorTable &table) {
  table.add("NegativeLogLikelihoodLoss", {12, 13, 22}, 2, 3,
            importNegativeLogLikelihoodLoss);
  table.add("SoftmaxCrossEntropyLoss", {12, 13}, 2, 3,
            importSoftmaxCrossEntropyLoss, /*maxOutputs=*/2);
}
