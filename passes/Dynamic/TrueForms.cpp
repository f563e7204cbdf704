// Writes slices and reversals of open dimensions as reads at computed places:
// their positions are no sums of known multiples of loops. Padding is an update
// at such a place, of a tensor that holds what is padded with; gaps between
// elements are one behind each, and what padding cuts off is not read.

#include "passes/Dynamic/TrueForms.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dynamic/HeldPositions.h"
#include "passes/Dynamic/TrueExtents.h"
#include "passes/Dynamic/TrueWindows.h"
#include "passes/Graph/Constants.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

namespace {
/// Builds the forms of one operation, in its place.
class FormBuilder {
public:
  FormBuilder(Operation *op, const BoundedSizes &sizes)
      : builder(op), loc(op->getLoc()), ranges(sizes.checkedRanges()) {}

  /// The elements at `start + step * i` of a dimension, for each place i of
  /// `like`'s.
  Value inSteps(Value value, int64_t dim, RankedTensorType like,
                size::Expression start, int64_t step);
  /// As many as `type` has, from `starts` on.
  Value from(Value value, ArrayRef<size::Expression> starts,
             RankedTensorType type);
  /// `value` without so many elements at the two ends of each dimension; where
  /// these are more than there are, nothing is left.
  Value without(Value value, ArrayRef<size::Expression> low,
                ArrayRef<size::Expression> high);
  /// `value` with `gap` times `fill`, a scalar, behind each element along
  /// `dim`.
  Value withGaps(Value value, int64_t dim, int64_t gap, Value fill);
  /// `value` from `starts` on in a tensor of `type`, and `fill`, a scalar,
  /// around it.
  Value into(RankedTensorType type, Value fill, Value value,
             ArrayRef<size::Expression> starts);

private:
  Value number(size::Expression expression, Type element) {
    return size::TensorOp::create(
        builder, loc, RankedTensorType::get({}, element),
        size::extentsAttr(builder.getContext(), {expression}));
  }
  /// Where something begins in a tensor of `type`.
  SmallVector<Value> places(ArrayRef<size::Expression> starts,
                            RankedTensorType type) {
    if (starts.empty())
      return {};
    Type element = positionType(builder.getI32Type(), type);
    return llvm::map_to_vector(
        starts, [&](size::Expression e) { return number(e, element); });
  }
  Value everywhere(RankedTensorType type, Value scalar) {
    return BroadcastInDimOp::create(builder, loc, type, scalar,
                                    builder.getDenseI64ArrayAttr({}));
  }

  size::Expression zero() {
    return size::Expression::constant(builder.getContext(), 0);
  }

  OpBuilder builder;
  Location loc;
  const size::Ranges &ranges;
};
} // namespace

Value FormBuilder::inSteps(Value value, int64_t dim, RankedTensorType like,
                           size::Expression start, int64_t step) {
  RankedTensorType type = typeOf(value);
  Type element = positionType(builder.getI32Type(),
                              std::max(type.getDimSize(dim), std::abs(step)));
  RankedTensorType row = size::SizedShape().add(like, dim).of(element);
  Value places = IotaOp::create(builder, loc, row, 0);
  if (step != 1)
    places = MulOp::create(
        builder, loc, row, places,
        everywhere(row,
                   createSplat(builder, loc, RankedTensorType::get({}, element),
                               builder.getIntegerAttr(element, step))));
  places = AddOp::create(builder, loc, row, places,
                         everywhere(row, number(start, element)));
  SmallVector<int64_t> offsets;
  size::SizedShape taken, result;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i == dim) {
      taken.add(std::min<int64_t>(type.getDimSize(dim), 1));
      result.add(like, dim);
      continue;
    }
    offsets.push_back(i);
    taken.add(type, i);
    result.add(type, i);
  }
  RankedTensorType one = taken.of(type.getElementType());
  auto numbers = GatherDimensionNumbersAttr::get(
      builder.getContext(), offsets, /*collapsedSliceDims=*/{dim},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{dim}, /*indexVectorDim=*/1);
  auto gather = GatherOp::create(
      builder, loc, result.of(type.getElementType()), value, places, numbers,
      builder.getDenseI64ArrayAttr(one.getShape()), builder.getBoolAttr(false));
  // Of nothing, nothing is taken.
  SmallVector<size::Expression> takenSizes = size::extentsOf(one);
  takenSizes[dim] =
      size::Expression::minimum(size::extentOf(type, dim), takenSizes[dim]);
  gather->setAttr(sizedAttributeName("slice_sizes"),
                  size::extentsAttr(builder.getContext(), takenSizes));
  return gather;
}

