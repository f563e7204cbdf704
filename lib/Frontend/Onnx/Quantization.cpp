// Quantization becomes prec.quantize and prec.dequantize; floats of one byte
// and blocks of tensors whose sizes calls choose are spelled out. Products of
// integers are summed exactly in i32.

#include "Quantization.h"

#include "Functions.h"
#include "Windows.h"

#include "dialects/Prec/Prec.h"
#include "dialects/Size/Expression.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

std::optional<Scaling> heddle::onnx::readScaling(NodeImporter &node,
                                                 size_t scale, size_t zeroPoint,
                                                 const Shape &shape,
                                                 int64_t axis, int64_t block) {
  Emitter &emit = node.emit;
  Scaling result{node.operand(scale),
                 node.has(zeroPoint) ? node.operand(zeroPoint) : Value(),
                 std::nullopt, 0};
  Shape given = node.shape(scale);
  auto isOne = [&](Value value) { return emit.shapeOf(value).product().is(1); };
  // A scalar and a vector of one are both written for one number.
  if (result.zeroPoint && !emit.shapeOf(result.zeroPoint).meets(given) &&
      !(isOne(result.scale) && isOne(result.zeroPoint) && block == 0)) {
    (void)node.invalid("the scale has the shape " + spellShape(given) +
                       ", the zero point " + spellShape(node.shape(zeroPoint)));
    return std::nullopt;
  }
  if (isOne(result.scale) && block == 0) {
    result.scale = emit.reshape(result.scale, {});
    if (result.zeroPoint)
      result.zeroPoint = emit.reshape(result.zeroPoint, {});
    return result;
  }
  axis = node.normalizeAxis(axis, shape.size());
  if (emit.hasFault())
    return std::nullopt;
  result.axis = axis;
  Shape wanted{shape[axis]};
  if (block > 0) {
    wanted = shape;
    wanted[axis] = shape[axis].ceilDiv(block);
    result.block = block;
  }
  if (block < 0 || !given.meets(wanted)) {
    (void)node.invalid("a scale of the shape " + spellShape(given) +
                       " does not fit a tensor of the shape " +
                       spellShape(shape) + " with axis = " + Twine(axis) +
                       " and block_size = " + Twine(block));
    return std::nullopt;
  }
  return result;
}

namespace {

/// A scale or zero point for each element of the shape.
Value spread(Emitter &emit, const Scaling &scaling, Value parameter,
             const Shape &shape) {
  if (!scaling.axis)
    return emit.broadcastTo(parameter, shape);
  int64_t axis = *scaling.axis;
  if (scaling.block == 0)
    return alongDimension(emit, parameter, shape, axis);
  // [.., blocks, ..] to [.., blocks, block, ..] to [.., blocks * block, ..],
  // the last block cut.
  Shape split = emit.shapeOf(parameter), merged = split;
  OwnedExtents dims;
  split.insert(split.begin() + axis + 1, scaling.block);
  merged[axis] *= scaling.block;
  for (int64_t i = 0; i < int64_t(merged.size()); ++i)
    dims.push_back(i <= axis ? i : i + 1);
  Value repeated =
      emit.reshape(emit.broadcastInDim(parameter, split, dims), merged);
  return emit.sliceDim(repeated, axis, 0, shape[axis]);
}

/// Scales may be of types in which nothing is computed.
Value inComputable(Emitter &emit, Value value) {
  return Emitter::elementOf(value).getIntOrFloatBitWidth() < 16
             ? emit.convert(value, emit.builder.getF32Type())
             : value;
}

/// Whether prec has an operation for it: for blocks where sizes are known, for
/// zero points of the type that is stored.
bool isOperation(Value x, const Scaling &scaling, IntegerType storage) {
  return (scaling.block == 0 || !size::hasExtents(x.getType())) &&
         (!scaling.zeroPoint ||
          Emitter::elementOf(scaling.zeroPoint) == storage);
}

IntegerAttr blockOf(Emitter &emit, const Scaling &scaling) {
  return scaling.block ? emit.builder.getI64IntegerAttr(scaling.block)
                       : IntegerAttr();
}

IntegerAttr axisOf(Emitter &emit, const Scaling &scaling) {
  return scaling.axis ? emit.builder.getI64IntegerAttr(*scaling.axis)
                      : IntegerAttr();
}

/// A zero point of the storage type, zeros where none is given.
Value zeroPointOf(Emitter &emit, const Scaling &scaling, Type storage) {
  if (scaling.zeroPoint)
    return scaling.zeroPoint;
  return emit.splatInteger(emit.type(emit.shapeOf(scaling.scale), storage), 0);
}

} // namespace

