// The model says which types a contraction multiplies, a target which ones its
// kernels do. Where these differ, operands are converted here: to the type that
// the products are summed in, which holds them all. Kernels give sums; what
// narrows them becomes an epilogue.

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/AskedFactors.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/StepTerms.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_LEGALIZEROOTS
#include "passes/Dispatch/Passes.h.inc"

/// Whether the value only rearranges or repeats a constant.
static bool isConstant(Value value) {
  while (Operation *source = value.getDefiningOp()) {
    if (isa<kernel::WeightRefOp, linalg::FillOp>(source))
      return true;
    auto generic = dyn_cast<linalg::GenericOp>(source);
    if (generic && generic.getNumDpsInputs() == 0)
      return true;
    if (generic ? generic.getNumDpsInputs() != 1
                : !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(source))
      return false;
    value = source->getOperand(0);
  }
  return false;
}

/// How often a kernel reads an element of the left operand.
static int64_t reads(kernel::ContractOp op) {
  int64_t columns = 1;
  for (unsigned dim : op.getDims().n)
    columns *= op.getExtents()[dim];
  return columns;
}

/// An element meets every tap and every output channel of its group. Depthwise
/// kernels load whole vectors, and spread nothing.
static int64_t reads(kernel::ConvolutionOp op) {
  auto weights = cast<RankedTensorType>(op.getWeights().getType());
  int64_t depth = weights.getDimSize(weights.getRank() - 2);
  return depth > 1 ? weights.getNumElements() /
                         (depth * static_cast<int64_t>(op.getGroups()))
                   : 0;
}

namespace {
struct LegalizeRoots : impl::LegalizeRootsBase<LegalizeRoots> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const DispatchFacts &facts = target->dispatchFacts();
    converted.clear();
    getOperation().walk([&](Operation *op) {
      if (auto contract = dyn_cast<kernel::ContractOp>(op))
        legalize(contract, KernelFamily::Contraction, facts);
      else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
        legalize(convolution, KernelFamily::Convolution, facts);
      else if (auto attention = dyn_cast<kernel::AttentionOp>(op))
        legalize(attention, facts);
    });
  }

private:
  void legalize(kernel::AttentionOp op, const DispatchFacts &facts) {
    Type sum = op.getSumElement();
    Type lhs = op.getLhsElement(), rhs = op.getRhsElement();
    giveSums(op, sum);
    // Kernels add masks of any elements that they hold.
    if (Value mask = op.getMask(); mask && !facts.holds(elementOf(mask)))
      convert(op, 3, elementOf(mask), sum);
    if (Value sink = op.getSink())
      convert(op, op.getNumTensors() - 1, elementOf(sink), sum);
    std::string factors =
        askedFactors(op.getScoreAlgorithmAttr(), op.getValueAlgorithmAttr());
    if (!factors.empty() &&
        facts.isLegal(KernelFamily::Attention, lhs, rhs, sum, factors))
      return;
    if (!facts.isLegal(KernelFamily::Attention, lhs, rhs, sum)) {
      convert(op, 0, lhs, sum);
      convert(op, 1, lhs, sum);
      convert(op, 2, rhs, sum);
      lhs = rhs = sum;
    }
    op.removeScoreAlgorithmAttr();
    op.removeValueAlgorithmAttr();
    if (facts.roundsFactors(KernelFamily::Attention, lhs, rhs, sum))
      return;
    op.removeScorePrecisionAttr();
    op.removeValuePrecisionAttr();
  }

  template <typename Root>
  void legalize(Root op, KernelFamily family, const DispatchFacts &facts) {
    Type sum = op.getSumElement();
    Type lhs = op.getLhsElement(), rhs = op.getRhsElement();
    giveSums(op, sum);
    if (chooseFactors(op, family, facts))
      return;
    // Integers that kernels multiply floats by are in units of a scale.
    bool isScaled = isa<FloatType>(lhs) && isa<IntegerType>(rhs);
    if (isScaled || !facts.isLegal(family, lhs, rhs, sum)) {
      convert(op, 0, lhs, sum);
      convert(op, 1, rhs, sum);
      op.removeLhsTypeAttr();
      op.removeRhsTypeAttr();
      return;
    }
    // A kernel spreads each element of the left operand over its lanes, once
    // for each panel of columns: floats of two bytes are worth widening once
    // for all where that happens several times, but not weights, which would
    // double, and not what is multiplied in pairs.
    if ((lhs.isF16() || lhs.isBF16()) && sum.isF32() &&
        facts.isLegal(family, sum, rhs, sum) &&
        reads(op) >= facts.readsWorthWidening &&
        !isConstant(op->getOperand(0)) && !readsPairs(op, facts.packing))
      convert(op, 0, lhs, sum);
  }

  /// The root gives its sums; what rounds them follows.
  template <typename Root> static void giveSums(Root op, Type sum) {
    Value result = op.getResult();
    Type rounded = elementOf(result);
    if (rounded == sum)
      return;
    result.setType(cast<RankedTensorType>(result.getType()).clone(sum));
    op.removeAccumulatorAttr();
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value narrow = convertAll(builder, op.getLoc(), result, sum, rounded);
    result.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
  }

  /// What the model says of exactness stays where the target's kernels differ
  /// in it. Whether one of them multiplies just what the model asks for; all
  /// others multiply something more exact, which is as good.
  template <typename Root>
  static bool chooseFactors(Root op, KernelFamily family,
                            const DispatchFacts &facts) {
    Type lhs = op.getLhsElement(), rhs = op.getRhsElement(),
         sum = op.getSumElement();
    std::string factors = askedFactors(op->getAttr("algorithm"));
    if (!factors.empty() && facts.isLegal(family, lhs, rhs, sum, factors))
      return true;
    op->removeAttr("algorithm");
    // What no kernel takes is converted to what it sums in.
    if (!facts.isLegal(family, lhs, rhs, sum))
      lhs = rhs = sum;
    if (!facts.roundsFactors(family, lhs, rhs, sum))
      op.removePrecisionAttr();
    return false;
  }

  /// What several roots of a block read is converted once, before the first.
  void convert(Operation *op, unsigned operand, Type from, Type to) {
    Value value = op->getOperand(operand);
    if (elementOf(value) == to)
      return;
    Value &wide = converted[{op->getBlock(), value, from, to}];
    if (!wide)
      wide = convertAll(OpBuilder(op), op->getLoc(), value, from, to);
    op->setOperand(operand, wide);
  }

  static Value convertAll(OpBuilder builder, Location loc, Value value,
                          Type from, Type to) {
    auto type = cast<RankedTensorType>(value.getType());
    return createPointwise(builder, loc, type.clone(to), value,
                           builder.getMultiDimIdentityMap(type.getRank()),
                           [&](OpBuilder &b, Location at, ValueRange scalars) {
                             return convertScalar(b, at, scalars[0], from, to);
                           });
  }

  llvm::DenseMap<std::tuple<Block *, Value, Type, Type>, Value> converted;
};
} // namespace
} // namespace heddle
