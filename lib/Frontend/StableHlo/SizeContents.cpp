// Computes with sizes as programs do.

#include "lib/Frontend/StableHlo/SizeContents.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {

/// More is data, no sizes.
static constexpr int64_t kMaxElements = 64;
/// Programs come from files.
static constexpr unsigned kMaxDepth = 256;

using Elements = SizeContents::Elements;

/// Rounded to zero, as StableHLO divides: nothing where a side may be negative
/// in a way that ranges do not decide.
static Expression quotient(const size::Ranges &ranges, Expression a,
                           Expression b) {
  if (!ranges.isAlwaysPositive(b))
    return {};
  if (ranges.isNeverNegative(a))
    return a.floorDiv(b);
  return ranges.isNeverNegative(-a) ? -(-a).floorDiv(b) : Expression();
}

static Expression compared(const size::Ranges &ranges,
                           ComparisonDirection direction, Expression a,
                           Expression b) {
  // Of bools, polynomials say it.
  auto isBool = [&](Expression x) {
    size::Interval interval = ranges.interval(x);
    return interval.low >= 0 && interval.high <= 1;
  };
  if (a && b && isBool(a) && isBool(b)) {
    Expression differ = a + b - a * b * 2;
    if (direction == ComparisonDirection::EQ)
      return 1 - differ;
    if (direction == ComparisonDirection::NE)
      return differ;
  }
  switch (direction) {
  case ComparisonDirection::EQ:
    return Expression::equal(a, b);
  case ComparisonDirection::NE:
    return 1 - Expression::equal(a, b);
  case ComparisonDirection::LT:
    return Expression::less(a, b);
  case ComparisonDirection::LE:
    return Expression::lessOrEqual(a, b);
  case ComparisonDirection::GT:
    return Expression::less(b, a);
  case ComparisonDirection::GE:
    return Expression::lessOrEqual(b, a);
  }
  llvm_unreachable("six directions");
}

/// One element of `op` from those of its operands; null where it is not known.
static Expression elementOf(const size::Ranges &ranges, Operation *op,
                            ArrayRef<Expression> x) {
  bool areBools = cast<RankedTensorType>(op->getResult(0).getType())
                      .getElementType()
                      .isInteger(1);
  return llvm::TypeSwitch<Operation *, Expression>(op)
      .Case([&](ConvertOp convert) {
        bool toBool =
            areBools && !cast<RankedTensorType>(convert.getOperand().getType())
                             .getElementType()
                             .isInteger(1);
        return toBool ? 1 - Expression::isZero(x[0]) : x[0];
      })
      .Case([&](NegOp) { return -x[0]; })
      .Case([&](AbsOp) { return Expression::maximum(x[0], -x[0]); })
      .Case([&](SignOp) {
        return Expression::isPositive(x[0]) - Expression::isPositive(-x[0]);
      })
      .Case([&](NotOp) { return areBools ? 1 - x[0] : Expression(); })
      // Sums of bools are disjunctions, their products conjunctions.
      .Case<AddOp, OrOp>([&](Operation *sum) {
        if (areBools)
          return x[0] + x[1] - x[0] * x[1];
        return isa<AddOp>(sum) ? x[0] + x[1] : Expression();
      })
      .Case<MulOp, AndOp>([&](Operation *product) {
        return areBools || isa<MulOp>(product) ? x[0] * x[1] : Expression();
      })
      .Case([&](SubtractOp) { return areBools ? Expression() : x[0] - x[1]; })
      .Case([&](DivOp) { return quotient(ranges, x[0], x[1]); })
      .Case([&](RemOp) { return x[0] - quotient(ranges, x[0], x[1]) * x[1]; })
      .Case([&](MaxOp) { return Expression::maximum(x[0], x[1]); })
      .Case([&](MinOp) { return Expression::minimum(x[0], x[1]); })
      .Case([&](CompareOp compare) {
        return compared(ranges, compare.getComparisonDirection(), x[0], x[1]);
      })
      .Case([&](SelectOp) { return Expression::select(x[0], x[1], x[2]); })
      .Case([&](ClampOp) {
        return Expression::minimum(Expression::maximum(x[0], x[1]), x[2]);
      })
      .Default([](Operation *) { return Expression(); });
}

/// What Python's `//` and `%` are of StableHLO's, which round to zero: JAX
/// writes a selection by signs. Null where `select` is not known to be one, or
/// the divisor not to be positive.
static Expression roundedDown(const size::Ranges &ranges, SelectOp select,
                              SizeContents &contents) {
  auto elements = [&](Value value) {
    return contents.scalarOf(value).value_or(Expression());
  };
  Operation *otherwise = select.getOnFalse().getDefiningOp();
  if (!isa_and_nonnull<DivOp, RemOp>(otherwise))
    return {};
  Expression x = elements(otherwise->getOperand(0)),
             y = elements(otherwise->getOperand(1)),
             taken = elements(select.getOnTrue()),
             rounded = elements(select.getOnFalse()),
             condition = elements(select.getPred());
  if (!x || !y || !taken || !rounded || !condition ||
      !ranges.isAlwaysPositive(y))
    return {};
  bool isRemainder = isa<RemOp>(otherwise);
  Expression rest = isRemainder ? rounded : ranges.simplified(x - rounded * y);
  if (!rest ||
      taken != ranges.simplified(isRemainder ? rounded + y : rounded - 1))
    return {};
  // It must be so just where the remainder is below 0.
  auto is = [&](Expression other) {
    return condition == ranges.simplified(other);
  };
  Expression isThere = 1 - Expression::isZero(rest),
             isBelow = Expression::isPositive(-rest);
  bool fits = is(isBelow) || is(isBelow * isThere) ||
              (ranges.isAlwaysPositive(-x) && is(isThere)) ||
              (ranges.isNeverNegative(x) &&
               is((1 - Expression::isPositive(x)) * isThere));
  if (!fits)
    return {};
  return isRemainder ? x.mod(y) : x.floorDiv(y);
}

