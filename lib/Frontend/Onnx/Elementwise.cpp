// Arithmetic, logic and comparison of elements, with numpy's broadcasting.

#include "NodeImporter.h"

#include "dialects/Size/Size.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

template <typename Op> static LogicalResult importBinary(NodeImporter &node) {
  return node.result(node.emit.binary<Op>(node.operand(0), node.operand(1)));
}

/// Max, Min, Sum take any number of operands.
template <typename Op> static LogicalResult importVariadic(NodeImporter &node) {
  Value result = node.operand(0);
  for (size_t i = 1; i < node.numOperands(); ++i)
    result = node.emit.binary<Op>(result, node.operand(i));
  return node.result(result);
}

static LogicalResult importMean(NodeImporter &node) {
  if (failed(importVariadic<stablehlo::AddOp>(node)))
    return failure();
  Value sum = node.allResults().front();
  return node.result(
      node.emit.binary<stablehlo::DivOp>(sum, double(node.numOperands())));
}

template <stablehlo::ComparisonDirection direction>
static LogicalResult importComparison(NodeImporter &node) {
  return node.result(
      node.emit.compare(node.operand(0), node.operand(1), direction));
}

static LogicalResult importNot(NodeImporter &node) {
  return node.result(node.emit.unary<stablehlo::NotOp>(node.operand(0)));
}

static LogicalResult importWhere(NodeImporter &node) {
  return node.result(
      node.emit.select(node.operand(0), node.operand(1), node.operand(2)));
}

/// Mod takes the sign of the divisor (Python), with fmod = 1 that of the
/// dividend (C); since opset 28 for floats too.
static LogicalResult importMod(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value rest = emit.binary<stablehlo::RemOp>(node.operand(0), node.operand(1));
  bool likeC = node.integerAttribute("fmod", 0) != 0;
  Type element = Emitter::elementOf(rest);
  if (!likeC && isa<FloatType>(element) && node.version() < 28)
    return node.invalid("fmod = 0 is for integers; the operands are floats");
  // Sizes are followed only where none is negative.
  bool isSize = rest.getDefiningOp<size::TensorOp>() != nullptr;
  if (likeC || isSize || element.isUnsignedInteger())
    return node.result(rest);
  using Direction = stablehlo::ComparisonDirection;
  Value divisor = emit.broadcastTo(node.operand(1), emit.shapeOf(rest));
  Value zero = emit.splatLike(rest, 0);
  Value differs =
      emit.compare(emit.compare(rest, zero, Direction::LT),
                   emit.compare(divisor, zero, Direction::LT), Direction::NE);
  Value wrong = emit.binary<stablehlo::AndOp>(
      emit.compare(rest, zero, Direction::NE), differs);
  return node.result(emit.select(wrong, emit.add(rest, divisor), rest));
}

/// The result has the base's type; whole exponents up to 3 become products,
/// which are exact and cheap.
static LogicalResult importPow(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value base = node.operand(0), exponent = node.operand(1);
  Shape shape = emit.broadcastShape(emit.shapeOf(base), emit.shapeOf(exponent));
  std::optional<Literal> known = node.literal(1);
  bool isFloat = isa<FloatType>(Emitter::elementOf(base));
  if (known && known->size() == 1 && isFloat) {
    double power =
        known->isFloat() ? known->floats[0] : double(known->integers[0]);
    Value wide = emit.broadcastTo(base, shape);
    if (power == 1)
      return node.result(wide);
    if (power == 2)
      return node.result(emit.multiply(wide, wide));
    if (power == 3)
      return node.result(emit.multiply(emit.multiply(wide, wide), wide));
    if (power == 0.5)
      return node.result(emit.unary<stablehlo::SqrtOp>(wide));
  }
  // An integer to a float's power is computed in floats, as the definition's
  // order of casts says.
  Type common = Emitter::elementOf(base);
  if (!isFloat && isa<FloatType>(Emitter::elementOf(exponent)))
    common = Emitter::elementOf(exponent);
  Value result = emit.binary<stablehlo::PowOp>(emit.convert(base, common),
                                               emit.convert(exponent, common));
  return node.result(emit.convert(result, Emitter::elementOf(base)));
}

static LogicalResult importBitShift(NodeImporter &node) {
  StringRef direction = node.stringAttribute("direction", "");
  if (direction == "LEFT")
    return importBinary<stablehlo::ShiftLeftOp>(node);
  if (direction != "RIGHT")
    return node.invalid("direction is neither LEFT nor RIGHT");
  if (node.element(0).isUnsignedInteger())
    return importBinary<stablehlo::ShiftRightLogicalOp>(node);
  return importBinary<stablehlo::ShiftRightArithmeticOp>(node);
}

