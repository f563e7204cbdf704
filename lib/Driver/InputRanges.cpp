// Finds which indices an integer input may hold, so that random ones are good.

#include "heddle/Driver/InputRanges.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

/// Ops whose result holds elements of their operand unchanged, or as good as:
/// what exporters put between an input and its gather (negative indices are
/// wrapped by a select between x and x + n).
static bool passesElementsOn(Operation *op) {
  return isa<stablehlo::ConvertOp, stablehlo::ReshapeOp,
             stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
             stablehlo::SliceOp, stablehlo::ConcatenateOp, stablehlo::SelectOp,
             stablehlo::ClampOp, stablehlo::MaxOp, stablehlo::MinOp>(op);
}

/// The largest index that is valid along every one of `dims`, when slices of
/// `sizes` are taken at it. Where a size is open, only the first one surely is.
static int64_t lastIndex(RankedTensorType table, ArrayRef<int64_t> dims,
                         ArrayRef<int64_t> sizes) {
  int64_t last = std::numeric_limits<int64_t>::max();
  for (int64_t dim : dims) {
    bool isKnown =
        !table.isDynamicDim(dim) && !ShapedType::isDynamic(sizes[dim]);
    last = std::min(last, isKnown ? table.getDimSize(dim) - sizes[dim] : 0);
  }
  return last;
}

/// The largest valid index when `use` takes its value as one.
static std::optional<int64_t> lastIndexOfUse(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return TypeSwitch<Operation *, std::optional<int64_t>>(use.getOwner())
      .Case([&](stablehlo::GatherOp op) -> std::optional<int64_t> {
        if (number != 1)
          return std::nullopt;
        return lastIndex(cast<RankedTensorType>(op.getOperand().getType()),
                         op.getDimensionNumbers().getStartIndexMap(),
                         op.getSliceSizes());
      })
      .Case([&](stablehlo::DynamicSliceOp op) -> std::optional<int64_t> {
        if (number == 0)
          return std::nullopt;
        return lastIndex(cast<RankedTensorType>(op.getOperand().getType()),
                         {int64_t(number) - 1}, op.getSliceSizes());
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp op) -> std::optional<int64_t> {
        if (number < 2)
          return std::nullopt;
        auto update = cast<RankedTensorType>(op.getUpdate().getType());
        return lastIndex(cast<RankedTensorType>(op.getOperand().getType()),
                         {int64_t(number) - 2}, update.getShape());
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// The argument of the function that a composite stands for, or that is called.
static Value calleeArgument(OpOperand &use) {
  Operation *op = use.getOwner();
  SymbolRefAttr callee;
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    callee =
        FlatSymbolRefAttr::get(op->getContext(), composite.getDecomposition());
  else if (auto call = dyn_cast<func::CallOp>(op))
    callee = call.getCalleeAttr();
  if (!callee)
    return {};
  auto function =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, callee);
  if (!function || function.isExternal())
    return {};
  return function.getArgument(use.getOperandNumber());
}

std::optional<std::pair<int64_t, int64_t>>
heddle::indexRange(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.getElementType().isInteger())
    return std::nullopt;
  auto function =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  if (function)
    if (auto known = function.getArgAttrOfType<DenseI64ArrayAttr>(
            argument.getArgNumber(), kRangeAttrName);
        known && known.size() == 2)
      return std::make_pair(known[0], known[1]);
  std::optional<int64_t> last;
  SmallVector<Value> worklist{argument};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      if (std::optional<int64_t> found = lastIndexOfUse(use))
        last = std::min(*found, last.value_or(*found));
      else if (Value inner = calleeArgument(use))
        worklist.push_back(inner);
      else if (passesElementsOn(use.getOwner()))
        worklist.push_back(use.getOwner()->getResult(0));
    }
  }
  if (!last)
    return std::nullopt;
  return std::make_pair(int64_t(0), std::max<int64_t>(*last, 0));
}
