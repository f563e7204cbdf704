// Operations of CHLO that broadcast: their shapes, verifiers, and what they are
// in StableHLO.

#include "dialects/Chlo/Broadcasting.h"

#include "dialects/Chlo/Chlo.h"
#include "heddle/Support/TensorTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::chlo {

ArrayRef<StringLiteral> broadcastingOperations() {
  static constexpr StringLiteral names[] = {
      "chlo.broadcast_add",
      "chlo.broadcast_and",
      "chlo.broadcast_atan2",
      "chlo.broadcast_divide",
      "chlo.broadcast_maximum",
      "chlo.broadcast_minimum",
      "chlo.broadcast_multiply",
      "chlo.broadcast_next_after",
      "chlo.broadcast_or",
      "chlo.broadcast_polygamma",
      "chlo.broadcast_power",
      "chlo.broadcast_remainder",
      "chlo.broadcast_shift_left",
      "chlo.broadcast_shift_right_arithmetic",
      "chlo.broadcast_shift_right_logical",
      "chlo.broadcast_subtract",
      "chlo.broadcast_xor",
      "chlo.broadcast_zeta",
      "chlo.broadcast_complex",
      "chlo.broadcast_compare",
      "chlo.broadcast_select",
      "chlo.is_inf",
      "chlo.is_neg_inf",
      "chlo.is_pos_inf",
      "chlo.constant",
      "chlo.constant_like"};
  return names;
}

/// Which dimension of a result of `rank` each dimension of an operand is. Empty
/// where `given` does not say that.
static std::optional<SmallVector<int64_t>>
placesOf(ArrayRef<int64_t> operand, int64_t rank,
         std::optional<ArrayRef<int64_t>> given) {
  int64_t own = operand.size();
  if (own < rank && given) {
    SmallVector<int64_t> places(*given);
    if (int64_t(places.size()) != own || !llvm::is_sorted(places) ||
        llvm::any_of(places, [&](int64_t p) { return p < 0 || p >= rank; }) ||
        std::adjacent_find(places.begin(), places.end()) != places.end())
      return std::nullopt;
    return places;
  }
  return llvm::to_vector(llvm::seq<int64_t>(rank - own, rank));
}

/// The shape that all operands are broadcast to; nothing where they do not go
/// together.
static std::optional<SmallVector<int64_t>>
commonShape(ValueRange operands, std::optional<ArrayRef<int64_t>> given) {
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max<int64_t>(rank, shapeOf(operand).size());
  SmallVector<int64_t> shape(rank, 1);
  for (Value operand : operands) {
    auto places = placesOf(shapeOf(operand), rank, given);
    if (!places)
      return std::nullopt;
    for (auto [size, place] : llvm::zip_equal(shapeOf(operand), *places)) {
      int64_t &common = shape[place];
      if (size == 1 || size == common)
        continue;
      if (common == 1)
        common = size;
      else if (ShapedType::isStatic(size) && ShapedType::isStatic(common))
        return std::nullopt;
      else if (ShapedType::isDynamic(common))
        // A size that is not known is this one, or 1.
        common = size;
    }
  }
  return shape;
}

static std::optional<ArrayRef<int64_t>> dimensionsOf(Operation *op) {
  auto given = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  return given ? std::optional(given.asArrayRef()) : std::nullopt;
}

std::optional<SmallVector<int64_t>> broadcastShape(Operation *op) {
  if (!llvm::is_contained(broadcastingOperations(),
                          op->getName().getStringRef()) ||
      op->getNumOperands() == 0)
    return std::nullopt;
  return commonShape(op->getOperands(), dimensionsOf(op));
}

static LogicalResult verifyBroadcast(Operation *op, ValueRange operands) {
  auto given = dimensionsOf(op);
  auto shape = commonShape(operands, given);
  InFlightDiagnostic error = op->emitOpError();
  auto list = [&] {
    llvm::interleaveComma(operands.getTypes(), error);
    return failure();
  };
  if (!shape) {
    error << (given ? "has broadcast_dimensions that do not bring together "
                    : "cannot bring to one shape: ");
    return list();
  }
  Value first = operands.back();
  for (Value operand : operands.take_back(2))
    if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(first)) {
      error << "has operands of different element types: ";
      return list();
    }
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(verifyCompatibleShape(result.getShape(), *shape))) {
    error << "gives " << result << ", which is not the shape of ";
    return list();
  }
  Type element = result.getElementType(), wanted = getElementTypeOrSelf(first);
  if (isa<BroadcastComplexOp>(op))
    wanted = ComplexType::get(wanted);
  if (!isa<BroadcastCompareOp>(op) && element != wanted) {
    error << "gives elements of type " << element << " from ";
    return list();
  }
  error.abandon();
  return success();
}

