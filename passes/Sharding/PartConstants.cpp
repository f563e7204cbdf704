// Parts of constants that a rank has: a constant of its own instead of a slice
// of the whole, so that it reads and maps nothing else.

#include "passes/Sharding/Passes.h"

#include "dialects/Dist/Dist.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/PartTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PARTCONSTANTS
#include "passes/Sharding/Passes.h.inc"

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Whether a pad rounds sizes up, as the partitioner's do. What grows more may
/// be too large to be stored.
static bool isRounding(stablehlo::PadOp pad) {
  auto isZero = [](int64_t count) { return count == 0; };
  int64_t from = elements(pad.getOperand()), to = elements(pad.getResult());
  return llvm::all_of(pad.getEdgePaddingLow(), isZero) &&
         llvm::all_of(pad.getInteriorPadding(), isZero) && from <= to &&
         to / 2 <= from && matchPattern(pad.getPaddingValue(), m_Constant());
}

/// Whether weights hold the value: a constant, maybe padded or a part already.
static bool isStored(Value value) {
  if (!cast<RankedTensorType>(value.getType()).getElementType().isIntOrFloat())
    return false;
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<stablehlo::PadOp, dist::PartOp>(op)) {
    auto pad = dyn_cast<stablehlo::PadOp>(op);
    if (pad && !isRounding(pad))
      return false;
    op = op->getOperand(0).getDefiningOp();
  }
  auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op);
  if (!constant)
    return false;
  // What repeats one number is never stored.
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return !dense || !(dense.isSplat() || dense.getNumElements() == 1);
}

namespace {
struct PartConstants : impl::PartConstantsBase<PartConstants> {
  using PartConstantsBase::PartConstantsBase;

  void runOnOperation() override {
    SmallVector<stablehlo::DynamicSliceOp> slices;
    getOperation().walk([&](stablehlo::DynamicSliceOp op) {
      if (op->hasAttr(kCutsAttrName))
        slices.push_back(op);
    });
    for (stablehlo::DynamicSliceOp op : slices) {
      auto cuts = cast<DenseI64ArrayAttr>(op->removeAttr(kCutsAttrName));
      if (!isStored(op.getOperand()))
        continue;
      OpBuilder builder(op);
      op.replaceAllUsesWith(dist::PartOp::create(builder, op.getLoc(),
                                                 op.getType(), op.getOperand(),
                                                 cuts)
                                .getResult());
      op.erase();
    }
  }
};
} // namespace
} // namespace heddle