Value heddle::onnx::quantize(Emitter &emit, Value x, Scaling scaling,
                             Type storage, bool saturates) {
  scaling.scale = emit.convert(scaling.scale, Emitter::elementOf(x));
  auto integer = dyn_cast<IntegerType>(storage);
  Shape shape = emit.shapeOf(x);
  if (integer && isOperation(x, scaling, integer))
    return prec::QuantizeOp::create(
        emit.builder, emit.loc, emit.type(shape, storage), x, scaling.scale,
        zeroPointOf(emit, scaling, storage), axisOf(emit, scaling),
        blockOf(emit, scaling), prec::Rounding::NearestEven,
        prec::leastOf(integer), prec::largestOf(integer),
        /*storage_type=*/TypeAttr());

  Value value = emit.divide(x, spread(emit, scaling, scaling.scale, shape));
  if (integer)
    value = emit.unary<stablehlo::RoundNearestEvenOp>(value);
  // That of a float type is zero and says the type.
  if (scaling.zeroPoint && integer)
    value = emit.add(
        value, emit.convert(spread(emit, scaling, scaling.zeroPoint, shape),
                            Emitter::elementOf(x)));
  double least, largest;
  if (integer) {
    least = double(prec::leastOf(integer));
    largest = double(prec::largestOf(integer));
  } else {
    largest = APFloat::getLargest(cast<FloatType>(storage).getFloatSemantics())
                  .convertToDouble();
    least = -largest;
  }
  if (saturates)
    value = emit.minimum(emit.maximum(value, emit.splatLike(value, least)),
                         emit.splatLike(value, largest));
  return emit.convert(value, storage);
}

Value heddle::onnx::dequantize(Emitter &emit, Value x, Scaling scaling,
                               Type result) {
  Shape shape = emit.shapeOf(x);
  Type storage = Emitter::elementOf(x);
  if (!result.isInteger())
    scaling.scale = inComputable(emit, scaling.scale);
  if (auto integer = dyn_cast<IntegerType>(storage);
      integer && isOperation(x, scaling, integer))
    return prec::DequantizeOp::create(
        emit.builder, emit.loc, emit.type(shape, result), x, scaling.scale,
        zeroPointOf(emit, scaling, storage), axisOf(emit, scaling),
        blockOf(emit, scaling), /*storage_type=*/TypeAttr());
  // 32 bits hold differences of narrow numbers exactly.
  Type wide = emit.builder.getF32Type();
  Value value = emit.convert(x, wide);
  if (scaling.zeroPoint && isa<IntegerType>(storage))
    value = emit.subtract(
        value,
        emit.convert(spread(emit, scaling, scaling.zeroPoint, shape), wide));
  Value scale = emit.convert(spread(emit, scaling, scaling.scale, shape), wide);
  return emit.convert(emit.multiply(value, scale), result);
}

namespace {

LogicalResult importQuantize(NodeImporter &node) {
  Emitter &emit = node.emit;
  Type storage = node.typeAttribute(
      "output_dtype",
      IntegerType::get(emit.builder.getContext(), 8, IntegerType::Unsigned));
  if (node.has(2))
    storage = node.element(2);
  Type real = node.typeAttribute("precision", node.element(1));
  std::optional<Scaling> scaling =
      readScaling(node, 1, 2, node.shape(0), node.integerAttribute("axis", 1),
                  node.integerAttribute("block_size", 0));
  bool saturates = node.integerAttribute("saturate", 1) != 0;
  if (!scaling || emit.hasFault())
    return failure();
  if (!isa<FloatType>(real) || real.getIntOrFloatBitWidth() < 16)
    real = emit.builder.getF32Type();
  Value x = emit.convert(node.operand(0), real);
  // Types that have neither infinity nor NaN always saturate.
  if (auto narrow = dyn_cast<FloatType>(storage))
    saturates |= !APFloat::semanticsHasNaN(narrow.getFloatSemantics());
  return node.result(quantize(emit, x, *scaling, storage, saturates));
}

LogicalResult importDequantize(NodeImporter &node) {
  Emitter &emit = node.emit;
  Type result = node.typeAttribute("output_dtype", node.element(1));
  std::optional<Scaling> scaling =
      readScaling(node, 1, 2, node.shape(0), node.integerAttribute("axis", 1),
                  node.integerAttribute("block_size", 0));
  if (!scaling || emit.hasFault())
    return failure();
  if (!isa<FloatType>(result))
    return node.invalid("the result is no float");
  if (result.getIntOrFloatBitWidth() < 16)
    return node.unsupported("a result of a type in which nothing is computed");
  return node.result(dequantize(emit, node.operand(0), *scaling, result));
}

/// Whether what computes a value says that no element is below zero: the ReLU
/// or the clamp behind a layer, at most so many steps before.
bool isNeverNegative(Value value, unsigned steps = 8) {
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.isSplat() && isa<FloatType>(constant.getElementType()) &&
           !constant.getSplatValue<APFloat>().isNegative();
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  auto isCovered = [&](Value operand) {
    return isNeverNegative(operand, steps - 1);
  };
  if (isa<stablehlo::MaxOp>(op))
    return llvm::any_of(op->getOperands(), isCovered);
  if (isa<stablehlo::MinOp, stablehlo::AddOp, stablehlo::MulOp>(op))
    return llvm::all_of(op->getOperands(), isCovered);
  if (auto clamp = dyn_cast<stablehlo::ClampOp>(op))
    return isCovered(clamp.getMin()) && isCovered(clamp.getMax());
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
          stablehlo::TransposeOp>(op))
    return isCovered(op->getOperand(0));
  return isa<stablehlo::AbsOp, stablehlo::LogisticOp>(op);
}

