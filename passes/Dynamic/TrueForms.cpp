// Writes slices and reversals of open dimensions as reads at computed places:
// their positions are no sums of known multiples of loops.

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

private:
  RankedTensorType indexType() {
    return RankedTensorType::get({}, builder.getI32Type());
  }
  Value number(size::Expression expression) {
    return size::TensorOp::create(
        builder, loc, indexType(),
        size::extentsAttr(builder.getContext(), {expression}));
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
  auto everywhere = [&](Value scalar) -> Value {
    return BroadcastInDimOp::create(builder, loc, row, scalar,
                                    builder.getDenseI64ArrayAttr({}));
  };
  Value places = IotaOp::create(builder, loc, row, 0);
  if (step != 1)
    places =
        MulOp::create(builder, loc, row, places,
                      everywhere(createSplat(builder, loc, indexType(),
                                             builder.getI32IntegerAttr(step))));
  places = AddOp::create(builder, loc, row, places, everywhere(number(start)));
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
  SmallVector<Value> places = llvm::map_to_vector(
      starts, [&](size::Expression start) { return number(start); });
  auto slice =
      DynamicSliceOp::create(builder, loc, type, value, places,
                             builder.getDenseI64ArrayAttr(type.getShape()));
  if (size::hasExtents(type))
    slice->setAttr(sizedAttributeName("slice_sizes"), type.getEncoding());
  return slice;
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

void writeInTrueForms(func::FuncOp entry, const BoundedSizes &sizes) {
  SmallVector<Operation *> found;
  entry.walk([&](Operation *op) {
    if (!isa<SliceOp, ReverseOp>(op) || runsOverTrueExtents(op, sizes))
      return;
    // What the data decides, or has two parts, has no kernel in any form.
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()})
      if (isa<ComplexType>(getElementTypeOrSelf(type)) ||
          sizes.isComputed(cast<RankedTensorType>(type)))
        return;
    if (auto slice = dyn_cast<SliceOp>(op))
      for (size::Expression stride :
           sizedAttribute(op, "strides", slice.getStrides()))
        if (!stride.isConstant())
          return;
    found.push_back(op);
  });
  for (Operation *op : found)
    llvm::TypeSwitch<Operation *>(op).Case<SliceOp, ReverseOp>(
        [](auto typed) { rewrite(typed); });
}

} // namespace heddle