Value FormBuilder::from(Value value, ArrayRef<size::Expression> starts,
                        RankedTensorType type) {
  if (typeOf(value) == type)
    return value;
  auto slice = DynamicSliceOp::create(
      builder, loc, type, value, places(starts, typeOf(value)),
      builder.getDenseI64ArrayAttr(type.getShape()));
  if (size::hasExtents(type))
    slice->setAttr(sizedAttributeName("slice_sizes"), type.getEncoding());
  return slice;
}

Value FormBuilder::into(RankedTensorType type, Value fill, Value value,
                        ArrayRef<size::Expression> starts) {
  Value around = everywhere(type, fill);
  return DynamicUpdateSliceOp::create(builder, loc, type, around, value,
                                      places(starts, type));
}

/// `type` with another extent along `dim`, which is at most `bound`.
static RankedTensorType withExtent(RankedTensorType type, int64_t dim,
                                   size::Expression extent, int64_t bound) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = bound;
  SmallVector<size::Expression> extents(size::extentsOf(type));
  extents[dim] = extent;
  return size::withExtents(RankedTensorType::get(shape, type.getElementType()),
                           extents);
}

Value FormBuilder::without(Value value, ArrayRef<size::Expression> low,
                           ArrayRef<size::Expression> high) {
  RankedTensorType type = typeOf(value);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size::Expression cut = low[i] + high[i];
    if (cut.isConstant(0))
      continue;
    size::Expression left = size::extentOf(type, i) - cut;
    if (!ranges.isNeverNegative(left))
      left = size::Expression::maximum(left, zero());
    left = ranges.simplified(left);
    type = withExtent(type, i, left,
                      std::min(type.getDimSize(i), ranges.interval(left).high));
  }
  return from(value, low, type);
}

Value FormBuilder::withGaps(Value value, int64_t dim, int64_t gap, Value fill) {
  RankedTensorType type = typeOf(value);
  Type element = type.getElementType();
  int64_t rank = type.getRank(), step = gap + 1;
  auto withSteps = [&](int64_t count) {
    return size::SizedShape()
        .add(type, 0, dim + 1)
        .add(count)
        .add(type, dim + 1, rank)
        .of(element);
  };
  Value each = ReshapeOp::create(builder, loc, withSteps(1), value);
  Value spread = into(withSteps(step), fill, each,
                      SmallVector<size::Expression>(rank + 1, zero()));
  RankedTensorType wide = withExtent(
      type, dim, size::extentOf(type, dim) * step, type.getDimSize(dim) * step);
  return ReshapeOp::create(builder, loc, wide, spread);
}

static void rewrite(SliceOp op, const BoundedSizes &sizes) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  TrueShape starts = sizedAttribute(op, "start_indices", op.getStartIndices());
  TrueShape strides = sizedAttribute(op, "strides", op.getStrides());
  FormBuilder builder(op, sizes);
  // Dimensions without steps first: these need no list of places.
  TrueShape first(starts);
  size::SizedShape shape;
  for (int64_t i = 0; i < operand.getRank(); ++i) {
    bool isWhole = !strides[i].isConstant(1);
    shape.add(isWhole ? operand : result, i);
    if (isWhole)
      first[i] = size::Expression::constant(op.getContext(), 0);
  }
  Value value =
      builder.from(op.getOperand(), first, shape.of(operand.getElementType()));
  for (int64_t i = 0; i < operand.getRank(); ++i)
    if (!strides[i].isConstant(1))
      value = builder.inSteps(value, i, result, starts[i],
                              *strides[i].asConstant());
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

static void rewrite(ReverseOp op, const BoundedSizes &sizes) {
  RankedTensorType type = typeOf(op);
  SmallVector<int64_t> known;
  Value value = op.getOperand();
  for (int64_t dim : op.getDimensions()) {
    if (size::isKnown(type, dim)) {
      known.push_back(dim);
      continue;
    }
    value = FormBuilder(op, sizes).inSteps(value, dim, type,
                                           size::extentOf(type, dim) - 1, -1);
  }
  op.getOperandMutable().assign(value);
  op.setDimensions(known);
  if (known.empty()) {
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }
}

namespace {
/// What is cut off at the ends of dimensions where padding is negative, and
/// what is put there.
struct EdgePadding {
  TrueShape cut, put;

  EdgePadding(ArrayRef<size::Expression> padding, const size::Ranges &ranges) {
    for (size::Expression each : padding) {
      size::Expression zero = size::Expression::constant(each.context(), 0);
      bool isPut = ranges.isNeverNegative(each),
           isCut = ranges.isNeverNegative(zero - each);
      cut.push_back(isPut   ? zero
                    : isCut ? zero - each
                            : size::Expression::maximum(zero - each, zero));
      put.push_back(isPut   ? each
                    : isCut ? zero
                            : size::Expression::maximum(each, zero));
    }
  }
};
} // namespace

