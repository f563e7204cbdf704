// Products of one tensor with several weights become one product.
//
// The query, key and value projections of attention read the same activations:
// merged, these are read once, and one kernel has three times the work to share
// out. It costs slices of the result, which their readers take as offsets. That
// pays only while the weights, not the activations, are the traffic: hence the
// limit on rows.

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {
#define GEN_PASS_DEF_MERGEPARALLELDOTS
#include "passes/Graph/Passes.h.inc"

namespace {

/// A product `x[..., K] * w[K, N]` with constant weights and at most `maxRows`
/// rows.
bool isCandidate(DotGeneralOp op, int64_t maxRows) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  auto result = cast<RankedTensorType>(op.getType());
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  if (rhs.getRank() != 2 || !result.hasStaticShape() ||
      !constantValue(op.getRhs()) ||
      !numbers.getLhsBatchingDimensions().empty() ||
      numbers.getLhsContractingDimensions() !=
          ArrayRef<int64_t>(lhs.getRank() - 1) ||
      numbers.getRhsContractingDimensions() != ArrayRef<int64_t>(0))
    return false;
  int64_t columns = result.getShape().back();
  return columns != 0 && result.getNumElements() / columns <= maxRows;
}

/// One product instead of `group`, at the place of the first one.
void merge(ArrayRef<DotGeneralOp> group) {
  OpBuilder builder(group.front());
  SmallVector<Value> weights;
  SmallVector<Location> locations;
  int64_t columns = 0;
  for (DotGeneralOp op : group) {
    weights.push_back(op.getRhs());
    locations.push_back(op.getLoc());
    columns += cast<RankedTensorType>(op.getType()).getShape().back();
  }
  // Constants may stand behind the first product: they go with it.
  for (Value weight : weights)
    weight.getDefiningOp()->moveBefore(&group.front()->getBlock()->front());
  Location loc = builder.getFusedLoc(locations);
  Value weight = ConcatenateOp::create(builder, loc, weights, /*dimension=*/1);
  DotGeneralOp lead = group.front();
  auto first = cast<RankedTensorType>(lead.getType());
  SmallVector<int64_t> shape(first.getShape());
  shape.back() = columns;
  Value merged = DotGeneralOp::create(
      builder, loc, RankedTensorType::get(shape, first.getElementType()),
      lead.getLhs(), weight, lead.getDotDimensionNumbersAttr(),
      lead.getPrecisionConfigAttr(), lead.getAlgorithmAttr());
  int64_t start = 0;
  for (DotGeneralOp op : group) {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape());
    SmallVector<int64_t> strides(type.getRank(), 1);
    starts.back() = start;
    limits.back() += start;
    start = limits.back();
    Value part = SliceOp::create(builder, op.getLoc(), type, merged, starts,
                                 limits, strides);
    op.replaceAllUsesWith(part);
  }
  for (DotGeneralOp op : group)
    op.erase();
}

struct MergeParallelDots : impl::MergeParallelDotsBase<MergeParallelDots> {
  using MergeParallelDotsBase::MergeParallelDotsBase;

  void runOnOperation() override {
    getOperation()->walk([&](Block *block) {
      // What is one product is as exact as another, and of the same types.
      llvm::MapVector<std::tuple<Value, Attribute, Attribute, Type, Type>,
                      SmallVector<DotGeneralOp>>
          groups;
      for (auto op : block->getOps<DotGeneralOp>())
        if (isCandidate(op, maxRows) &&
            op.getRhs().getDefiningOp()->getBlock() == block)
          groups[{op.getLhs(), op.getPrecisionConfigAttr(),
                  op.getAlgorithmAttr(), getElementTypeOrSelf(op.getRhs()),
                  getElementTypeOrSelf(op.getType())}]
              .push_back(op);
      for (auto &[key, group] : groups)
        if (group.size() > 1)
          merge(group);
    });
  }
};

} // namespace
} // namespace heddle
