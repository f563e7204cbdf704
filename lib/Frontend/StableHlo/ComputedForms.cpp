// Operations whose sizes are computed from elements: bounded tensors with a
// symbol for each such size, which the program counts.

#include "lib/Frontend/StableHlo/SizedForms.h"

#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

namespace heddle {
namespace {

using Form = FailureOr<Operation *>;
using Sizes = SizeContents::Elements;

/// Integers are scalars of 64 bits here.
class ComputedFormMaker {
public:
  ComputedFormMaker(Operation *op, ImportedSizes &sizes)
      : op(op), sizes(sizes), builder(op), loc(op->getLoc()) {}

  Form run();

private:
  static RankedTensorType tensorOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  RankedTensorType result() { return tensorOf(op->getResult(0)); }
  /// The elements of an operand that are known; nothing if one is not.
  bool isKnown(Value value) { return sizes.contents.of(value).has_value(); }
  bool hasKnownOperand() {
    return tensorOf(op->getOperand(0)).hasStaticShape() &&
           !size::hasExtents(op->getOperand(0).getType());
  }

  RankedTensorType integers(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getI64Type());
  }
  Value number(int64_t value) {
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(integers({}), value));
  }
  /// Element `i` of a vector of integers.
  Value element(Value vector, int64_t i);
  Value spread(Value scalar, RankedTensorType type) {
    return BroadcastInDimOp::create(builder, loc, type, scalar,
                                    builder.getDenseI64ArrayAttr({}));
  }
  template <typename Op> Value make(Value lhs, Value rhs) {
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  Value compare(Value lhs, ComparisonDirection direction, Value rhs) {
    auto type =
        RankedTensorType::get(tensorOf(lhs).getShape(), builder.getI1Type());
    return CompareOp::create(builder, loc, type, lhs, rhs, direction,
                             ComparisonTypeAttr());
  }
  Value isWithin(Value scalar, int64_t least, int64_t most) {
    return make<AndOp>(compare(scalar, ComparisonDirection::GE, number(least)),
                       compare(scalar, ComparisonDirection::LE, number(most)));
  }
  Value choose(Value condition, Value onTrue, Value onFalse) {
    return SelectOp::create(builder, loc, onTrue.getType(), condition, onTrue,
                            onFalse);
  }
  /// A count of 32 bits: what is outside of 0 to `most` stays outside.
  Value countOf(Value scalar, int64_t most);
  /// The most that dimension `i` of the result can be: as its type says, and at
  /// most `known`. Nothing, after an error, if neither says anything.
  std::optional<int64_t> boundOf(int64_t i, std::optional<int64_t> known);

  /// The extents that `shape` holds, some of them computed.
  std::optional<Sizes> extentsOf(Value shape);
  /// The result's type where `shape` holds its extents; null after an error.
  RankedTensorType resultType(Value shape) {
    std::optional<Sizes> extents = extentsOf(shape);
    return extents ? sizes.typeOf(op, result(), *extents) : RankedTensorType();
  }
  /// Wants a call to compute `shape` for `given`.
  void wantShape(Value given, ArrayRef<int64_t> shape);
  /// `value` with the elements of dimension `i` that `positions` name, held
  /// within it.
  Value taken(Value value, int64_t i, Value positions);

  Form cut(SetDimensionSizeOp cut);
  Form reshape(DynamicReshapeOp reshape);
  Form slice(RealDynamicSliceOp slice);
  Form pad(DynamicPadOp pad);
  Form gather(DynamicGatherOp gather);
  /// One dimension of an operand with padding and gaps.
  struct Padding {
    Value low, high, gap;
    int64_t size;
  };
  Value paddedSize(const Padding &padding);
  /// `value` with `most` elements in dimension `i`: those that are there, and
  /// `filling` around and between them.
  Value padded(Value value, int64_t i, int64_t most, const Padding &padding,
               Value filling);

  /// `value`, of the bounds, as large as is counted of some dimensions.
  struct Count {
    int64_t dimension, most;
    Value value;
  };
  Form counted(Value value, ArrayRef<Count> counts);

  Operation *op;
  ImportedSizes &sizes;
  OpBuilder builder;
  Location loc;
};

} // namespace