static void rewrite(PadOp op, const BoundedSizes &sizes) {
  FormBuilder builder(op, sizes);
  Value value = op.getOperand(), fill = op.getPaddingValue();
  TrueShape behind =
      sizedAttribute(op, "edge_padding_high", op.getEdgePaddingHigh());
  for (auto [dim, gap] : llvm::enumerate(op.getInteriorPadding())) {
    if (gap == 0)
      continue;
    value = builder.withGaps(value, dim, gap, fill);
    // There is none behind the last element.
    behind[dim] = behind[dim] - gap;
  }
  const size::Ranges &ranges = sizes.checkedRanges();
  EdgePadding low(
      sizedAttribute(op, "edge_padding_low", op.getEdgePaddingLow()), ranges),
      high(behind, ranges);
  value = builder.without(value, low.cut, high.cut);
  if (typeOf(value) != typeOf(op))
    value = builder.into(typeOf(op), fill, value, low.put);
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

namespace {
/// A convolution of fewer points, where its padding cuts some off.
struct UncutWindows {
  /// How many points of each dimension of the image are left out at its ends.
  TrueShape low, high;
  /// What is put around the others, at the two ends of spatial dimensions.
  SmallVector<int64_t> padding;
  /// Whether there are as many points at each call.
  bool arePoints = true;

  UncutWindows(ConvolutionOp op, const size::Ranges &ranges) {
    RankedTensorType image = typeOf(op.getLhs());
    auto zero = size::Expression::constant(op.getContext(), 0);
    low.assign(image.getRank(), zero);
    high = low;
    SmallVector<int64_t> dilation = op.getLhsDilationOrDefault();
    auto dims = op.getDimensionNumbers().getInputSpatialDimensions();
    for (auto [i, pair] : llvm::enumerate(op.getPaddingOrDefault())) {
      // With a point goes what lies between it and the next.
      int64_t spacing = dilation[i];
      int64_t dim = dims[i];
      auto cut = [&, dim](int64_t given, TrueShape &points) {
        int64_t count = llvm::divideCeil(std::max<int64_t>(-given, 0), spacing);
        points[dim] = zero + count;
        padding.push_back(given + count * spacing);
      };
      cut(pair.first, low);
      cut(pair.second, high);
      size::Expression points = low[dim] + high[dim];
      // Of nothing, there is nothing between either.
      if (!points.isConstant(0))
        arePoints &= ranges.isNeverNegative(size::extentOf(image, dim) -
                                            points - (spacing != 1));
    }
  }
};
} // namespace

static void rewrite(ConvolutionOp op, const BoundedSizes &sizes) {
  UncutWindows uncut(op, sizes.checkedRanges());
  op.getLhsMutable().assign(
      FormBuilder(op, sizes).without(op.getLhs(), uncut.low, uncut.high));
  auto type = RankedTensorType::get({op.getNumSpatialDimensions(), 2},
                                    Builder(op).getI64Type());
  op.setPaddingAttr(DenseIntElementsAttr::get(type, uncut.padding));
}

/// Whether an operation without a kernel over true extents has another form.
static bool hasTrueForm(SliceOp op, const BoundedSizes &) {
  return llvm::all_of(
      sizedAttribute(op, "strides", op.getStrides()),
      [](size::Expression stride) { return stride.isConstant(); });
}
static bool hasTrueForm(ReverseOp, const BoundedSizes &) { return true; }

/// Of nothing, there are no gaps to take away behind the last element.
static bool hasTrueForm(PadOp op, const BoundedSizes &sizes) {
  return llvm::all_of(llvm::enumerate(op.getInteriorPadding()), [&](auto gap) {
    return gap.value() == 0 ||
           sizes.checkedRanges().isAlwaysPositive(
               size::extentOf(typeOf(op.getOperand()), gap.index()));
  });
}
static bool hasTrueForm(ConvolutionOp op, const BoundedSizes &sizes) {
  return windowsRunOverTrueExtentsUncut(op) &&
         UncutWindows(op, sizes.checkedRanges()).arePoints;
}

void writeInTrueForms(func::FuncOp entry, const BoundedSizes &sizes) {
  SmallVector<Operation *> found;
  entry.walk([&](Operation *op) {
    if (!isa<SliceOp, ReverseOp, PadOp, ConvolutionOp>(op) ||
        runsOverTrueExtents(op, sizes))
      return;
    // What has two parts has no kernel in any form.
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
      if (isa<ComplexType>(getElementTypeOrSelf(type)))
        return;
    bool hasForm =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<SliceOp, ReverseOp, PadOp, ConvolutionOp>(
                [&](auto typed) { return hasTrueForm(typed, sizes); });
    if (hasForm)
      found.push_back(op);
  });
  for (Operation *op : found)
    llvm::TypeSwitch<Operation *>(op)
        .Case<SliceOp, ReverseOp, PadOp, ConvolutionOp>(
            [&](auto typed) { rewrite(typed, sizes); });
}

} // namespace heddle
