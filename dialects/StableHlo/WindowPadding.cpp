// Tells windows whose padding does nothing by what their bodies compute.

#include "dialects/StableHlo/WindowPadding.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

/// Whether combining with `init` once more changes nothing: then padding, which
/// holds initial values, can be skipped.
static bool isNeutral(Operation *combiner, Value init) {
  // Taken twice is taken once.
  if (isa<MaxOp, MinOp, AndOp, OrOp>(combiner))
    return true;
  Type element = getElementTypeOrSelf(init.getType());
  if (element.isInteger(1))
    return isa<AddOp, MulOp>(combiner); // are or, and
  Attribute value;
  if (!matchPattern(init, m_Constant(&value)))
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.getNumElements() != 1)
    return false;
  double wanted = isa<MulOp>(combiner) ? 1 : 0;
  if (!isa<AddOp, MulOp>(combiner))
    return false;
  if (isa<FloatType>(element))
    return (*elements.getValues<APFloat>().begin()).isExactlyValue(wanted);
  if (isa<IntegerType>(element))
    return *elements.getValues<APInt>().begin() ==
           static_cast<uint64_t>(wanted);
  return false;
}

/// Whether the body is log(exp(a) + exp(b)), as JAX writes it, from log(0).
static bool isLogOfSum(ReduceWindowOp op) {
  Attribute value;
  if (op.getInputs().size() != 1 ||
      !matchPattern(op.getInitValues().front(), m_Constant(&value)))
    return false;
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.getNumElements() != 1 ||
      !isa<FloatType>(elements.getElementType()))
    return false;
  APFloat init = *elements.getValues<APFloat>().begin();
  if (!init.isInfinity() || !init.isNegative())
    return false;
  // max(a, b) + log1p(exp(-|a - b|)), but a + b where a - b is not a number.
  Block &body = op.getBody().front();
  Value a = body.getArgument(0), b = body.getArgument(1);
  auto choice = body.getTerminator()->getOperand(0).getDefiningOp<SelectOp>();
  auto isOf = [&](Operation *found, Value first, Value second) {
    return found && found->getOperand(0) == first &&
           found->getOperand(1) == second;
  };
  if (!choice)
    return false;
  auto unordered = choice.getPred().getDefiningOp<CompareOp>();
  auto infinite = choice.getOnTrue().getDefiningOp<AddOp>();
  auto sum = choice.getOnFalse().getDefiningOp<AddOp>();
  if (!unordered || !infinite || !sum || !isOf(infinite, a, b) ||
      unordered.getComparisonDirection() != ComparisonDirection::NE ||
      unordered->getOperand(0) != unordered->getOperand(1))
    return false;
  auto gap = unordered->getOperand(0).getDefiningOp<SubtractOp>();
  auto larger = sum->getOperand(0).getDefiningOp<MaxOp>();
  auto log = sum->getOperand(1).getDefiningOp<Log1pOp>();
  if (!gap || !larger || !log || !isOf(gap, a, b) || !isOf(larger, a, b))
    return false;
  auto exp = log->getOperand(0).getDefiningOp<ExpOp>();
  auto negative = exp ? exp->getOperand(0).getDefiningOp<NegOp>() : nullptr;
  auto distance =
      negative ? negative->getOperand(0).getDefiningOp<AbsOp>() : nullptr;
  return distance && distance->getOperand(0) == gap.getResult();
}

bool stablehlo::skipsPadding(ReduceWindowOp op) {
  bool holes = llvm::any_of(op.getPaddingOrDefault(), [](auto pair) {
    return pair.first > 0 || pair.second > 0;
  });
  holes |= llvm::any_of(op.getBaseDilationsOrDefault(),
                        [](int64_t step) { return step != 1; });
  if (!holes || isLogOfSum(op))
    return true;
  Block &body = op.getBody().front();
  Operation *combiner = &body.front();
  return op.getInputs().size() == 1 && body.getOperations().size() == 2 &&
         combiner->getNumOperands() == 2 &&
         combiner->getOperand(0) != combiner->getOperand(1) &&
         llvm::all_of(combiner->getOperands(),
                      [](Value value) { return isa<BlockArgument>(value); }) &&
         body.getTerminator()->getOperand(0) == combiner->getResult(0) &&
         isNeutral(combiner, op.getInitValues().front());
}