/// Whether each element of a value of this type is a 64-bit integer or a bool.
static bool holdsSizes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() &&
         type.getElementType().isIntOrIndex() &&
         type.getNumElements() <= kMaxElements && !size::hasExtents(type);
}

bool SizeContents::fits(const Elements &elements, Type element) const {
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width >= 64)
    return true;
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (width - 1));
  int64_t high = (int64_t(1) << (isUnsigned ? width : width - 1)) - 1;
  return llvm::all_of(elements, [&](Expression each) {
    size::Interval interval = ranges.interval(each);
    return interval.low >= low && interval.high <= high;
  });
}

std::optional<Elements> SizeContents::of(Value value) {
  if (!holdsSizes(value))
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == kMaxDepth)
    return std::nullopt;
  ++depth;
  std::optional<Elements> elements = compute(value);
  --depth;
  if (elements) {
    for (Expression &each : *elements)
      each = ranges.simplified(each);
    if (llvm::is_contained(*elements, Expression()) ||
        !fits(*elements,
              cast<RankedTensorType>(value.getType()).getElementType()))
      elements.reset();
  }
  known[value] = elements;
  return elements;
}

void SizeContents::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      known.erase(result);
  });
}

std::optional<Expression> SizeContents::scalarOf(Value value) {
  std::optional<Elements> elements = of(value);
  if (!elements || elements->size() != 1)
    return std::nullopt;
  return elements->front();
}

/// Row-major places of the elements of a slice within a tensor of `shape`.
static SmallVector<int64_t> slicedPlaces(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> starts,
                                         ArrayRef<int64_t> limits,
                                         ArrayRef<int64_t> strides) {
  SmallVector<int64_t> places = {0};
  for (size_t i = 0; i < shape.size(); ++i) {
    SmallVector<int64_t> next;
    for (int64_t outer : places)
      for (int64_t at = starts[i]; at < limits[i]; at += strides[i])
        next.push_back(outer * shape[i] + at);
    places = std::move(next);
  }
  return places;
}

std::optional<Elements> SizeContents::compute(Value value) {
  MLIRContext *context = value.getContext();
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  Elements elements;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    if (!dense)
      return std::nullopt;
    bool isSigned = !type.getElementType().isUnsignedInteger() &&
                    !type.getElementType().isInteger(1);
    for (const APInt &each : dense.getValues<APInt>())
      elements.push_back(Expression::constant(
          context, isSigned ? each.getSExtValue()
                            : static_cast<int64_t>(each.getZExtValue())));
    return elements;
  }
  if (auto sizes = dyn_cast<size::TensorOp>(op)) {
    for (size::ExpressionAttr each : sizes.getElements().getExtents())
      elements.push_back(Expression(each));
    return elements;
  }
  if (auto size = dyn_cast<GetDimensionSizeOp>(op)) {
    auto operand = cast<RankedTensorType>(size.getOperand().getType());
    if (operand.isDynamicDim(size.getDimension()))
      return std::nullopt;
    return Elements{size::extentOf(operand, size.getDimension())};
  }
  SmallVector<Elements> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Elements> each = of(operand);
    if (!each)
      return std::nullopt;
    operands.push_back(std::move(*each));
  }
  if (isa<ReshapeOp>(op))
    return operands[0];
  if (auto join = dyn_cast<ConcatenateOp>(op)) {
    // Each operand gives a run of elements in turn.
    int64_t runs = 1;
    for (int64_t i = 0, e = join.getDimension(); i < e; ++i)
      runs *= type.getDimSize(i);
    for (int64_t run = 0; run < runs; ++run)
      for (const Elements &each : operands)
        llvm::append_range(
            elements,
            ArrayRef(each).slice(run * each.size() / runs, each.size() / runs));
    return elements;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    auto from = cast<RankedTensorType>(slice.getOperand().getType());
    for (int64_t place :
         slicedPlaces(from.getShape(), slice.getStartIndices(),
                      slice.getLimitIndices(), slice.getStrides()))
      elements.push_back(operands[0][place]);
    return elements;
  }
  if (isa<BroadcastInDimOp>(op)) {
    if (operands[0].size() != 1)
      return std::nullopt;
    return Elements(type.getNumElements(), operands[0][0]);
  }
  if (auto select = dyn_cast<SelectOp>(op); select && type.getRank() == 0)
    if (Expression quotient = roundedDown(ranges, select, *this))
      return Elements{quotient};
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>() ||
                       isa<ConvertOp, CompareOp, SelectOp, ClampOp>(op);
  if (!isElementwise)
    return std::nullopt;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    // Scalars beside tensors, as of select and clamp, stand for all.
    SmallVector<Expression> x;
    for (const Elements &each : operands)
      x.push_back(each.size() == 1 ? each[0] : each[i]);
    elements.push_back(elementOf(ranges, op, x));
  }
  return elements;
}

} // namespace heddle