/// Scale and zero point from the range of the values, zero inside it. Where
/// none is below zero, the zero point is known to be zero: products with it
/// want nothing taken off, and their padding is what it is.
LogicalResult importDynamicQuantize(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  OwnedExtents dims;
  for (int64_t i = 0; i < node.rank(0); ++i)
    dims.push_back(i);
  Value zero = emit.scalar(node.element(0), 0);
  bool startsAtZero = isNeverNegative(x);
  Value least =
      startsAtZero ? zero
                   : emit.minimum(emit.reduce(x, dims, Combine::Minimum), zero);
  Value largest = emit.maximum(emit.reduce(x, dims, Combine::Maximum), zero);
  Value range = emit.scalar(node.element(0), 255);
  Value scale = emit.divide(emit.subtract(largest, least), range);
  Type storage =
      IntegerType::get(emit.builder.getContext(), 8, IntegerType::Unsigned);
  Value zeroPoint;
  if (startsAtZero) {
    zeroPoint = emit.splatInteger(emit.type({}, storage), 0);
  } else {
    Value offset = emit.unary<stablehlo::RoundNearestEvenOp>(
        emit.divide(emit.subtract(zero, least), scale));
    zeroPoint =
        emit.convert(emit.minimum(emit.maximum(offset, zero), range), storage);
  }
  node.set(0, quantize(emit, x, {scale, zeroPoint, std::nullopt, 0}, storage));
  node.set(1, scale);
  node.set(2, zeroPoint);
  return success();
}

} // namespace

/// How an operand of at most 16 bits is a factor of sums in i32: with a scale
/// of one, and no zero point, one, or one for each index of dimension `axis`.
/// Nothing where it is neither.
static std::optional<Scaling> factorScaling(NodeImporter &node, size_t operand,
                                            size_t zeroPoint, int64_t axis) {
  Emitter &emit = node.emit;
  auto storage = dyn_cast<IntegerType>(node.element(operand));
  if (!storage || storage.getWidth() > 16)
    return std::nullopt;
  Scaling scaling;
  Shape parameters;
  if (node.has(zeroPoint)) {
    if (node.element(zeroPoint) != storage)
      return std::nullopt;
    if (!node.shape(zeroPoint).product().is(1)) {
      if (node.rank(zeroPoint) != 1 || axis >= node.rank(operand) ||
          !node.shape(zeroPoint).meets({node.shape(operand)[axis]}))
        return std::nullopt;
      scaling.axis = axis;
      parameters = node.shape(zeroPoint);
    }
    scaling.zeroPoint = emit.reshape(node.operand(zeroPoint), parameters);
  }
  Type wide = emit.builder.getI32Type();
  scaling.scale = emit.splatInteger(emit.type(parameters, wide), 1);
  return scaling;
}

Value heddle::onnx::centred(NodeImporter &node, size_t operand,
                            size_t zeroPoint, int64_t axis) {
  Emitter &emit = node.emit;
  Type wide = emit.builder.getI32Type();
  if (auto scaling = factorScaling(node, operand, zeroPoint, axis))
    return dequantize(emit, node.operand(operand), *scaling, wide);
  Value value = emit.convert(node.operand(operand), wide);
  if (!node.has(zeroPoint))
    return value;
  Value zero = emit.convert(node.operand(zeroPoint), wide);
  Shape shape = node.shape(operand);
  if (node.shape(zeroPoint).product().is(1))
    zero = emit.reshape(zero, {});
  else if (node.rank(zeroPoint) == 1 && node.rank(operand) > 0)
    zero = alongDimension(emit, zero, shape, axis);
  return emit.subtract(value, emit.broadcastTo(zero, shape));
}

