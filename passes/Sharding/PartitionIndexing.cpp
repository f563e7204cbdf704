// Gathers and scatters along dimensions that are cut: places are moved to where
// a device's part begins.

#include "passes/Sharding/Partitioner.h"

#include "dialects/Sharding/LocalOperation.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/NeutralElement.h"

using namespace mlir;

namespace heddle {
namespace {

/// Arithmetic on the numbers of a tensor of indices, one vector for each place.
class Places {
public:
  /// `vectorDim` is the dimension of a vector's numbers, of which there are
  /// `count`; behind the last dimension, each is one number.
  Places(OpBuilder &builder, Value indices, int64_t vectorDim, int64_t count,
         Location loc)
      : builder(builder), loc(loc), vectorDim(vectorDim), count(count) {
    auto of = cast<RankedTensorType>(indices.getType());
    auto integer = cast<IntegerType>(of.getElementType());
    // Wide enough for all places, and signed, so that those in front of a part
    // are negative.
    unsigned width = integer.getWidth() + integer.isUnsigned() > 32 ? 64 : 32;
    type = of.clone(builder.getIntegerType(width));
    value =
        type == of
            ? indices
            : Value(stablehlo::ConvertOp::create(builder, loc, type, indices));
  }

  /// A number for each of a vector, at every place.
  Value spread(ArrayRef<Value> numbers) {
    auto one = RankedTensorType::get({1}, type.getElementType());
    SmallVector<Value> entries;
    for (Value number : numbers)
      entries.push_back(
          stablehlo::ReshapeOp::create(builder, loc, one, converted(number)));
    Value vector = entries.front();
    if (count > 1)
      vector = stablehlo::ConcatenateOp::create(builder, loc, vectorType(),
                                                entries, 0);
    return spread(vector);
  }
  Value spread(ArrayRef<int64_t> numbers) {
    SmallVector<Attribute> entries;
    for (int64_t number : numbers)
      entries.push_back(builder.getIntegerAttr(type.getElementType(), number));
    return spread(stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(vectorType(), entries)));
  }

  void clamp(ArrayRef<int64_t> most) {
    value = stablehlo::ClampOp::create(builder, loc, type,
                                       spread(SmallVector<int64_t>(count, 0)),
                                       value, spread(most));
  }
  void subtract(ArrayRef<Value> numbers) {
    value = stablehlo::SubtractOp::create(builder, loc, type, value,
                                          spread(numbers));
  }

  /// Whether all numbers of a vector are from 0 to below `limits`, for each
  /// place.
  Value isWithin(ArrayRef<int64_t> limits) {
    auto compare = [&](stablehlo::ComparisonDirection direction, Value with) {
      return stablehlo::CompareOp::create(builder, loc, value, with, direction);
    };
    auto truth = type.clone(builder.getI1Type());
    Value within = stablehlo::AndOp::create(
        builder, loc, truth,
        compare(stablehlo::ComparisonDirection::GE,
                spread(SmallVector<int64_t>(count, 0))),
        compare(stablehlo::ComparisonDirection::LT, spread(limits)));
    return vectorDim == type.getRank() ? within : allOf(within);
  }

  Value value;

private:
  RankedTensorType vectorType() {
    return RankedTensorType::get({count}, type.getElementType());
  }
  /// A vector at every place. Without a dimension for vectors they have one
  /// number, and places are as that.
  Value spread(Value vector) {
    if (vectorDim < type.getRank())
      return stablehlo::BroadcastInDimOp::create(
          builder, loc, type, vector,
          builder.getDenseI64ArrayAttr({vectorDim}));
    Value number = stablehlo::ReshapeOp::create(
        builder, loc, RankedTensorType::get({}, type.getElementType()), vector);
    return stablehlo::BroadcastInDimOp::create(
        builder, loc, type, number, builder.getDenseI64ArrayAttr({}));
  }

  Value converted(Value scalar) {
    auto to = RankedTensorType::get({}, type.getElementType());
    return scalar.getType() == to
               ? scalar
               : Value(stablehlo::ConvertOp::create(builder, loc, to, scalar));
  }

  /// The conjunction over the numbers of a vector.
  Value allOf(Value truths) {
    auto of = cast<RankedTensorType>(truths.getType());
    SmallVector<int64_t> shape(of.getShape());
    shape.erase(shape.begin() + vectorDim);
    auto scalar = RankedTensorType::get({}, builder.getI1Type());
    Value yes = createSplat(builder, loc, scalar, builder.getBoolAttr(true));
    auto reduce = stablehlo::ReduceOp::create(
        builder, loc, TypeRange(of.clone(shape)), ValueRange(truths),
        ValueRange(yes), builder.getDenseI64ArrayAttr({vectorDim}));
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&reduce.getBody(), {}, {scalar, scalar},
                                       {loc, loc});
    Value both = stablehlo::AndOp::create(
        builder, loc, scalar, block->getArgument(0), block->getArgument(1));
    stablehlo::ReturnOp::create(builder, loc, both);
    return reduce->getResult(0);
  }

  OpBuilder &builder;
  Location loc;
  int64_t vectorDim, count;
  RankedTensorType type;
};

} // namespace