Value ComputedFormMaker::element(Value vector, int64_t i) {
  Type element = tensorOf(vector).getElementType();
  Value one = vector;
  if (tensorOf(vector).getRank() == 1)
    one = SliceOp::create(builder, loc, RankedTensorType::get({1}, element),
                          vector, builder.getDenseI64ArrayAttr(i),
                          builder.getDenseI64ArrayAttr(i + 1),
                          builder.getDenseI64ArrayAttr(1));
  one =
      ReshapeOp::create(builder, loc, RankedTensorType::get({}, element), one);
  return ConvertOp::create(builder, loc, integers({}), one);
}

Value ComputedFormMaker::countOf(Value scalar, int64_t most) {
  Value held = make<MinOp>(make<MaxOp>(scalar, number(-1)), number(most + 1));
  return ConvertOp::create(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()), held);
}

std::optional<int64_t>
ComputedFormMaker::boundOf(int64_t i, std::optional<int64_t> known) {
  ArrayRef<int64_t> bounds = boundsOf(result());
  std::optional<int64_t> bound = known;
  if (!bounds.empty() && ShapedType::isStatic(bounds[i]))
    bound = std::min(bounds[i], known.value_or(bounds[i]));
  // One more has to be a number of 32 bits.
  if (bound && *bound < INT32_MAX)
    return bound;
  SmallVector<int64_t> example(result().getRank(), ShapedType::kDynamic);
  example[i] = 64;
  emitError(loc, ErrorCode::StableHloDynamicShape)
      << "'" << op->getName() << "' has a result whose size in dimension " << i
      << " is computed from elements; its type has to say the most that it can "
         "be, as "
      << tensorType(result().getShape(), result().getElementType(), example)
      << " does";
  return std::nullopt;
}

std::optional<Sizes> ComputedFormMaker::extentsOf(Value shape) {
  Sizes extents;
  for (int64_t i = 0; i < result().getRank(); ++i) {
    if (!result().isDynamicDim(i)) {
      extents.push_back(
          Expression::constant(op->getContext(), result().getDimSize(i)));
      continue;
    }
    std::optional<int64_t> bound = boundOf(i, std::nullopt);
    if (!bound)
      return std::nullopt;
    extents.push_back(
        sizes.addComputed(op, *bound, countOf(element(shape, i), *bound)));
  }
  return extents;
}

Form ComputedFormMaker::cut(SetDimensionSizeOp cut) {
  if (isKnown(cut.getSize()) || size::hasExtents(result()) ||
      result().hasStaticShape() || !hasKnownOperand())
    return nullptr;
  int64_t i = cut.getDimension();
  SmallVector<int64_t> shape(tensorOf(cut.getOperand()).getShape());
  std::optional<int64_t> bound = boundOf(i, shape[i]);
  if (!bound)
    return failure();
  Value operand = cut.getOperand();
  if (*bound < shape[i]) {
    shape[i] = *bound;
    SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
    operand = SliceOp::create(
        builder, loc, RankedTensorType::get(shape, result().getElementType()),
        operand, zeros, shape, ones);
  }
  Value count = countOf(element(cut.getSize(), 0), *bound);
  Sizes extents = llvm::map_to_vector(shape, [&](int64_t size) {
    return Expression::constant(op->getContext(), size);
  });
  extents[i] = sizes.addComputed(op, *bound, count);
  RankedTensorType type = size::withExtents(
      RankedTensorType::get(shape, result().getElementType()), extents);
  return SetDimensionSizeOp::create(builder, loc, type, operand, count, i)
      .getOperation();
}

void ComputedFormMaker::wantShape(Value given, ArrayRef<int64_t> shape) {
  Value differs;
  for (auto [i, size] : llvm::enumerate(shape)) {
    Value other =
        compare(element(given, i), ComparisonDirection::NE, number(size));
    differs = differs ? make<OrOp>(differs, other) : other;
  }
  auto type = RankedTensorType::get({}, builder.getI32Type());
  sizes.wantAtCall(op, ConvertOp::create(builder, loc, type, differs));
}

