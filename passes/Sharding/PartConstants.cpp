// Parts of constants that a rank has: a constant of its own instead of a slice
// of the whole, so that it reads and maps nothing else. A part of what is
// dequantized by blocks is dequantized from parts, so that it stays integers.

#include "passes/Sharding/Passes.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/PartTypes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

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

/// Operations that take the blocks of a file apart, at the most.
static constexpr size_t kMostSteps = 256;

/// Whether `value` is computed from constants by operations that the packer
/// evaluates: those that take the blocks of a file apart.
static bool isProgram(Value value) {
  llvm::SetVector<Operation *> steps;
  steps.insert(value.getDefiningOp());
  for (size_t i = 0; i < steps.size(); ++i) {
    Operation *op = steps[i];
    if (!op || steps.size() > kMostSteps ||
        !isa<dist::PartOp, stablehlo::AddOp, stablehlo::AndOp,
             stablehlo::BitcastConvertOp, stablehlo::BroadcastInDimOp,
             stablehlo::CompareOp, stablehlo::ConcatenateOp,
             stablehlo::ConstantOp, stablehlo::ConvertOp, stablehlo::DivOp,
             stablehlo::MulOp, stablehlo::NegOp, stablehlo::ReshapeOp,
             stablehlo::SelectOp, stablehlo::SliceOp, stablehlo::SubtractOp,
             stablehlo::TransposeOp>(op))
      return false;
    for (Value operand : op->getOperands())
      steps.insert(operand.getDefiningOp());
  }
  return true;
}

/// `shape` as a device has it.
static SmallVector<int64_t> partShape(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> cuts) {
  SmallVector<int64_t> part(shape);
  for (; !cuts.empty(); cuts = cuts.drop_front(3))
    part[cuts[0]] /= cuts[1];
  return part;
}

/// What the devices have that `value` gathers along `cuts`: its part then; null
/// if it does something else.
static Value gatheredFrom(Value value, ArrayRef<int64_t> cuts) {
  auto gather = value.getDefiningOp<stablehlo::AllGatherOp>();
  auto along = gather ? gather->getAttrOfType<DenseI64ArrayAttr>(kCutsAttrName)
                      : DenseI64ArrayAttr();
  return along && along.asArrayRef() == cuts ? gather->getOperand(0) : Value();
}

/// The part of a program's value, or of what is gathered from programs.
static Value partOf(OpBuilder &builder, Value value, ArrayRef<int64_t> cuts) {
  if (Value part = gatheredFrom(value, cuts))
    return part;
  auto type = cast<RankedTensorType>(value.getType());
  RankedTensorType part = type.clone(partShape(type.getShape(), cuts));
  if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat())
      return stablehlo::ConstantOp::create(
          builder, value.getLoc(), cast<ElementsAttr>(dense.resizeSplat(part)));
  }
  return dist::PartOp::create(builder, value.getLoc(), part, value, cuts);
}

/// The part of `op` as the same operation on parts: null if blocks, or the
/// programs of what is stored, do not have parts.
static Value partOfDequantized(OpBuilder &builder, prec::DequantizeOp op,
                               ArrayRef<int64_t> cuts) {
  auto whole = cast<RankedTensorType>(op.getType());
  auto scales = cast<RankedTensorType>(op.getScale().getType());
  if (!op.getBlock() || !llvm::all_of(op->getOperands(), [&](Value operand) {
        Value part = gatheredFrom(operand, cuts);
        return isProgram(part ? part : operand);
      }))
    return {};
  auto axis = static_cast<int64_t>(*op.getAxis());
  SmallVector<int64_t> shape = partShape(whole.getShape(), cuts);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isCut = size != whole.getDimSize(dim);
    if (isCut && (int64_t(dim) == axis
                      ? size % static_cast<int64_t>(*op.getBlock()) != 0
                      : scales.getDimSize(dim) != whole.getDimSize(dim)))
      return {};
  }
  IRMapping parts;
  for (Value operand : op->getOperands())
    parts.map(operand, partOf(builder, operand, cuts));
  Operation *part = builder.clone(*op, parts);
  part->getResult(0).setType(whole.clone(shape));
  return part->getResult(0);
}

/// The part of a dequantized weight, maybe transposed; null if it is something
/// else.
static Value partOfWeight(OpBuilder &builder, Value value,
                          ArrayRef<int64_t> cuts) {
  if (auto op = value.getDefiningOp<prec::DequantizeOp>())
    return partOfDequantized(builder, op, cuts);
  auto transpose = value.getDefiningOp<stablehlo::TransposeOp>();
  if (!transpose)
    return {};
  SmallVector<int64_t> before(cuts);
  for (size_t i = 0; i < before.size(); i += 3)
    before[i] = transpose.getPermutation()[before[i]];
  Value part = partOfWeight(builder, transpose.getOperand(), before);
  return part ? stablehlo::TransposeOp::create(builder, value.getLoc(), part,
                                               transpose.getPermutation())
              : Value();
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
      OpBuilder builder(op);
      Value part =
          isStored(op.getOperand())
              ? Value(dist::PartOp::create(builder, op.getLoc(), op.getType(),
                                           op.getOperand(), cuts))
              : partOfWeight(builder, op.getOperand(), cuts.asArrayRef());
      if (!part)
        continue;
      op.replaceAllUsesWith(part);
      op.erase();
    }
    getOperation().walk(
        [](stablehlo::AllGatherOp op) { op->removeAttr(kCutsAttrName); });
  }
};
} // namespace
} // namespace heddle