bool Partitioner::movesPlaces(Operation *op, const sharding::FactorRule &rule,
                              int64_t factor) {
  if (!isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op))
    return false;
  bool isOfData = sharding::hasFactor(rule.operands.front(), factor);
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    // One element is taken along each dimension that such a factor is of.
    return isOfData &&
           rule.factors[factor].kind == sharding::FactorKind::Reduction &&
           llvm::all_of(llvm::enumerate(rule.operands.front()), [&](auto dim) {
             return !llvm::is_contained(dim.value(), factor) ||
                    gather.getSliceSizes()[dim.index()] == 1;
           });
  }
  auto scatter = cast<stablehlo::ScatterOp>(op);
  if (!isOfData ||
      rule.factors[factor].kind != sharding::FactorKind::PassThrough)
    return false;
  // Updates beyond a part are left out, as those beyond the whole are.
  auto map = scatter.getScatterDimensionNumbers().getScatterDimsToOperandDims();
  return llvm::all_of(llvm::enumerate(rule.operands.front()), [&](auto dim) {
    return !llvm::is_contained(dim.value(), factor) ||
           llvm::is_contained(map, int64_t(dim.index()));
  });
}

/// Where the device's part begins along each of some dimensions.
SmallVector<Value> Partitioner::beginsOf(ArrayRef<int64_t> dims,
                                         RankedTensorType whole,
                                         const Layout &layout, Location loc) {
  SmallVector<Value> begins;
  for (int64_t dim : dims)
    begins.push_back(collectives.partBegin(
        layout.dims[dim],
        sdy::partSize(whole.getDimSize(dim), layout.dims[dim], mesh), loc));
  return begins;
}

Value Partitioner::gatherTerms(stablehlo::GatherOp op, Operation *local,
                               const Layout &layout) {
  Location loc = op.getLoc();
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> map = numbers.getStartIndexMap();
  auto whole = cast<RankedTensorType>(op.getOperand().getType());
  auto part = cast<RankedTensorType>(local->getOperand(0).getType());
  auto result = cast<RankedTensorType>(local->getResult(0).getType());
  builder.setInsertionPoint(local);
  Places places(builder, local->getOperand(1), numbers.getIndexVectorDim(),
                map.size(), loc);
  SmallVector<int64_t> most, limits;
  for (int64_t dim : map) {
    most.push_back(whole.getDimSize(dim) - op.getSliceSizes()[dim]);
    // Along what is not cut, every place is within once it is clamped.
    limits.push_back(part.getDimSize(dim));
  }
  places.clamp(most);
  places.subtract(beginsOf(map, whole, layout, loc));
  Value within = places.isWithin(limits);
  // A dimension that no index names is taken at its first place.
  for (auto [dim, axes] : llvm::enumerate(layout.dims)) {
    bool isTakenAtFirst =
        op.getSliceSizes()[dim] == 1 && !axes.empty() &&
        !llvm::is_contained(map, int64_t(dim)) &&
        llvm::is_contained(numbers.getCollapsedSliceDims(), int64_t(dim));
    if (isTakenAtFirst)
      within = stablehlo::AndOp::create(builder, loc, within.getType(), within,
                                        stablehlo::BroadcastInDimOp::create(
                                            builder, loc, within.getType(),
                                            collectives.isFirst(axes, loc),
                                            builder.getDenseI64ArrayAttr({})));
  }
  local->setOperand(1, places.value);
  builder.setInsertionPointAfter(local);
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < result.getRank(); ++dim)
    if (!llvm::is_contained(numbers.getOffsetDims(), dim))
      dims.push_back(dim);
  Value mask = stablehlo::BroadcastInDimOp::create(
      builder, loc, result.clone(builder.getI1Type()), within,
      builder.getDenseI64ArrayAttr(dims));
  Attribute neutral = neutralElement(
      OperationName(stablehlo::AddOp::getOperationName(), op.getContext()),
      result.getElementType());
  return stablehlo::SelectOp::create(
      builder, loc, result, mask, local->getResult(0),
      createSplat(builder, loc, result, neutral));
}

void Partitioner::fillIndices(stablehlo::TorchIndexSelectOp op,
                              Operation *local,
                              const sharding::FactorRule &rule,
                              const OperationCut &cut) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(local);
  fillPadding(op, local, /*index=*/1, rule, cut,
              zeroElement(getElementTypeOrSelf(op.getIndex())),
              [](int64_t) { return true; });
}

void Partitioner::movePlaces(stablehlo::ScatterOp op, Operation *local,
                             const Layout &layout) {
  Location loc = op.getLoc();
  auto numbers = op.getScatterDimensionNumbers();
  ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims();
  if (llvm::all_of(map, [&](int64_t dim) { return layout.dims[dim].empty(); }))
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(local);
  unsigned at = op.getInputs().size();
  Places places(builder, local->getOperand(at), numbers.getIndexVectorDim(),
                map.size(), loc);
  places.subtract(
      beginsOf(map, cast<RankedTensorType>(op.getInputs().front().getType()),
               layout, loc));
  local->setOperand(at, places.value);
}

} // namespace heddle
