// Operators of the domain com.microsoft that onnxruntime's optimizers write: a
// node for what exporters spell out in several.

#include "Functions.h"
#include "NodeImporter.h"
#include "Windows.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

/// An operand, null if it is not given.
static Value optional(NodeImporter &node, size_t i) {
  return node.has(i) ? node.operand(i) : Value();
}

static Value plus(Emitter &emit, Value value, Value more) {
  return more ? emit.add(value, more) : value;
}

//===--- Activations ------------------------------------------------------===//

/// GELU of the input and, if given, a bias.
static LogicalResult importGelu(NodeImporter &node) {
  Value x = plus(node.emit, node.operand(0), optional(node, 1));
  return node.result(
      gelu(node.emit, x, node.op() == "FastGelu" ? "tanh" : "none"));
}

static LogicalResult importQuickGelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value scaled =
      emit.multiply(x, emit.splatLike(x, node.floatAttribute("alpha", 1.702)));
  return node.result(emit.multiply(x, sigmoid(emit, scaled)));
}

/// The activation that a fused product or convolution names, with its numbers.
static FailureOr<Value> activate(NodeImporter &node, Value x, StringRef name,
                                 ArrayRef<double> numbers) {
  Emitter &emit = node.emit;
  auto number = [&](size_t i, double otherwise) {
    return emit.splatLike(x, i < numbers.size() ? numbers[i] : otherwise);
  };
  Value zero = emit.splatLike(x, 0), one = emit.splatLike(x, 1);
  if (name.empty())
    return x;
  if (name == "Relu")
    return emit.maximum(x, zero);
  if (name == "Tanh")
    return emit.unary<stablehlo::TanhOp>(x);
  if (name == "Sigmoid")
    return sigmoid(emit, x);
  if (name == "LeakyRelu")
    return emit.select(emit.compare(x, zero, Direction::LT),
                       emit.multiply(x, number(0, 0.01)), x);
  if (name == "Clip")
    return emit.minimum(
        emit.maximum(x, number(0, std::numeric_limits<float>::lowest())),
        number(1, std::numeric_limits<float>::max()));
  if (name == "HardSigmoid")
    return emit.minimum(
        emit.maximum(emit.add(emit.multiply(x, number(0, 0.2)), number(1, 0.5)),
                     zero),
        one);
  return node.unsupported("the activation '" + name + "' is not known");
}

/// The node's result is `x` after the activation that the node names.
static LogicalResult activatedResult(NodeImporter &node, Value x,
                                     ArrayRef<double> numbers) {
  FailureOr<Value> result =
      activate(node, x, node.stringAttribute("activation", ""), numbers);
  return failed(result) ? failure() : node.result(*result);
}

//===--- Products and convolutions ----------------------------------------===//

/// Exchanges the last two dimensions.
static Value transposed(Emitter &emit, Value value) {
  OwnedExtents order;
  for (int64_t i = 0; i < Emitter::typeOf(value).getRank(); ++i)
    order.push_back(i);
  if (order.size() < 2)
    return value;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return emit.transpose(value, order);
}

static LogicalResult importFusedMatMul(NodeImporter &node) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1);
  if (node.integerAttribute("transBatchA", 0) != 0 ||
      node.integerAttribute("transBatchB", 0) != 0)
    return node.unsupported("batches that are no leading dimensions");
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (node.integerAttribute("transA", 0) != 0)
    lhs = transposed(emit, lhs);
  if (node.integerAttribute("transB", 0) != 0)
    rhs = transposed(emit, rhs);
  Value product = matmul(emit, lhs, rhs);
  if (alpha != 1)
    product = emit.multiply(product, emit.splatLike(product, alpha));
  return node.result(product);
}

static LogicalResult importFusedGemm(NodeImporter &node) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1);
  double beta = node.floatAttribute("beta", 1);
  double first = node.floatAttribute("activation_alpha", 0.01);
  double second = node.floatAttribute("activation_beta", 0);
  if (node.rank(0) != 2 || node.rank(1) != 2)
    return node.invalid("A and B must be matrices");
  Value product = emit.dotGeneral(node.operand(0), node.operand(1), {}, {},
                                  {node.integerAttribute("transA", 0) ? 0 : 1},
                                  {node.integerAttribute("transB", 0) ? 1 : 0});
  if (alpha != 1)
    product = emit.multiply(product, emit.splatLike(product, alpha));
  if (Value bias = optional(node, 2); bias && beta != 0) {
    if (beta != 1)
      bias = emit.multiply(bias, emit.splatLike(bias, beta));
    product = emit.add(product, emit.broadcastTo(bias, emit.shapeOf(product)));
  }
  return activatedResult(node, product, {first, second});
}

