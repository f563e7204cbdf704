// Activation functions.

#include "Functions.h"
#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

static Value zeroLike(Emitter &emit, Value x) { return emit.splatLike(x, 0); }

static Value isNegative(Emitter &emit, Value x) {
  return emit.compare(x, zeroLike(emit, x), Direction::LT);
}

static LogicalResult importRelu(NodeImporter &node) {
  Value x = node.operand(0);
  return node.result(node.emit.maximum(x, zeroLike(node.emit, x)));
}

static LogicalResult importLeakyRelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value scaled =
      emit.multiply(x, emit.splatLike(x, node.floatAttribute("alpha", 0.01)));
  return node.result(emit.select(isNegative(emit, x), scaled, x));
}

/// The slope is broadcast to x, never the other way round.
static LogicalResult importPRelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value slope = emit.broadcastTo(node.operand(1), node.shape(0));
  return node.result(
      emit.select(isNegative(emit, x), emit.multiply(x, slope), x));
}

static LogicalResult importThresholdedRelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value alpha = emit.splatLike(x, node.floatAttribute("alpha", 1));
  return node.result(
      emit.select(emit.compare(x, alpha, Direction::GT), x, zeroLike(emit, x)));
}

/// exp(x / divisor) - 1, precise near 0.
static Value expm1(Emitter &emit, Value x) {
  return emit.unary<stablehlo::Expm1Op>(x);
}

static LogicalResult importElu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value alpha = emit.splatLike(x, node.floatAttribute("alpha", 1));
  return node.result(emit.select(isNegative(emit, x),
                                 emit.multiply(alpha, expm1(emit, x)), x));
}

static LogicalResult importSelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  double alpha = node.floatAttribute("alpha", 1.67326319217681884765625f);
  double gamma = node.floatAttribute("gamma", 1.05070102214813232421875f);
  Value below = emit.multiply(emit.splatLike(x, alpha), expm1(emit, x));
  return node.result(emit.multiply(emit.splatLike(x, gamma),
                                   emit.select(isNegative(emit, x), below, x)));
}

/// max(0, x) + min(0, alpha (exp(x / alpha) - 1))
static LogicalResult importCelu(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value alpha = emit.splatLike(x, node.floatAttribute("alpha", 1));
  Value below = emit.multiply(alpha, expm1(emit, emit.divide(x, alpha)));
  Value zero = zeroLike(emit, x);
  return node.result(
      emit.add(emit.maximum(x, zero), emit.minimum(below, zero)));
}

static LogicalResult importSigmoid(NodeImporter &node) {
  return node.result(sigmoid(node.emit, node.operand(0)));
}

static LogicalResult importSoftplus(NodeImporter &node) {
  return node.result(softplus(node.emit, node.operand(0)));
}

static LogicalResult importSoftsign(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value bottom =
      emit.add(emit.unary<stablehlo::AbsOp>(x), emit.splatLike(x, 1));
  return node.result(emit.divide(x, bottom));
}

static Value hardSigmoid(Emitter &emit, Value x, double alpha, double beta) {
  Value line = emit.add(emit.multiply(x, emit.splatLike(x, alpha)),
                        emit.splatLike(x, beta));
  return emit.maximum(emit.minimum(line, emit.splatLike(x, 1)),
                      zeroLike(emit, x));
}

static LogicalResult importHardSigmoid(NodeImporter &node) {
  double alpha = node.floatAttribute("alpha", 0.2f);
  double beta = node.floatAttribute("beta", 0.5);
  return node.result(hardSigmoid(node.emit, node.operand(0), alpha, beta));
}

static LogicalResult importHardSwish(NodeImporter &node) {
  Value x = node.operand(0);
  return node.result(
      node.emit.multiply(x, hardSigmoid(node.emit, x, 1.0 / 6, 0.5)));
}

static LogicalResult importMish(NodeImporter &node) {
  Emitter &emit = node.emit;
  return node.result(
      inAtLeastFloat32(emit, node.operand(0), [](Emitter &emit, Value x) {
        return emit.multiply(x,
                             emit.unary<stablehlo::TanhOp>(softplus(emit, x)));
      }));
}

static Value swish(Emitter &emit, Value x, double alpha) {
  if (alpha == 1)
    return emit.multiply(x, sigmoid(emit, x));
  return emit.multiply(
      x, sigmoid(emit, emit.multiply(x, emit.splatLike(x, alpha))));
}

static LogicalResult importSwish(NodeImporter &node) {
  return node.result(
      swish(node.emit, node.operand(0), node.floatAttribute("alpha", 1)));
}

/// swish(a) * b
static LogicalResult importSwiGlu(NodeImporter &node) {
  Value gate =
      swish(node.emit, node.operand(0), node.floatAttribute("alpha", 1));
  return node.result(node.emit.multiply(gate, node.operand(1)));
}