/// Bounds may be left out, and each is a scalar; they were attributes before
/// opset 11.
static LogicalResult importClip(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value result = node.operand(0);
  if (node.version() < 11) {
    double low = node.floatAttribute("min", 0);
    double high = node.floatAttribute("max", 0);
    if (node.hasAttribute("min"))
      result = emit.maximum(result, emit.splatLike(result, low));
    if (node.hasAttribute("max"))
      result = emit.minimum(result, emit.splatLike(result, high));
    return node.result(result);
  }
  if (node.has(1))
    result = emit.maximum(
        result, emit.broadcastTo(node.operand(1), emit.shapeOf(result)));
  if (node.has(2))
    result = emit.minimum(
        result, emit.broadcastTo(node.operand(2), emit.shapeOf(result)));
  return node.result(result);
}

static LogicalResult importIdentity(NodeImporter &node) {
  return node.result(node.operand(0));
}

/// Inference: nothing is dropped, unless training_mode is a known true.
static LogicalResult importDropout(NodeImporter &node) {
  node.ignoreAttribute("seed");
  if (node.version() < 12)
    node.ignoreAttribute("ratio");
  if (node.has(2)) {
    std::optional<int64_t> training = node.integer(2, "training_mode");
    std::optional<double> ratio =
        node.has(1) ? node.number(1, "ratio") : std::optional<double>(0.5);
    if (!training || !ratio)
      return failure();
    if (*training && *ratio != 0)
      return node.unsupported("training mode draws random numbers");
  }
  node.set(0, node.operand(0));
  if (node.wants(1)) {
    // The mask was a tensor of the input's type at first.
    Type element =
        node.version() < 10 ? node.element(0) : node.builder().getI1Type();
    node.set(1, node.emit.splat(node.emit.type(node.shape(0), element), 1));
  }
  return success();
}

/// Float to integer drops the fraction as stablehlo.convert does; to bool, what
/// is not zero is true.
static Value cast(NodeImporter &node, Value value, Type element) {
  Emitter &emit = node.emit;
  if (element.isInteger(1))
    return emit.compare(value, emit.splatLike(value, 0),
                        stablehlo::ComparisonDirection::NE);
  // What does not fit the narrowest integers wraps, as it does on the way from
  // wider ones.
  if (isa<FloatType>(Emitter::elementOf(value)) && isa<IntegerType>(element) &&
      element.getIntOrFloatBitWidth() < 8)
    value = emit.convert(value, emit.builder.getI32Type());
  return emit.convert(value, element);
}

/// Whether `saturate` says how to convert to `type`.
static bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8;
}

/// To the narrowest floats: what is too large, and infinity, becomes the
/// largest number with `saturate`, else what the type has beyond it: infinity
/// or NaN. NaN stays NaN.
static Value castNarrow(NodeImporter &node, Value value, FloatType to,
                        bool saturates) {
  Emitter &emit = node.emit;
  if (!isa<FloatType>(Emitter::elementOf(value)))
    value = emit.convert(value, emit.builder.getF32Type());
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  // What has no NaN has nothing beyond its largest number either, and takes NaN
  // for -0, as the package's own cases do.
  bool hasNan = APFloat::semanticsHasNaN(semantics);
  if (!hasNan)
    value = emit.select(
        emit.compare(value, value, stablehlo::ComparisonDirection::NE),
        emit.splatLike(value, -0.0), value);
  if (saturates || !hasNan) {
    double largest = APFloat::getLargest(semantics).convertToDouble();
    Value low = emit.splatLike(value, -largest),
          high = emit.splatLike(value, largest);
    value = stablehlo::ClampOp::create(emit.builder, emit.loc, value.getType(),
                                       low, value, high);
  }
  return emit.convert(value, to);
}

static LogicalResult importCastTo(NodeImporter &node, Type to) {
  Type from = node.element(0);
  bool saturates = node.integerAttribute("saturate", 1) != 0;
  StringRef rounding = node.stringAttribute("round_mode", "up");
  if (to == from)
    return node.result(node.operand(0));
  if (!isNarrowFloat(to))
    return node.result(cast(node, node.operand(0), to));
  if (isa<Float8E8M0FNUType>(to))
    return node.unsupported("conversion to a power of two (float8e8m0), " +
                            rounding + " where it is none");
  return node.result(
      castNarrow(node, node.operand(0), cast<FloatType>(to), saturates));
}