/// One size that is open is what the elements leave; what is computed for it
/// has to be that.
Form ComputedFormMaker::reshape(DynamicReshapeOp reshape) {
  if (isKnown(reshape.getOutputShape()) || result().hasStaticShape() ||
      !hasKnownOperand())
    return nullptr;
  if (result().getNumDynamicDims() > 1)
    return emitError(loc, ErrorCode::StableHloDynamicShape)
           << "'" << op->getName()
           << "' has more than one size that is computed from elements; one, "
              "which the others leave, is supported";
  int64_t known = 1, there = tensorOf(reshape.getOperand()).getNumElements();
  SmallVector<int64_t> shape(result().getShape());
  for (int64_t size : shape)
    known *= ShapedType::isDynamic(size) ? 1 : size;
  bool isBeyond = llvm::any_of(boundsOf(result()), [&](int64_t bound) {
    return ShapedType::isStatic(bound) && known != 0 && there / known > bound;
  });
  if (known == 0 || there % known != 0 || isBeyond)
    return emitError(loc, ErrorCode::StableHloDynamicShape)
           << "'" << op->getName() << "' cannot give " << there
           << " elements the type " << result();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = there / known;
  // No count within a branch or loop has one value when a call ends.
  if (isa<func::FuncOp>(op->getParentOp()))
    wantShape(reshape.getOutputShape(), shape);
  return ReshapeOp::create(
             builder, loc,
             RankedTensorType::get(shape, result().getElementType()),
             reshape.getOperand())
      .getOperation();
}

Value ComputedFormMaker::taken(Value value, int64_t i, Value positions) {
  RankedTensorType from = tensorOf(value);
  int64_t most = tensorOf(positions).getDimSize(0);
  SmallVector<int64_t> shape(from.getShape()), slices = shape, offsets;
  shape[i] = most;
  slices[i] = 1;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (dim != i)
      offsets.push_back(dim);
  Value vectors =
      ReshapeOp::create(builder, loc, integers({most, 1}), positions);
  auto numbers = GatherDimensionNumbersAttr::get(
      builder.getContext(), offsets, {i}, {}, {}, {i}, /*indexVectorDim=*/1);
  auto type = RankedTensorType::get(shape, from.getElementType());
  return GatherOp::create(builder, loc, type, value, vectors, numbers,
                          builder.getDenseI64ArrayAttr(slices),
                          builder.getBoolAttr(false));
}

/// Along each dimension that is not taken whole, elements at counted positions.
Form ComputedFormMaker::slice(RealDynamicSliceOp slice) {
  Value starts = slice.getStartIndices(), limits = slice.getLimitIndices();
  if ((isKnown(starts) && isKnown(limits)) || result().hasStaticShape() ||
      !hasKnownOperand())
    return nullptr;
  std::optional<Sizes> strides = sizes.contents.of(slice.getStrides());
  Value value = slice.getOperand();
  SmallVector<Count> counts;
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  for (auto [i, size] : llvm::enumerate(shape)) {
    std::optional<int64_t> stride =
        strides ? (*strides)[i].asConstant() : std::nullopt;
    if (!stride || *stride < 1)
      return emitError(loc, ErrorCode::StableHloDynamicShape)
             << "'" << op->getName()
             << "' takes steps that are no known numbers above 0";
    if (size == 0 || result().getDimSize(i) == size)
      continue;
    std::optional<int64_t> bound =
        boundOf(i, llvm::divideCeil(size, uint64_t(*stride)));
    if (!bound)
      return failure();
    bool isOpen = result().isDynamicDim(i);
    if (!isOpen)
      bound = result().getDimSize(i);
    Value start = element(starts, i), limit = element(limits, i);
    auto row = integers({*bound});
    Value positions = make<AddOp>(
        spread(start, row),
        make<MulOp>(IotaOp::create(builder, loc, row, 0).getResult(),
                    spread(number(*stride), row)));
    value = taken(value, i, positions);
    if (!isOpen)
      continue;
    Value span = make<SubtractOp>(limit, start);
    Value count =
        make<DivOp>(make<AddOp>(span, number(*stride - 1)), number(*stride));
    // What leaves the operand is no slice: no size has it.
    Value isInside = make<AndOp>(
        make<AndOp>(compare(start, ComparisonDirection::GE, number(0)),
                    compare(limit, ComparisonDirection::LE, number(size))),
        compare(start, ComparisonDirection::LE, limit));
    counts.push_back({int64_t(i), *bound,
                      countOf(choose(isInside, count, number(-1)), *bound)});
  }
  return counts.empty() ? Form(nullptr) : counted(value, counts);
}

