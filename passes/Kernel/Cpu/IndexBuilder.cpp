// Emits arithmetic on indices and folds constants on the way.

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace heddle {

static std::optional<int64_t> known(Value value) {
  return getConstantIntValue(value);
}

Value IndexBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value IndexBuilder::add(Value left, Value right) {
  if (auto constantRight = known(right))
    return add(left, *constantRight);
  if (auto constantLeft = known(left))
    return add(right, *constantLeft);
  return arith::AddIOp::create(builder, loc, left, right);
}

Value IndexBuilder::add(Value left, int64_t right) {
  if (right == 0)
    return left;
  if (auto constantLeft = known(left))
    return constant(*constantLeft + right);
  return arith::AddIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::sub(Value left, Value right) {
  if (auto constantRight = known(right))
    return add(left, -*constantRight);
  return arith::SubIOp::create(builder, loc, left, right);
}

Value IndexBuilder::mul(Value left, int64_t right) {
  if (right == 1)
    return left;
  if (right == 0)
    return constant(0);
  if (auto constantLeft = known(left))
    return constant(*constantLeft * right);
  return arith::MulIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::mul(Value left, const Number &right) {
  if (!right.value)
    return mul(left, right.number);
  if (auto constantRight = known(right.value))
    return mul(left, *constantRight);
  if (auto constantLeft = known(left))
    return mul(right.value, *constantLeft);
  return arith::MulIOp::create(builder, loc, left, right.value);
}

Number IndexBuilder::times(const Number &left, const Number &right) {
  if (left.value)
    return mul(left.value, right);
  if (right.value)
    return mul(right.value, left.number);
  return left.number * right.number;
}

Value IndexBuilder::at(Value base, Value index, int64_t stride) {
  return add(base, mul(index, stride));
}

Value IndexBuilder::at(Value base, Value index, const Number &stride) {
  return add(base, mul(index, stride));
}

Value IndexBuilder::div(Value left, int64_t right) {
  if (right == 1)
    return left;
  if (auto constantLeft = known(left))
    return constant(*constantLeft / right);
  return arith::DivUIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::div(Value left, const Number &right) {
  if (!right.value)
    return div(left, right.number);
  if (auto constantRight = known(right.value))
    return div(left, *constantRight);
  return arith::DivUIOp::create(builder, loc, left, right.value);
}

Value IndexBuilder::rem(Value left, const Number &right) {
  if (!right.value)
    return rem(left, right.number);
  if (auto constantRight = known(right.value))
    return rem(left, *constantRight);
  return arith::RemUIOp::create(builder, loc, left, right.value);
}

Value IndexBuilder::rem(Value left, int64_t right) {
  if (right == 1)
    return constant(0);
  if (auto constantLeft = known(left))
    return constant(*constantLeft % right);
  return arith::RemUIOp::create(builder, loc, left, constant(right));
}

Value IndexBuilder::min(Value left, Value right) {
  auto constantLeft = known(left), constantRight = known(right);
  if (constantLeft && constantRight)
    return constant(std::min(*constantLeft, *constantRight));
  return arith::MinSIOp::create(builder, loc, left, right);
}

Value IndexBuilder::max(Value left, Value right) {
  auto constantLeft = known(left), constantRight = known(right);
  if (constantLeft && constantRight)
    return constant(std::max(*constantLeft, *constantRight));
  return arith::MaxSIOp::create(builder, loc, left, right);
}

Value IndexBuilder::less(Value left, Value right) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, left,
                               right);
}

static bool isOne(int64_t extent) { return extent == 1; }
static bool isOne(const Number &extent) { return extent.is(1); }

/// The indices of `linear` among `extents`, written in one of two ways.
template <typename Extent>
static SmallVector<Value> indicesOf(IndexBuilder &index, Value linear,
                                    ArrayRef<Extent> extents) {
  SmallVector<Value> indices(extents.size());
  // The outermost index that is not of a unit dimension needs no remainder.
  int64_t outermost = 0;
  while (outermost < int64_t(extents.size()) && isOne(extents[outermost]))
    ++outermost;
  for (int64_t dim = extents.size() - 1; dim >= 0; --dim) {
    if (dim <= outermost) {
      indices[dim] = dim == outermost ? linear : index.constant(0);
      continue;
    }
    indices[dim] = index.rem(linear, extents[dim]);
    linear = index.div(linear, extents[dim]);
  }
  return indices;
}

SmallVector<Value> IndexBuilder::delinearize(Value linear,
                                             ArrayRef<int64_t> extents) {
  return indicesOf(*this, linear, extents);
}

SmallVector<Value> IndexBuilder::indicesAt(Value linear,
                                           ArrayRef<Number> extents) {
  return indicesOf(*this, linear, extents);
}

void IndexBuilder::loop(Value low, Value high, int64_t step,
                        function_ref<void(Value)> body) {
  loop(low, high, step, ValueRange(), [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

SmallVector<Value>
IndexBuilder::loop(Value low, Value high, int64_t step, ValueRange inits,
                   function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto constantLow = known(low), constantHigh = known(high);
  if (constantLow && constantHigh) {
    if (*constantLow >= *constantHigh)
      return inits;
    if (*constantLow + step >= *constantHigh)
      return body(low, inits);
  }
  auto forOp =
      scf::ForOp::create(builder, loc, low, high, constant(step), inits);
  OpBuilder::InsertionGuard guard(builder);
  // Without carried values the loop was made with its terminator.
  if (inits.empty()) {
    builder.setInsertionPoint(forOp.getBody()->getTerminator());
    body(forOp.getInductionVar(), ValueRange());
    return {};
  }
  builder.setInsertionPointToEnd(forOp.getBody());
  SmallVector<Value> carried =
      body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, carried);
  return forOp.getResults();
}

void IndexBuilder::branch(Value condition, function_ref<void()> then,
                          function_ref<void()> otherwise) {
  auto ifOp = scf::IfOp::create(builder, loc, condition,
                                /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPoint(ifOp.elseBlock()->getTerminator());
  otherwise();
}

} // namespace heddle
