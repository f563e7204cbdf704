// The largest or smallest elements along a dimension.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace heddle {

/// The first elements of the results along `dimension`, as many as `types` say.
static void takeFirst(OpBuilder &builder, Location loc, ValueRange sorted,
                      TypeRange types, SmallVectorImpl<Value> &results) {
  for (auto [value, type] : llvm::zip_equal(sorted, types)) {
    auto shape = cast<RankedTensorType>(type).getShape();
    SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
    results.push_back(stablehlo::SliceOp::create(builder, loc, type, value,
                                                 starts, shape, strides));
  }
}

/// Fails unless `from` has the shape of `to`, but at least as many elements
/// along `dimension`.
static bool isPrefix(Type to, Type from, int64_t dimension) {
  auto small = cast<RankedTensorType>(to), large = cast<RankedTensorType>(from);
  if (small.getRank() != large.getRank() ||
      small.getElementType() != large.getElementType())
    return false;
  for (int64_t i = 0; i < small.getRank(); ++i)
    if (i == dimension ? small.getDimSize(i) > large.getDimSize(i)
                       : small.getDimSize(i) != large.getDimSize(i))
      return false;
  return true;
}

/// A stable sort of keys with what belongs to them; `fillComparator` writes the
/// region's body.
static stablehlo::SortOp
createSort(OpBuilder &builder, Location loc, ValueRange values,
           int64_t dimension,
           function_ref<void(OpBuilder &, Block *)> fillComparator) {
  auto sort = stablehlo::SortOp::create(builder, loc, values.getTypes(), values,
                                        dimension, /*is_stable=*/true);
  Block *block = builder.createBlock(&sort.getComparator());
  for (Value value : values) {
    auto scalar = RankedTensorType::get(
        {}, cast<RankedTensorType>(value.getType()).getElementType());
    block->addArguments({scalar, scalar}, {loc, loc});
  }
  fillComparator(builder, block);
  builder.setInsertionPointAfter(sort);
  return sort;
}

/// ApproxTopK(keys, others..., initial keys, initial others...): the first
/// elements by the called comparator. The exact answer is the best
/// approximation, whatever recall is asked for; where a larger number of
/// candidates is wanted, the first of them are the answer.
static LogicalResult approximateTopK(OpBuilder &builder,
                                     stablehlo::CustomCallOp op,
                                     SmallVectorImpl<Value> &results) {
  unsigned count = op->getNumResults();
  if (failed(checkArity(op, 2 * count, count)))
    return failure();
  auto dimension =
      dyn_cast_or_null<IntegerAttr>(customCallAttribute(op, "reduction_dim"));
  func::FuncOp comparator;
  if (op.getCalledComputations().size() == 1)
    comparator = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, cast<FlatSymbolRefAttr>(op.getCalledComputations()[0]));
  int64_t along = dimension ? dimension.getInt() : -1;
  ValueRange keys = op.getInputs().take_front(count);
  for (auto [key, type] : llvm::zip_equal(keys, op.getResultTypes()))
    if (along < 0 || along >= cast<RankedTensorType>(type).getRank() ||
        !isPrefix(type, key.getType(), along))
      comparator = {};
  if (!comparator || comparator.isExternal() ||
      !comparator.getBody().hasOneBlock() ||
      comparator.getNumArguments() != 2 * count)
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName()
           << "' needs reduction_dim, a comparator and results that are part "
              "of its operands";
  auto sort = createSort(
      builder, op.getLoc(), keys, along, [&](OpBuilder &inner, Block *block) {
        IRMapping mapping;
        Block &body = comparator.getBody().front();
        mapping.map(body.getArguments(), block->getArguments());
        for (Operation &each : body.without_terminator())
          inner.clone(each, mapping);
        SmallVector<Value> returned;
        for (Value value : body.getTerminator()->getOperands())
          returned.push_back(mapping.lookupOrDefault(value));
        stablehlo::ReturnOp::create(inner, op.getLoc(), returned);
      });
  takeFirst(builder, op.getLoc(), sort.getResults(), op.getResultTypes(),
            results);
  return success();
}

/// TopK(x), mhlo.topk(x): the k largest of the last dimension in falling order,
/// and where they are; NaN counts as largest, of equal elements the first comes
/// first. k is the extent of the results.
static LogicalResult topK(OpBuilder &builder, stablehlo::CustomCallOp op,
                          SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 1, 2)))
    return failure();
  Location loc = op.getLoc();
  Value input = op.getInputs()[0];
  auto type = cast<RankedTensorType>(input.getType());
  int64_t last = type.getRank() - 1;
  auto indexType = cast<RankedTensorType>(op->getResult(1).getType());
  auto dictionary =
      dyn_cast_or_null<DictionaryAttr>(op->getAttr("mhlo.attributes"));
  auto largest =
      dictionary ? dictionary.getAs<BoolAttr>("largest") : BoolAttr();
  bool falling = !largest || largest.getValue();
  if (last < 0 || !isPrefix(op->getResult(0).getType(), type, last) ||
      indexType.getShape() !=
          cast<RankedTensorType>(op->getResult(0).getType()).getShape() ||
      !indexType.getElementType().isInteger(32))
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName()
           << "' gives values of its operand and their places as i32";
  Value places = stablehlo::IotaOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape(), indexType.getElementType()), last);
  auto sort = createSort(
      builder, loc, {input, places}, last, [&](OpBuilder &inner, Block *block) {
        auto order = isa<FloatType>(type.getElementType())
                         ? stablehlo::ComparisonType::TOTALORDER
                     : type.getElementType().isUnsignedInteger() ||
                             type.getElementType().isInteger(1)
                         ? stablehlo::ComparisonType::UNSIGNED
                         : stablehlo::ComparisonType::SIGNED;
        Value first = stablehlo::CompareOp::create(
            inner, loc, block->getArgument(0), block->getArgument(1),
            falling ? stablehlo::ComparisonDirection::GT
                    : stablehlo::ComparisonDirection::LT,
            order);
        stablehlo::ReturnOp::create(inner, loc, first);
      });
  takeFirst(builder, loc, sort.getResults(), op.getResultTypes(), results);
  return success();
}

ArrayRef<CustomCallRule> topKCustomCalls() {
  static const CustomCallRule rules[] = {
      {"ApproxTopK", approximateTopK},
      {"PartialReduce", approximateTopK},
      {"TopK", topK},
      {"mhlo.topk", topK},
  };
  return rules;
}

} // namespace heddle
