// Tells what the packer can compute, how long it would take, and how large the
// result would be.

#include "passes/Lower/Weights/StoredValues.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Prec/Prec.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Weights.h"
#include "passes/Graph/OperandSlice.h"
#include "passes/Lower/Scalar/LoweredTypes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

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
          BroadcastInDimOp, IotaOp, ConvertOp, SelectOp, NegOp, AbsOp,
          dist::PartOp, prec::FitScaleOp>(op))
    return true;
  if (auto bitcast = dyn_cast<BitcastConvertOp>(op)) {
    Type from = getElementTypeOrSelf(bitcast.getOperand().getType()),
         to = getElementTypeOrSelf(bitcast.getType());
    // Bytes that hold several numbers.
    return isa<IntegerType>(from) && isa<IntegerType>(to) &&
           from.getIntOrFloatBitWidth() == 8 &&
           llvm::is_contained({2u, 4u}, to.getIntOrFloatBitWidth());
  }
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

/// What a weight takes where it is stored; saturated.
static uint64_t bytes(Value value) {
  return storedBytes(cast<RankedTensorType>(value.getType()))
      .value_or(uint64_t(1) << 62);
}

/// A derived weight may take so many bytes, and so many times more than its
/// sources: a few lines of text must not become an artifact of gigabytes. Two
/// numbers of 4 bits in a byte are eight bytes of f32.
static constexpr uint64_t kFreeBytes = uint64_t(64) << 20;
static constexpr uint64_t kMostGrowth = 8;

/// The packer goes through a program for each piece. What takes longer is
/// computed when the model runs.
static constexpr uint64_t kMostSteps = uint64_t(1) << 20;

/// Repetitions of so many steps with several readers are part of no program:
/// calls compute them anyway.
static constexpr uint64_t kLongRepetitionSteps = 128;

std::optional<StoredValues::Repetition>
StoredValues::repetition(Value value) const {
  if (isSplat(value))
    return Repetition();
  auto known = repetitions.find(value.getDefiningOp());
  if (known == repetitions.end())
    return std::nullopt;
  return known->second;
}

void StoredValues::addConstant(Operation *op) {
  programs[op] = {1, bytes(op->getResult(0))};
}

void StoredValues::classify(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  // What has the sizes of a call is no weight.
  if (!type || !type.hasStaticShape() || size::hasExtents(type) ||
      !loweredTensorType(type))
    return;
  if (isa<stablehlo::ConstantOp>(op)) {
    if (!isSplat(op->getResult(0)))
      addConstant(op);
    return;
  }
  if (!isPackable(op))
    return;
  Program program;
  bool any = false, sharesLong = false;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    uint64_t steps = 1;
    if (auto known = programs.find(source); known != programs.end()) {
      any = true;
      steps = known->second.steps;
      program.sourceBytes =
          std::max(program.sourceBytes, known->second.sourceBytes);
    } else if (std::optional<Repetition> repeated = repetition(operand)) {
      steps = repeated->steps;
      sharesLong |= repeated->sharesLong;
    } else {
      return;
    }
    program.steps = std::min(program.steps + steps, kMostSteps);
  }
  // What ranks have parts of is stored, also where it only repeats: no call can
  // compute it.
  bool isPart = isa<dist::PartOp>(op);
  if (!any && !isPart) {
    sharesLong |= program.steps > kLongRepetitionSteps && !op->hasOneUse();
    repetitions[op] = {program.steps, sharesLong};
    return;
  }
  if (sharesLong || program.steps == kMostSteps)
    return;
  // A repeated constant is never stored; a scale along the rows of a large
  // weight is one on the way to it. A part is no larger than what it is of.
  if (!isa<stablehlo::BroadcastInDimOp>(op) && !isPart &&
      growsTooLarge(op, program))
    return;
  programs[op] = program;
}

/// Whether the result is much larger than the constants it is computed from:
/// such a weight is computed when the program runs, not stored.
bool StoredValues::growsTooLarge(Operation *op, Program &program) const {
  uint64_t wanted = bytes(op->getResult(0));
  auto isTooLarge = [&] {
    return wanted > kFreeBytes &&
           wanted - kFreeBytes > kMostGrowth * program.sourceBytes;
  };
  if (!isTooLarge())
    return false;
  // Each constant counts once, however many operations read it.
  llvm::SetVector<Operation *> constants;
  auto isConstant = [&](Value value) {
    auto known = programs.find(value.getDefiningOp());
    if (known == programs.end() || known->second.steps > 1)
      return false;
    constants.insert(known->first);
    return true;
  };
  operandSlice(op, [](Operation *) { return true; }, isConstant);
  program.sourceBytes = 0;
  for (Operation *constant : constants)
    program.sourceBytes += bytes(constant->getResult(0));
  return isTooLarge();
}