namespace {

LogicalResult importMatMulInteger(NodeImporter &node) {
  Value lhs = centred(node, 0, 2, std::max<int64_t>(node.rank(0) - 2, 0));
  Value rhs = centred(node, 1, 3, std::max<int64_t>(node.rank(1) - 1, 0));
  return node.result(matmul(node.emit, lhs, rhs));
}

/// The sums as real numbers, in units of both scales.
Value inUnits(NodeImporter &node, Value sums, size_t scale, int64_t axis) {
  Emitter &emit = node.emit;
  Value unit = node.operand(scale);
  Shape shape = emit.shapeOf(sums);
  if (node.shape(scale).product().is(1))
    unit = emit.reshape(unit, {});
  else if (node.rank(scale) == 1)
    unit = alongDimension(emit, unit, shape, axis);
  return emit.multiply(sums, emit.convert(emit.broadcastTo(unit, shape),
                                          Emitter::elementOf(sums)));
}

/// A, its scale and zero point, B, its scale and zero point, the result's.
LogicalResult importQLinearMatMul(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value lhs = centred(node, 0, 2, std::max<int64_t>(node.rank(0) - 2, 0));
  Value rhs = centred(node, 3, 5, std::max<int64_t>(node.rank(3) - 1, 0));
  Value sums = emit.convert(matmul(emit, lhs, rhs), emit.builder.getF32Type());
  if (emit.hasFault())
    return failure();
  int64_t rank = Emitter::typeOf(sums).getRank();
  Value real =
      inUnits(node, inUnits(node, sums, 1, std::max<int64_t>(rank - 2, 0)), 4,
              std::max<int64_t>(rank - 1, 0));
  std::optional<Scaling> scaling =
      readScaling(node, 6, 7, emit.shapeOf(real), rank - 1);
  if (!scaling)
    return failure();
  return node.result(quantize(emit, real, *scaling, node.element(7)));
}

/// The exact convolution of an input and weights without their zero points.
FailureOr<Value> convolve(NodeImporter &node, Value input, Value weights) {
  Emitter &emit = node.emit;
  int64_t groups = node.integerAttribute("group", 1);
  OwnedExtents kernel = emit.knownShapeOf(weights);
  if (Emitter::typeOf(input).getRank() != int64_t(kernel.size()) ||
      kernel.size() < 3)
    return node.invalid("input and weights have the shapes " +
                        spellShape(emit.shapeOf(input)) + " and " +
                        spellShape(kernel));
  std::optional<Window> window =
      readWindow(node, Extents(kernel).drop_front(2));
  if (!window)
    return failure();
  return emit.convolution(input, weights, *window,
                          OwnedExtents(window->size.size(), 1), groups);
}

LogicalResult importConvInteger(NodeImporter &node) {
  FailureOr<Value> sums =
      convolve(node, centred(node, 0, 2, 0), centred(node, 1, 3, 0));
  return failed(sums) ? failure() : node.result(*sums);
}

/// X, its scale and zero point, W, its scale and zero point, the result's, and
/// a bias of i32 in units of both scales.
LogicalResult importQLinearConv(NodeImporter &node) {
  Emitter &emit = node.emit;
  FailureOr<Value> sums =
      convolve(node, centred(node, 0, 2, 0), centred(node, 3, 5, 0));
  if (failed(sums) || emit.hasFault())
    return failure();
  Shape shape = emit.shapeOf(*sums);
  if (node.has(8))
    sums = emit.add(*sums, alongDimension(emit, node.operand(8), shape, 1));
  Value real = emit.convert(*sums, emit.builder.getF32Type());
  real = inUnits(node, inUnits(node, real, 1, 1), 4, 1);
  std::optional<Scaling> scaling = readScaling(node, 6, 7, shape, 1);
  if (!scaling)
    return failure();
  return node.result(quantize(emit, real, *scaling, node.element(7)));
}

} // namespace

void heddle::onnx::addQuantization(OperatorTable &table) {
  table.add("QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, 2, 3,
            importQuantize);
  table.add("DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, 2, 3,
            importDequantize);
  // onnxruntime's forms for types that an older operator set lacks.
  table.add("com.microsoft.QuantizeLinear", {1}, 2, 3, importQuantize);
  table.add("com.microsoft.DequantizeLinear", {1}, 2, 3, importDequantize);
  table.add("DynamicQuantizeLinear", {11}, 1, 1, importDynamicQuantize, 3);
  table.add("MatMulInteger", {10}, 2, 4, importMatMulInteger);
  table.add("QLinearMatMul", {10, 21}, 8, 8, importQLinearMatMul);
  table.add("ConvInteger", {10}, 2, 4, importConvInteger);
  table.add("QLinearConv", {10}, 8, 9, importQLinearConv);
}