LogicalResult BroadcastAddOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastAndOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastAtan2Op::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastDivideOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastMaximumOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastMinimumOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastMultiplyOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastNextAfterOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastOrOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastPolygammaOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastPowerOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastRemainderOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastShiftLeftOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastShiftRightArithmeticOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastShiftRightLogicalOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastSubtractOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastXorOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastZetaOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastComplexOp::verify() {
  return verifyBroadcast(*this, getOperands());
}
LogicalResult BroadcastCompareOp::verify() {
  return verifyBroadcast(*this, getOperands());
}

LogicalResult BroadcastSelectOp::verify() {
  return verifyBroadcast(*this, getOperands());
}

LogicalResult ConstantLikeOp::verify() {
  Type element = getElementTypeOrSelf(getResult());
  if (!isa<IntegerAttr, FloatAttr>(getValue()) ||
      getValue().getType() != element)
    return emitOpError() << "has the value " << getValue()
                         << ", which is no element of type " << element;
  return success();
}

//===----------------------------------------------------------------------===//
// In StableHLO
//===----------------------------------------------------------------------===//

/// Whether the elements are infinities of some sign.
static Value isInfinite(OpBuilder &b, Operation *op, Value x) {
  using namespace stablehlo;
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(x.getType());
  auto element = cast<FloatType>(type.getElementType());
  auto boolean = type.clone(b.getI1Type());
  if (!APFloat::semanticsHasInf(element.getFloatSemantics()))
    return stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(boolean, false));
  bool negative = isa<IsNegInfOp>(op);
  APFloat infinity = APFloat::getInf(element.getFloatSemantics(), negative);
  Value wanted = stablehlo::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, infinity));
  if (isa<IsInfOp>(op))
    x = AbsOp::create(b, loc, x);
  return CompareOp::create(b, loc, x, wanted,
                           stablehlo::ComparisonDirection::EQ,
                           stablehlo::ComparisonType::FLOAT);
}

static Value broadcast(OpBuilder &b, Location loc, Value value,
                       ArrayRef<int64_t> shape,
                       std::optional<ArrayRef<int64_t>> given, bool always) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape && !always)
    return value;
  auto places = placesOf(type.getShape(), shape.size(), given);
  return stablehlo::BroadcastInDimOp::create(b, loc, type.clone(shape), value,
                                             *places);
}

Value expandBroadcasting(OpBuilder &b, Operation *op, ValueRange operands,
                         bool always) {
  using namespace stablehlo;
  Location loc = op->getLoc();
  if (!llvm::all_of(operands.getTypes(), [](Type type) {
        return cast<RankedTensorType>(type).hasStaticShape();
      }))
    return {};
  if (auto constant = dyn_cast<chlo::ConstantOp>(op))
    return stablehlo::ConstantOp::create(b, loc, constant.getValue());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (auto like = dyn_cast<ConstantLikeOp>(op))
    return stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            RankedTensorType::get(shapeOf(operands[0]), element),
            Attribute(like.getValue())));
  if (isa<IsInfOp, IsNegInfOp, IsPosInfOp>(op))
    return isInfinite(b, op, operands[0]);

  auto given = dimensionsOf(op);
  auto shape = commonShape(operands, given);
  if (!shape)
    return {};
  SmallVector<Value> equal;
  for (Value operand : operands)
    equal.push_back(broadcast(b, loc, operand, *shape, given, always));
  if (auto compare = dyn_cast<BroadcastCompareOp>(op)) {
    auto order = compare.getCompareType();
    // Of the same numbers.
    auto direction = static_cast<stablehlo::ComparisonDirection>(
        compare.getComparisonDirection());
    if (!order || *order == chlo::ComparisonType::NOTYPE)
      return CompareOp::create(b, loc, equal[0], equal[1], direction);
    return CompareOp::create(b, loc, equal[0], equal[1], direction,
                             static_cast<stablehlo::ComparisonType>(*order));
  }
  bool isOurs =
      isa<BroadcastNextAfterOp, BroadcastPolygammaOp, BroadcastZetaOp>(op);
  StringRef name = op->getName().stripDialect();
  name.consume_front("broadcast_");
  OperationState state(loc, ((isOurs ? "chlo." : "stablehlo.") + name).str());
  state.addOperands(equal);
  state.addTypes(RankedTensorType::get(*shape, element));
  return b.create(state)->getResult(0);
}

} // namespace heddle::chlo
