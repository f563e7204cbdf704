// Weights of products of f32 become integers in units of scales by blocks,
// because a caller asks for that.
//
// One row of a decoder's activations times a matrix takes the time in which the
// matrix is read: fewer bits are that much faster. Scales and integers are
// programs over the model's own numbers, which the packer evaluates; nothing is
// computed here. Activations, sums and all that is not a weight stay f32.
//
// Scales are bf16, half a bit for each of 32 numbers: integers are those of the
// rounded scale, so that its error is no error of numbers, and their range is
// that of f32. Where the scale itself falls below the least normal number
// (2^-126) it loses bits, and at last is zero, and so are the block's numbers.

#include "dialects/Dist/Dist.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"
#include "passes/Precision/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_QUANTIZEWEIGHTS
#include "passes/Precision/Passes.h.inc"

/// Matrices with fewer terms or columns are no large part of any model:
/// classifiers of two classes, gates.
static constexpr int64_t kLeastExtent = 32;

/// Terms that kernels read of a column of 4 bits at once.
static constexpr int64_t kTermsOfNarrow = 8;

/// Elements of a constant that are no wider are numbers to which something was
/// quantized already.
static constexpr unsigned kBitsOfQuantized = 8;

/// The longest way from a constant to a matrix, which the packer goes several
/// times.
static constexpr unsigned kMostSteps = 8;

/// Whether `value` is computed from constants by at most `steps` operations
/// each, and says no more than its type and some numbers.
static bool isRepetition(Value value, unsigned steps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0)
    return false;
  if (isa<stablehlo::ConstantOp>(op))
    return true;
  return isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::ConvertOp>(op) &&
         isRepetition(op->getOperand(0), steps - 1);
}

/// Whether `value` is a weight that the packer computes from a constant of
/// about its size, in at most `steps` operations, and that is not made of
/// numbers of few bits: those are not rounded again.
static bool isWeight(Value value, unsigned steps = kMostSteps) {
  Operation *op = value.getDefiningOp();
  if (!op || steps == 0 || !typeOf(value).hasStaticShape())
    return false;
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
    Type element = elementOf(value);
    if (element.isIntOrFloat() &&
        element.getIntOrFloatBitWidth() <= kBitsOfQuantized)
      return false;
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return !dense || !dense.isSplat();
  }
  if (isa<stablehlo::TransposeOp, stablehlo::ReshapeOp, stablehlo::SliceOp,
          stablehlo::ReverseOp, stablehlo::ConvertOp, stablehlo::NegOp,
          dist::PartOp>(op))
    return isWeight(op->getOperand(0), steps - 1);
  if (!isa<stablehlo::MulOp, stablehlo::DivOp, stablehlo::AddOp,
           stablehlo::SubtractOp>(op))
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  return isWeight(left, steps - 1)
             ? isWeight(right, steps - 1) || isRepetition(right, steps - 1)
             : isRepetition(left, steps - 1) && isWeight(right, steps - 1);
}

/// The dimension of the right-hand side of `op` that sums run over, if kernels
/// read such a matrix as integers: nothing if that is no weight, no matrix, or
/// if the terms do not follow each other on the left.
static std::optional<int64_t> termsOfWeight(stablehlo::DotGeneralOp op,
                                            int64_t multiple) {
  stablehlo::DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  RankedTensorType left = typeOf(op.getLhs()), right = typeOf(op.getRhs());
  if (right.getRank() != 2 || !dims.getRhsBatchingDimensions().empty() ||
      dims.getRhsContractingDimensions().size() != 1 ||
      dims.getLhsContractingDimensions()[0] != left.getRank() - 1 ||
      !isWeight(op.getRhs()))
    return std::nullopt;
  int64_t axis = dims.getRhsContractingDimensions()[0];
  if (right.getDimSize(axis) < kLeastExtent ||
      right.getDimSize(1 - axis) < kLeastExtent ||
      right.getDimSize(axis) % multiple != 0)
    return std::nullopt;
  return axis;
}

/// What the number of the largest magnitude becomes: one of 16 steps counts,
/// and is worth it that a number of the other sign and about that magnitude is
/// one step off; of 256 none is.
static int64_t extremeOf(IntegerType storage) {
  return storage.getWidth() == 4 ? prec::leastOf(storage)
                                 : prec::largestOf(storage);
}

namespace {
struct QuantizeWeights : impl::QuantizeWeightsBase<QuantizeWeights> {
  using impl::QuantizeWeightsBase<QuantizeWeights>::QuantizeWeightsBase;

  void runOnOperation() override {
    if ((bits != 4 && bits != 8) || block < 1 || block % kTermsOfNarrow != 0) {
      emitError(getOperation().getLoc(), ErrorCode::BadCommandLine)
          << "weights have " << int64_t(bits) << " bits in blocks of "
          << int64_t(block) << "; 4 or 8 bits and a multiple of "
          << kTermsOfNarrow << " are wanted";
      return signalPassFailure();
    }
    std::string policy =
        ("w" + Twine(bits) + "a16 by blocks of " + Twine(block)).str();
    changeProducts(getOperation(), policy, [&](Operation *op) {
      auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
      std::optional<int64_t> axis =
          dot ? termsOfWeight(dot, bits == 4 ? kTermsOfNarrow : 1)
              : std::nullopt;
      if (axis)
        dot.getRhsMutable().assign(quantized(dot.getRhs(), *axis));
      return axis.has_value();
    });
  }

  /// `weight` as integers with a scale for each block along `axis`, once for
  /// all that multiply it so.
  Value quantized(Value weight, int64_t axis) {
    Value &known = values[{weight, axis}];
    if (known)
      return known;
    OpBuilder b(&getContext());
    b.setInsertionPointAfterValue(weight);
    Location loc = weight.getLoc();
    RankedTensorType real = typeOf(weight);
    SmallVector<int64_t> blocks(real.getShape());
    blocks[axis] = llvm::divideCeil(blocks[axis], block);
    IntegerType storage = b.getIntegerType(bits);
    IntegerAttr along = b.getI64IntegerAttr(axis),
                length = b.getI64IntegerAttr(block);
    int64_t least = prec::leastOf(storage), largest = prec::largestOf(storage);
    Value scale = prec::FitScaleOp::create(
        b, loc, RankedTensorType::get(blocks, b.getBF16Type()), weight, axis,
        block, extremeOf(storage));
    Value zero = stablehlo::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(RankedTensorType::get(blocks, storage),
                               APInt::getZero(bits)));
    Value stored = prec::QuantizeOp::create(
        b, loc, real.clone(storage), weight, scale, zero, along, length,
        prec::Rounding::NearestEven, least, largest,
        /*storage_type=*/TypeAttr());
    known = prec::DequantizeOp::create(b, loc, real, stored, scale, zero, along,
                                       length, /*storage_type=*/TypeAttr());
    return known;
  }

  llvm::DenseMap<std::pair<Value, int64_t>, Value> values;
};
} // namespace
} // namespace heddle
