// Writes slices and reversals of open dimensions as reads at computed places:
// their positions are no sums of known multiples of loops. Padding is an update
// at such a place, of a tensor that holds what is padded with.

#include "passes/Dynamic/TrueForms.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dynamic/TrueExtents.h"
#include "passes/Graph/Constants.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

namespace {
/// Builds the forms of one operation, in its place.
class FormBuilder {
public:
  explicit FormBuilder(Operation *op) : builder(op), loc(op->getLoc()) {}

  /// The elements at `start + step * i` of a dimension, for each place i of
  /// `like`'s.
  Value inSteps(Value value, int64_t dim, RankedTensorType like,
                size::Expression start, int64_t step);
  /// As many as `type` has, from `starts` on.
  Value from(Value value, ArrayRef<size::Expression> starts,
             RankedTensorType type);
  /// `value` from `starts` on in a tensor of `type`, and `fill`, a scalar,
  /// around it.
  Value into(RankedTensorType type, Value fill, Value value,
             ArrayRef<size::Expression> starts);

private:
  RankedTensorType indexType() {
    return RankedTensorType::get({}, builder.getI32Type());
  }
  Value number(size::Expression expression) {
    return size::TensorOp::create(
        builder, loc, indexType(),
        size::extentsAttr(builder.getContext(), {expression}));
  }
  SmallVector<Value> numbers(ArrayRef<size::Expression> expressions) {
    return llvm::map_to_vector(expressions,
                               [&](size::Expression e) { return number(e); });
  }
  Value everywhere(RankedTensorType type, Value scalar) {
    return BroadcastInDimOp::create(builder, loc, type, scalar,
                                    builder.getDenseI64ArrayAttr({}));
  }

  OpBuilder builder;
  Location loc;
};
} // namespace

Value FormBuilder::inSteps(Value value, int64_t dim, RankedTensorType like,
                           size::Expression start, int64_t step) {
  RankedTensorType type = typeOf(value);
  RankedTensorType row =
      size::SizedShape().add(like, dim).of(builder.getI32Type());
  Value places = IotaOp::create(builder, loc, row, 0);
  if (step != 1)
    places = MulOp::create(
        builder, loc, row, places,
        everywhere(row, createSplat(builder, loc, indexType(),
                                    builder.getI32IntegerAttr(step))));
  places =
      AddOp::create(builder, loc, row, places, everywhere(row, number(start)));
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
  auto slice =
      DynamicSliceOp::create(builder, loc, type, value, numbers(starts),
                             builder.getDenseI64ArrayAttr(type.getShape()));
  if (size::hasExtents(type))
    slice->setAttr(sizedAttributeName("slice_sizes"), type.getEncoding());
  return slice;
}

Value FormBuilder::into(RankedTensorType type, Value fill, Value value,
                        ArrayRef<size::Expression> starts) {
  Value around = everywhere(type, fill);
  return DynamicUpdateSliceOp::create(builder, loc, type, around, value,
                                      numbers(starts));
}

static void rewrite(SliceOp op) {
  RankedTensorType operand = typeOf(op.getOperand()), result = typeOf(op);
  TrueShape starts = sizedAttribute(op, "start_indices", op.getStartIndices());
  TrueShape strides = sizedAttribute(op, "strides", op.getStrides());
  FormBuilder builder(op);
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

static void rewrite(ReverseOp op) {
  RankedTensorType type = typeOf(op);
  SmallVector<int64_t> known;
  Value value = op.getOperand();
  for (int64_t dim : op.getDimensions()) {
    if (size::isKnown(type, dim)) {
      known.push_back(dim);
      continue;
    }
    value = FormBuilder(op).inSteps(value, dim, type,
                                    size::extentOf(type, dim) - 1, -1);
  }
  op.getOperandMutable().assign(value);
  op.setDimensions(known);
  if (known.empty()) {
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }
}

static void rewrite(PadOp op) {
  Value padded = FormBuilder(op).into(
      typeOf(op), op.getPaddingValue(), op.getOperand(),
      sizedAttribute(op, "edge_padding_low", op.getEdgePaddingLow()));
  op.getResult().replaceAllUsesWith(padded);
  op.erase();
}

/// Whether an operation without a kernel over true extents has another form.
static bool hasTrueForm(SliceOp op, const BoundedSizes &) {
  return llvm::all_of(
      sizedAttribute(op, "strides", op.getStrides()),
      [](size::Expression stride) { return stride.isConstant(); });
}
static bool hasTrueForm(ReverseOp, const BoundedSizes &) { return true; }

/// All of the operand is somewhere in the result, side by side.
static bool hasTrueForm(PadOp op, const BoundedSizes &sizes) {
  auto areNeverNegative = [&](StringRef name, ArrayRef<int64_t> atBound) {
    return llvm::all_of(sizedAttribute(op, name, atBound),
                        [&](size::Expression pad) {
                          return sizes.checkedRanges().isNeverNegative(pad);
                        });
  };
  return llvm::all_of(op.getInteriorPadding(),
                      [](int64_t between) { return between == 0; }) &&
         areNeverNegative("edge_padding_low", op.getEdgePaddingLow()) &&
         areNeverNegative("edge_padding_high", op.getEdgePaddingHigh());
}

void writeInTrueForms(func::FuncOp entry, const BoundedSizes &sizes) {
  SmallVector<Operation *> found;
  entry.walk([&](Operation *op) {
    if (!isa<SliceOp, ReverseOp, PadOp>(op) || runsOverTrueExtents(op, sizes))
      return;
    // What the data decides, or has two parts, has no kernel in any form.
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
      if (isa<ComplexType>(getElementTypeOrSelf(type)) ||
          sizes.isComputed(cast<RankedTensorType>(type)))
        return;
    bool hasForm =
        llvm::TypeSwitch<Operation *, bool>(op).Case<SliceOp, ReverseOp, PadOp>(
            [&](auto typed) { return hasTrueForm(typed, sizes); });
    if (hasForm)
      found.push_back(op);
  });
  for (Operation *op : found)
    llvm::TypeSwitch<Operation *>(op).Case<SliceOp, ReverseOp, PadOp>(
        [](auto typed) { rewrite(typed); });
}

} // namespace heddle
