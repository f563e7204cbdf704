// Emits loads, stores and arithmetic for several consecutive points at once.

#include "passes/Kernel/Cpu/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

using namespace mlir;

namespace heddle {

bool LaneValue::isVector() const {
  return value && isa<VectorType>(value.getType());
}

Type LaneBuilder::lanesOf(Type elementType) const {
  return lanes ? Type(VectorType::get({lanes}, elementType)) : elementType;
}

Value LaneBuilder::materialize(LaneValue value) {
  if (!lanes || value.isVector())
    return value.value;
  Type elementType = value.value.getType();
  auto type = cast<VectorType>(lanesOf(elementType));
  Attribute constant;
  if (value.isUniform() && matchPattern(value.value, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, constant));
  Value start = vector::BroadcastOp::create(builder, loc, type, value.value);
  if (value.isUniform())
    return start;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(builder.getIntegerAttr(elementType, lane * value.step));
  Value offsets = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, steps));
  return arith::AddIOp::create(builder, loc, start, offsets);
}

Value LaneBuilder::constantIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

LaneValue LaneBuilder::add(LaneValue left, LaneValue right) {
  if (left.isVector() || right.isVector())
    return Value(arith::AddIOp::create(builder, loc, materialize(left),
                                       materialize(right)));
  int64_t step = left.step + right.step;
  if (matchPattern(left.value, m_Zero()))
    return {right.value, step};
  if (matchPattern(right.value, m_Zero()))
    return {left.value, step};
  return {arith::AddIOp::create(builder, loc, left.value, right.value), step};
}

LaneValue LaneBuilder::mul(LaneValue left, int64_t factor) {
  if (factor == 1)
    return left;
  if (factor == 0)
    return constantIndex(0);
  IntegerAttr constant;
  if (!left.isVector() && matchPattern(left.value, m_Constant(&constant)))
    return {constantIndex(constant.getInt() * factor), left.step * factor};
  Value right = constantIndex(factor);
  if (left.isVector())
    return Value(
        arith::MulIOp::create(builder, loc, left.value, materialize(right)));
  return {arith::MulIOp::create(builder, loc, left.value, right),
          left.step * factor};
}

LaneValue LaneBuilder::mul(LaneValue left, Value factor) {
  if (std::optional<int64_t> number = getConstantIntValue(factor))
    return mul(left, *number);
  if (!left.isUniform())
    return Value(arith::MulIOp::create(builder, loc, materialize(left),
                                       materialize(factor)));
  if (matchPattern(left.value, m_Zero()))
    return left;
  if (matchPattern(left.value, m_One()))
    return factor;
  return Value(arith::MulIOp::create(builder, loc, left.value, factor));
}

LaneValue LaneBuilder::affine(AffineExpr expr, ArrayRef<LaneValue> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constantIndex(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneValue left = affine(binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add)
    return add(left, affine(binary.getRHS(), dims));
  int64_t right = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return mul(left, right);

  // Positions are never negative, so the unsigned operations round right.
  if (right == 1)
    return expr.getKind() == AffineExprKind::Mod ? LaneValue(constantIndex(0))
                                                 : left;
  Value value = left.isUniform() ? left.value : materialize(left);
  LaneBuilder scalar(builder, loc, 0);
  LaneBuilder &same = left.isUniform() ? scalar : *this;
  Value divisor = same.materialize(constantIndex(right));
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return Value(arith::RemUIOp::create(builder, loc, value, divisor));
  case AffineExprKind::FloorDiv:
    return Value(arith::DivUIOp::create(builder, loc, value, divisor));
  default: {
    Value rest = same.materialize(constantIndex(right - 1));
    value = arith::AddIOp::create(builder, loc, value, rest);
    return Value(arith::DivUIOp::create(builder, loc, value, divisor));
  }
  }
}

Value LaneBuilder::allLanes() {
  if (mask)
    return mask;
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, true));
}

std::pair<Value, Value> LaneBuilder::scattered(LaneValue position) {
  if (position.isVector())
    return {constantIndex(0), position.value};
  SmallVector<int64_t> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(lane * position.step);
  auto type = VectorType::get({lanes}, builder.getI64Type());
  Value steps = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(offsets)));
  return {position.value, steps};
}

LaneValue LaneBuilder::load(Value buffer, Type elementType,
                            LaneValue position) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  auto asElement = [&](Value value) -> Value {
    if (stored == elementType)
      return value;
    // A byte that is not zero is true.
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  };
  if (position.isUniform())
    return asElement(
        memref::LoadOp::create(builder, loc, buffer, position.value));

  auto type = cast<VectorType>(lanesOf(stored));
  if (!position.isVector() && position.step == 1 && !mask)
    return asElement(
        vector::LoadOp::create(builder, loc, type, buffer, position.value));
  Value filler =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (!position.isVector() && position.step == 1)
    return asElement(vector::MaskedLoadOp::create(
        builder, loc, type, buffer, position.value, mask, filler));
  auto [start, offsets] = scattered(position);
  return asElement(vector::GatherOp::create(builder, loc, type, buffer, start,
                                            offsets, allLanes(), filler));
}

/// Whether a constant mask takes the first lane alone.
static bool isFirstLane(Value mask) {
  DenseElementsAttr lanes;
  if (!matchPattern(mask, m_Constant(&lanes)))
    return false;
  auto values = lanes.getValues<bool>();
  return llvm::count(values, true) == 1 && *values.begin();
}

void LaneBuilder::store(Value value, Value buffer, LaneValue position) {
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  if (getElementTypeOrSelf(value.getType()) != stored) {
    Type type = isa<VectorType>(value.getType()) ? lanesOf(stored) : stored;
    value = arith::ExtUIOp::create(builder, loc, type, value);
  }
  if (!lanes) {
    memref::StoreOp::create(builder, loc, value, buffer, position.value);
    return;
  }
  value = materialize(value);
  if (position.isVector() || position.step != 1) {
    auto [start, offsets] = scattered(position);
    vector::ScatterOp::create(builder, loc, /*resultType=*/nullptr, buffer,
                              start, offsets, allLanes(), value);
    return;
  }
  if (!mask) {
    vector::StoreOp::create(builder, loc, value, buffer, position.value);
    return;
  }
  // LLVM 22 stores too many bytes where the only lane of a masked store was
  // truncated: the element's width before the truncation.
  if (isFirstLane(mask)) {
    Value first = vector::ExtractOp::create(builder, loc, value, 0);
    memref::StoreOp::create(builder, loc, first, buffer, position.value);
    return;
  }
  vector::MaskedStoreOp::create(builder, loc, buffer, position.value, mask,
                                value);
}

Value countMask(OpBuilder &builder, Location loc, int64_t lanes, Value count) {
  // Compared as numbers of 32 bits, whose masks are those of most elements.
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(lane);
  auto type = VectorType::get({lanes}, builder.getI32Type());
  Value each = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value narrow =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), count);
  Value spread = vector::BroadcastOp::create(builder, loc, type, narrow);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, each,
                               spread);
}

Value tailMask(OpBuilder &builder, Location loc, int64_t lanes, int64_t count) {
  if (count >= lanes)
    return {};
  SmallVector<bool> bits(lanes, false);
  std::fill_n(bits.begin(), count, true);
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}

} // namespace heddle