static LogicalResult importCast(NodeImporter &node) {
  Type to = node.typeAttribute("to", {});
  if (!node.hasAttribute("to"))
    return node.invalid("attribute 'to' is missing");
  return to ? importCastTo(node, to) : failure();
}

static LogicalResult importCastLike(NodeImporter &node) {
  return importCastTo(node, node.element(1));
}

static LogicalResult importBitCast(NodeImporter &node) {
  Type to = node.typeAttribute("to", {});
  if (!to)
    return node.invalid("attribute 'to' is missing or unknown");
  // A bool is stored as a byte of 0 or 1.
  if (node.element(0).isInteger(1) && to.isInteger(8))
    return node.result(node.emit.convert(node.operand(0), to));
  if (node.element(0).isInteger(8) && to.isInteger(1))
    return node.result(cast(node, node.operand(0), to));
  if (to.getIntOrFloatBitWidth() != node.element(0).getIntOrFloatBitWidth())
    return node.invalid("the types differ in width");
  return node.result(stablehlo::BitcastConvertOp::create(
      node.builder(), node.emit.loc, node.emit.type(node.shape(0), to),
      node.operand(0)));
}

void heddle::onnx::addElementwise(OperatorTable &table) {
  using Direction = stablehlo::ComparisonDirection;
  table.add("Add", {7, 13, 14}, 2, 2, importBinary<stablehlo::AddOp>);
  table.add("Sub", {7, 13, 14}, 2, 2, importBinary<stablehlo::SubtractOp>);
  table.add("Mul", {7, 13, 14}, 2, 2, importBinary<stablehlo::MulOp>);
  table.add("Div", {7, 13, 14}, 2, 2, importBinary<stablehlo::DivOp>);
  table.add("Mod", {10, 13, 28}, 2, 2, importMod);
  table.add("Pow", {7, 12, 13, 15}, 2, 2, importPow);
  table.add("Max", {6, 8, 12, 13}, 1, kAnyNumber,
            importVariadic<stablehlo::MaxOp>);
  table.add("Min", {6, 8, 12, 13}, 1, kAnyNumber,
            importVariadic<stablehlo::MinOp>);
  table.add("Sum", {6, 8, 13}, 1, kAnyNumber, importVariadic<stablehlo::AddOp>);
  table.add("Mean", {6, 8, 13}, 1, kAnyNumber, importMean);
  table.add("And", {7}, 2, 2, importBinary<stablehlo::AndOp>);
  table.add("Or", {7}, 2, 2, importBinary<stablehlo::OrOp>);
  table.add("Xor", {7}, 2, 2, importBinary<stablehlo::XorOp>);
  table.add("Not", {1}, 1, 1, importNot);
  table.add("BitwiseAnd", {18}, 2, 2, importBinary<stablehlo::AndOp>);
  table.add("BitwiseOr", {18}, 2, 2, importBinary<stablehlo::OrOp>);
  table.add("BitwiseXor", {18}, 2, 2, importBinary<stablehlo::XorOp>);
  table.add("BitwiseNot", {18}, 1, 1, importNot);
  table.add("BitShift", {11, 28}, 2, 2, importBitShift);
  table.add("Equal", {7, 11, 13, 19}, 2, 2, importComparison<Direction::EQ>);
  table.add("Less", {7, 9, 13}, 2, 2, importComparison<Direction::LT>);
  table.add("LessOrEqual", {12, 16}, 2, 2, importComparison<Direction::LE>);
  table.add("Greater", {7, 9, 13}, 2, 2, importComparison<Direction::GT>);
  table.add("GreaterOrEqual", {12, 16}, 2, 2, importComparison<Direction::GE>);
  table.add("Where", {9, 16}, 3, 3, importWhere);
  table.add("Clip", {6, 11, 12, 13}, 1, 3, importClip);
  table
      .add("Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, 1, 1,
           importIdentity)
      .takesSequences = true;
  table.add("Dropout", {7, 10, 12, 13, 22}, 1, 3, importDropout, 2);
  table.add("Cast", {6, 9, 13, 19, 21, 23, 24, 25, 28}, 1, 1, importCast);
  table.add("CastLike", {15, 19, 21, 23, 24, 25}, 2, 2, importCastLike);
  table.add("BitCast", {26}, 1, 1, importBitCast);
}
