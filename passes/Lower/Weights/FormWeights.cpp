// Derived weights are programs, not tensors: a folded batch norm or a
// transposed matrix of a 4 GB model is never computed here, only named.

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Weights.h"
#include "passes/Lower/Passes.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Weights/WeightPrograms.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FORMWEIGHTS
#include "passes/Lower/Passes.h.inc"

static bool isSplat(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  return dense && (dense.isSplat() || dense.getNumElements() == 1);
}

/// Ops that the packer can evaluate.
static bool isPackable(Operation *op) {
  using namespace stablehlo;
  if (isa<TransposeOp, ReshapeOp, SliceOp, ReverseOp, ConcatenateOp,
          BroadcastInDimOp, IotaOp, ConvertOp, SelectOp, NegOp, AbsOp>(op))
    return true;
  if (auto dequantize = dyn_cast<prec::DequantizeOp>(op))
    return !dequantize.getStorage().isUnsignedInteger(64);
  if (auto quantize = dyn_cast<prec::QuantizeOp>(op))
    return !quantize.getStorage().isUnsignedInteger(64);
  if (auto pad = dyn_cast<PadOp>(op))
    return llvm::all_of(pad.getInteriorPadding(),
                        [](int64_t interior) { return interior == 0; });
  if (auto compare = dyn_cast<CompareOp>(op)) {
    Type compared = getElementTypeOrSelf(compare.getLhs().getType());
    return compare.getCompareType() != ComparisonType::TOTALORDER &&
           (isa<FloatType>(compared) ||
            (isa<IntegerType>(compared) && !compared.isUnsignedInteger(64)));
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<FloatType>(element))
    return isa<AddOp, SubtractOp, MulOp, DivOp, MaxOp, MinOp, PowOp, SqrtOp,
               RsqrtOp, ExpOp, LogOp, TanhOp, SineOp, CosineOp, LogisticOp,
               FloorOp, CeilOp, RoundOp, RoundNearestEvenOp, SignOp, ClampOp>(
        op);
  if (element.isUnsignedInteger(64))
    return false;
  return isa<AddOp, SubtractOp, MulOp, MaxOp, MinOp, AndOp, OrOp, XorOp, NotOp,
             ClampOp>(op) &&
         !(element.isInteger(1) && isa<SubtractOp>(op));
}

static int64_t elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// What a weight takes where it is stored; saturated.
static uint64_t bytes(Value value) {
  return storedBytes(cast<RankedTensorType>(value.getType()))
      .value_or(uint64_t(1) << 62);
}

/// A derived weight may take so many bytes, and so many times more than its
/// sources: a few lines of text must not become an artifact of gigabytes.
static constexpr uint64_t kFreeBytes = uint64_t(64) << 20;
static constexpr uint64_t kMostGrowth = 4;

namespace {
struct FormWeights : impl::FormWeightsBase<FormWeights> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
    if (entries.empty())
      return;
    WeightPrograms weights(module);
    SmallVector<OpOperand *> uses;
    for (func::FuncOp entry : entries) {
      entry.walk<WalkOrder::PreOrder>([&](Block *block) {
        for (Operation &op : *block)
          classify(&op);
      });
      entry.walk([&](Operation *op) {
        if (constants.contains(op))
          return;
        for (OpOperand &use : op->getOpOperands())
          if (Operation *source = use.get().getDefiningOp();
              source && constants.contains(source))
            uses.push_back(&use);
      });
    }
    DenseMap<Value, Value> references;
    for (OpOperand *use : uses)
      use->set(reference(use->get(), weights, references));
    // What is dead now: constants and their programs.
    SmallVector<Operation *> candidates(constants.getArrayRef());
    for (Operation *op : llvm::reverse(candidates))
      if (op->use_empty())
        op->erase();
  }

  /// Whether the op computes from constants alone, one of them no splat.
  void classify(Operation *op) {
    if (op->getNumResults() != 1)
      return;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || !loweredTensorType(type))
      return;
    if (isa<stablehlo::ConstantOp>(op)) {
      if (!isSplat(op->getResult(0)))
        constants.insert(op);
      return;
    }
    if (!isPackable(op))
      return;
    bool any = false;
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      bool constant = source && constants.contains(source);
      if (!constant && !isRepetition(operand))
        return;
      any |= constant;
    }
    if (!any)
      repetitions.insert(op);
    else if (isa<stablehlo::BroadcastInDimOp>(op) || !growsTooLarge(op))
      // A repeated constant is never stored; a scale along the rows of a large
      // weight is one on the way to it.
      constants.insert(op);
  }

  /// Whether the result is much larger than the constants it is computed from:
  /// such a weight is computed when the program runs, not stored.
  bool growsTooLarge(Operation *op) {
    uint64_t wanted = bytes(op->getResult(0));
    if (wanted <= kFreeBytes)
      return false;
    uint64_t stored = 0;
    llvm::SetVector<Operation *> slice;
    slice.insert(op);
    for (unsigned i = 0; i < slice.size(); ++i) {
      if (isa<stablehlo::ConstantOp>(slice[i]) && constants.contains(slice[i]))
        stored += bytes(slice[i]->getResult(0));
      for (Value operand : slice[i]->getOperands())
        if (Operation *source = operand.getDefiningOp())
          slice.insert(source);
    }
    return wanted - kFreeBytes > kMostGrowth * stored;
  }

  /// A value that says nothing beyond its type: splats and what is made of
  /// them. Operands are classified before their readers.
  bool isRepetition(Value value) {
    return isSplat(value) || repetitions.contains(value.getDefiningOp());
  }

  /// What the graph reads instead of `value`, computed from constants.
  Value reference(Value value, WeightPrograms &weights,
                  DenseMap<Value, Value> &references) {
    if (Value known = references.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    Value result;
    OpBuilder builder(op);
    // Storing a repeated constant would only make it larger.
    if (isa<stablehlo::BroadcastInDimOp>(op) &&
        elements(value) > elements(op->getOperand(0)) &&
        constants.contains(op->getOperand(0).getDefiningOp())) {
      Value source = reference(op->getOperand(0), weights, references);
      Operation *copy = builder.clone(*op);
      copy->setOperand(0, source);
      result = copy->getResult(0);
    } else {
      result = weights.reference(builder, weights.add(value));
    }
    references[value] = result;
    return result;
  }

  llvm::SetVector<Operation *> constants;
  llvm::DenseSet<Operation *> repetitions;
};
} // namespace
} // namespace heddle