/// The same forms as exporters spell them out.
Value heddle::onnx::gelu(Emitter &emit, Value value, StringRef approximate) {
  auto curve = [approximate](Emitter &emit, Value x) {
    Value half = emit.splatLike(x, 0.5), one = emit.splatLike(x, 1);
    if (approximate == "none") {
      Value argument =
          emit.multiply(x, emit.splatLike(x, 0.70710678118654752440));
      return emit.multiply(emit.multiply(half, x),
                           emit.add(one, erf(emit, argument)));
    }
    Value cube = emit.multiply(emit.multiply(x, x), x);
    Value sum = emit.add(x, emit.multiply(cube, emit.splatLike(x, 0.044715)));
    Value argument =
        emit.multiply(sum, emit.splatLike(x, 0.79788456080286535588));
    return emit.multiply(
        emit.multiply(half, x),
        emit.add(one, emit.unary<stablehlo::TanhOp>(argument)));
  };
  return inAtLeastFloat32(emit, value, curve);
}

static LogicalResult importGelu(NodeImporter &node) {
  StringRef kind = node.stringAttribute("approximate", "none");
  if (kind != "none" && kind != "tanh")
    return node.invalid("approximate is neither none nor tanh");
  return node.result(gelu(node.emit, node.operand(0), kind));
}

static LogicalResult importShrink(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  Value bias = emit.splatLike(x, node.floatAttribute("bias", 0));
  double lambda = node.floatAttribute("lambd", 0.5);
  Value result =
      emit.select(emit.compare(x, emit.splatLike(x, lambda), Direction::GT),
                  emit.subtract(x, bias), zeroLike(emit, x));
  return node.result(
      emit.select(emit.compare(x, emit.splatLike(x, -lambda), Direction::LT),
                  emit.add(x, bias), result));
}

/// Applies `along` to an axis of the input. Before opset 13 the dimensions from
/// the axis on were taken as one.
static LogicalResult
importAlongAxis(NodeImporter &node,
                llvm::function_ref<Value(Value x, int64_t axis)> along) {
  Emitter &emit = node.emit;
  bool merges = node.version() < 13;
  Value x = node.operand(0);
  int64_t rank = node.rank(0);
  int64_t axis = node.integerAttribute("axis", merges ? 1 : -1);
  axis = node.normalizeAxis(axis, rank);
  if (emit.hasFault())
    return failure();
  if (!merges || axis == rank - 1)
    return node.result(along(x, axis));
  Extent rows = node.shape(0).leading(axis).product();
  Extent columns = node.shape(0).after(axis).product();
  return node.result(
      emit.reshape(along(emit.reshape(x, {rows, columns}), 1), node.shape(0)));
}

static LogicalResult importSoftmax(NodeImporter &node) {
  return importAlongAxis(
      node, [&](Value x, int64_t axis) { return softmax(node.emit, x, axis); });
}

static LogicalResult importLogSoftmax(NodeImporter &node) {
  return importAlongAxis(node, [&](Value x, int64_t axis) {
    return logSoftmax(node.emit, x, axis);
  });
}

/// 1 at the first greatest element along the axis, 0 elsewhere.
static LogicalResult importHardmax(NodeImporter &node) {
  Emitter &emit = node.emit;
  return importAlongAxis(node, [&](Value x, int64_t axis) {
    Shape shape = emit.shapeOf(x);
    Value top = emit.reduce(x, axis, Combine::Maximum, /*keepDims=*/true);
    Value isTop = emit.holdsExtreme(x, top);
    Value position =
        emit.iota(emit.type(shape, node.builder().getI64Type()), axis);
    Value beyond = emit.numberLike(position, shape[axis]);
    Value first = emit.reduce(emit.select(isTop, position, beyond), axis,
                              Combine::Minimum, /*keepDims=*/true);
    Value isFirst = emit.compare(position, first, Direction::EQ);
    return emit.convert(isFirst, node.element(0));
  });
}

void heddle::onnx::addActivations(OperatorTable &table) {
  table.add("Relu", {6, 13, 14}, 1, 1, importRelu);
  table.add("LeakyRelu", {6, 16}, 1, 1, importLeakyRelu);
  table.add("PRelu", {7, 9, 16}, 2, 2, importPRelu);
  table.add("ThresholdedRelu", {10, 22}, 1, 1, importThresholdedRelu);
  table.add("Elu", {6, 22}, 1, 1, importElu);
  table.add("Selu", {6, 22}, 1, 1, importSelu);
  table.add("Celu", {12, 28}, 1, 1, importCelu);
  table.add("Sigmoid", {6, 13}, 1, 1, importSigmoid);
  table.add("HardSigmoid", {6, 22}, 1, 1, importHardSigmoid);
  table.add("HardSwish", {14, 22}, 1, 1, importHardSwish);
  table.add("Softplus", {1, 22}, 1, 1, importSoftplus);
  table.add("Softsign", {1, 22}, 1, 1, importSoftsign);
  table.add("Mish", {18, 22}, 1, 1, importMish);
  table.add("Swish", {24}, 1, 1, importSwish);
  table.add("SwiGLU", {28}, 2, 2, importSwiGlu);
  table.add("Gelu", {20}, 1, 1, importGelu);
  table.add("Shrink", {9}, 1, 1, importShrink);
  table.add("Softmax", {1, 11, 13}, 1, 1, importSoftmax);
  table.add("LogSoftmax", {1, 11, 13}, 1, 1, importLogSoftmax);
  table.add("Hardmax", {1, 11, 13}, 1, 1, importHardmax);
}