/// A convolution, a bias, something of the result's shape to add, and an
/// activation.
static LogicalResult importFusedConv(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<Value> convolved = convolve(node);
  if (!convolved)
    return failure();
  Value result = plus(emit, *convolved, optional(node, 3));
  SmallVector<double> numbers;
  if (auto given = node.floatsAttribute("activation_params"))
    numbers.assign(given->begin(), given->end());
  return activatedResult(node, result, numbers);
}

//===--- Normalization ----------------------------------------------------===//

/// Layer or RMS normalization of input + skip + bias, and that sum.
static LogicalResult importSkipNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isSimplified = node.op() == "SkipSimplifiedLayerNormalization";
  double epsilon = node.floatAttribute("epsilon", 1e-12f);
  Value sum = emit.add(node.operand(0), node.operand(1));
  sum = plus(emit, sum, optional(node, isSimplified ? 3 : 4));
  int64_t axis = Emitter::typeOf(sum).getRank() - 1;
  if (axis < 0)
    return node.invalid("the input is a scalar");
  node.set(3, sum);
  return node.result(trailingNorm(
      emit, isSimplified ? Norm::Rms : Norm::Layer, sum, node.operand(2),
      isSimplified ? Value() : optional(node, 3), axis, epsilon));
}

/// Embeddings of words, places and segments, summed and normalized; how many
/// words of each row the mask keeps.
static LogicalResult importEmbedNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  double epsilon = node.floatAttribute("epsilon", 1e-12f);
  if (node.integerAttribute("mask_index_type", 0) != 0)
    return node.unsupported("mask_index_type other than 0");
  if (node.rank(0) != 2 || !node.has(2) || !node.has(3) || !node.has(5))
    return node.invalid("ids [batch, sequence], embeddings of words and places "
                        "and a scale are needed");
  Extent batch = node.shape(0)[0], length = node.shape(0)[1];
  Value sum = emit.take(node.operand(2), node.operand(0), 0);
  if (node.has(8)) {
    sum = emit.add(sum, emit.take(node.operand(3), node.operand(8), 0));
  } else {
    if (node.rank(3) != 2 || Extent::isLess(node.shape(3)[0], length) == true)
      return node.invalid("there are fewer places than words");
    sum = emit.add(sum, emit.sliceDim(node.operand(3), 0, 0, length));
  }
  if (node.has(1) && node.has(4))
    sum = emit.add(sum, emit.take(node.operand(4), node.operand(1), 0));
  Type count = node.builder().getI32Type();
  node.set(1, node.has(7) ? emit.reduce(emit.convert(node.operand(7), count),
                                        {1}, Combine::Add)
                          : emit.splatInteger(emit.type({batch}, count), 0));
  node.set(2, sum);
  if (emit.hasFault())
    return failure();
  return node.result(trailingNorm(emit, Norm::Layer, sum, node.operand(5),
                                  optional(node, 6), 2, epsilon));
}

void heddle::onnx::addFused(OperatorTable &table) {
  table.add("com.microsoft.Gelu", {1}, 1, 1, importGelu);
  table.add("com.microsoft.FastGelu", {1}, 1, 2, importGelu);
  table.add("com.microsoft.BiasGelu", {1}, 2, 2, importGelu);
  table.add("com.microsoft.QuickGelu", {1}, 1, 1, importQuickGelu);
  table.add("com.microsoft.FusedMatMul", {1}, 2, 2, importFusedMatMul);
  table.add("com.microsoft.FusedGemm", {1}, 2, 3, importFusedGemm);
  table.add("com.microsoft.FusedConv", {1}, 2, 4, importFusedConv);
  table.add("com.microsoft.SkipLayerNormalization", {1}, 3, 5,
            importSkipNormalization, 4);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", {1}, 3, 4,
            importSkipNormalization, 4);
  table.add("com.microsoft.EmbedLayerNormalization", {1}, 7, 9,
            importEmbedNormalization, 3);
  // onnxruntime puts it into the default domain.
  table.add("SimplifiedLayerNormalization", {1}, 2, 2, importRmsNormalization);
}