Form ComputedFormMaker::counted(Value value, ArrayRef<Count> counts) {
  for (const Count &count : counts) {
    Sizes extents = size::extentsOf(tensorOf(value));
    extents[count.dimension] = sizes.addComputed(op, count.most, count.value);
    RankedTensorType type =
        size::withExtents(RankedTensorType::get(tensorOf(value).getShape(),
                                                result().getElementType()),
                          extents);
    value = SetDimensionSizeOp::create(builder, loc, type, value, count.value,
                                       count.dimension);
  }
  return value.getDefiningOp();
}

/// More elements than any tensor has; sums and products of sizes within it stay
/// within 64 bits.
static constexpr int64_t mostPadding = int64_t(1) << 60;

/// -1 where there are fewer than no elements, or gaps, or more padding than any
/// tensor has.
Value ComputedFormMaker::paddedSize(const Padding &padding) {
  int64_t between = std::max<int64_t>(padding.size - 1, 0);
  Value gaps = make<MulOp>(padding.gap, number(between));
  Value around = make<AddOp>(padding.low, padding.high);
  Value size = make<AddOp>(make<AddOp>(around, gaps), number(padding.size));
  Value isProper = make<AndOp>(
      isWithin(padding.gap, 0, mostPadding / std::max<int64_t>(between, 1)),
      make<AndOp>(isWithin(padding.low, -mostPadding, mostPadding),
                  isWithin(padding.high, -mostPadding, mostPadding)));
  return choose(isProper, size, number(-1));
}

Value ComputedFormMaker::padded(Value value, int64_t i, int64_t most,
                                const Padding &padding, Value filling) {
  RankedTensorType from = tensorOf(value);
  SmallVector<int64_t> shape(from.getShape());
  shape[i] = most;
  auto type = RankedTensorType::get(shape, from.getElementType());
  Value rest = spread(filling, type);
  if (padding.size == 0 || most == 0)
    return rest;
  auto row = integers({most});
  Value step = make<AddOp>(make<MaxOp>(padding.gap, number(0)), number(1)),
        steps = spread(step, row);
  Value behindLow =
      make<SubtractOp>(IotaOp::create(builder, loc, row, 0).getResult(),
                       spread(padding.low, row));
  Value positions = make<DivOp>(behindLow, steps);
  Value isElement =
      make<AndOp>(make<AndOp>(compare(behindLow, ComparisonDirection::GE,
                                      spread(number(0), row)),
                              compare(positions, ComparisonDirection::LT,
                                      spread(number(padding.size), row))),
                  compare(make<MulOp>(positions, steps),
                          ComparisonDirection::EQ, behindLow));
  Value mask = BroadcastInDimOp::create(
      builder, loc, RankedTensorType::get(shape, builder.getI1Type()),
      isElement, builder.getDenseI64ArrayAttr(i));
  return choose(mask, taken(value, i, positions), rest);
}

/// Along each dimension, elements at counted positions, or what fills it.
Form ComputedFormMaker::pad(DynamicPadOp pad) {
  Value lows = pad.getEdgePaddingLow(), highs = pad.getEdgePaddingHigh(),
        gaps = pad.getInteriorPadding();
  if ((isKnown(lows) && isKnown(highs) && isKnown(gaps)) ||
      result().hasStaticShape() || !hasKnownOperand())
    return nullptr;
  Value value = pad.getOperand();
  SmallVector<Count> counts;
  SmallVector<int64_t> shape(tensorOf(value).getShape());
  for (auto [i, size] : llvm::enumerate(shape)) {
    Padding padding{element(lows, i), element(highs, i), element(gaps, i),
                    size};
    bool isOpen = result().isDynamicDim(i);
    std::optional<int64_t> most =
        isOpen ? boundOf(i, std::nullopt) : result().getDimSize(i);
    if (!most)
      return failure();
    value = padded(value, i, *most, padding, pad.getPaddingValue());
    if (isOpen)
      counts.push_back(
          {int64_t(i), *most, countOf(paddedSize(padding), *most)});
  }
  return counted(value, counts);
}

/// Slices of computed sizes, each of which the operand has.
Form ComputedFormMaker::gather(DynamicGatherOp gather) {
  Value given = gather.getSliceSizes();
  if (isKnown(given) || result().hasStaticShape() || !hasKnownOperand() ||
      !tensorOf(gather.getStartIndices()).hasStaticShape())
    return nullptr;
  auto numbers = gather.getDimensionNumbers();
  auto isOpen = [&](int64_t dim) { return result().isDynamicDim(dim); };
  if (llvm::count_if(numbers.getOffsetDims(), isOpen) !=
      static_cast<int64_t>(result().getNumDynamicDims()))
    return nullptr;
  const int64_t *place = numbers.getOffsetDims().begin();
  Sizes slices, extents;
  for (int64_t size : result().getShape())
    extents.push_back(Expression::constant(op->getContext(), size));
  for (auto [i, size] :
       llvm::enumerate(tensorOf(gather.getOperand()).getShape())) {
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), i) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), i)) {
      slices.push_back(Expression::constant(op->getContext(), 1));
      continue;
    }
    int64_t dim = *place++;
    if (isOpen(dim)) {
      std::optional<int64_t> most = boundOf(dim, size);
      if (!most)
        return failure();
      extents[dim] =
          sizes.addComputed(op, *most, countOf(element(given, i), *most));
    }
    slices.push_back(extents[dim]);
  }
  RankedTensorType type = sizes.typeOf(op, result(), extents);
  if (!type)
    return failure();
  auto form = GatherOp::create(
      builder, loc, type, gather.getOperand(), gather.getStartIndices(),
      gather.getDimensionNumbersAttr(),
      builder.getDenseI64ArrayAttr(sizes.bounds(slices)),
      gather.getIndicesAreSortedAttr());
  form->setAttr(sizedAttributeName("slice_sizes"),
                size::extentsAttr(op->getContext(), slices));
  return form.getOperation();
}

Form ComputedFormMaker::run() {
  return llvm::TypeSwitch<Operation *, Form>(op)
      .Case([&](SetDimensionSizeOp x) { return cut(x); })
      .Case([&](DynamicReshapeOp x) { return reshape(x); })
      .Case([&](RealDynamicSliceOp x) { return slice(x); })
      .Case([&](DynamicPadOp x) { return pad(x); })
      .Case([&](DynamicGatherOp x) { return gather(x); })
      .Case([&](DynamicIotaOp x) -> Form {
        if (isKnown(x.getOutputShape()) || result().hasStaticShape())
          return nullptr;
        RankedTensorType type = resultType(x.getOutputShape());
        if (!type)
          return failure();
        return IotaOp::create(builder, loc, type, x.getIotaDimension())
            .getOperation();
      })
      .Case([&](DynamicBroadcastInDimOp x) -> Form {
        if (isKnown(x.getOutputDimensions()) || result().hasStaticShape())
          return nullptr;
        RankedTensorType type = resultType(x.getOutputDimensions());
        if (!type)
          return failure();
        return BroadcastInDimOp::create(builder, loc, type, x.getOperand(),
                                        x.getBroadcastDimensions())
            .getOperation();
      })
      .Default([](Operation *) { return Form(nullptr); });
}

Form createComputedForm(Operation *op, ImportedSizes &sizes) {
  if (!sizes.mayCompute || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return nullptr;
  size_t before = sizes.computed().size();
  Form form = ComputedFormMaker(op, sizes).run();
  if (succeeded(form) && sizes.computed().size() != before &&
      !isa<func::FuncOp>(op->getParentOp()))
    return emitError(op->getLoc(), ErrorCode::StableHloDynamicShape)
           << "'" << op->getName()
           << "' sets a size that is computed from elements within a branch or "
              "loop, where it has no one value when a call ends; outside of "
              "them it is supported";
  return form;
}

bool mayComputeSizes(Operation *op) {
  if (!isa<SetDimensionSizeOp, DynamicIotaOp, DynamicBroadcastInDimOp,
           DynamicGatherOp, DynamicPadOp, DynamicReshapeOp, RealDynamicSliceOp>(
          op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && llvm::any_of(boundsOf(type), ShapedType::isStatic);
}

} // namespace heddle
