// Which factors are weights that kernels read as integers, and these as
// programs over the model's own numbers, which the packer evaluates: nothing is
// computed here.
//
// Scales are bf16, half a bit for each of 32 numbers: integers are those of the
// rounded scale, so that its error is no error of numbers, and their range is
// that of f32. Where the scale itself falls below the least normal number
// (2^-126) it loses bits, and at last is zero, and so are the block's numbers.

#include "passes/Precision/WeightIntegers.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

/// Matrices with fewer terms or columns are no large part of any model:
/// classifiers of two classes, gates.
static constexpr int64_t kLeastExtent = 32;

/// Terms that kernels read of a column of 4 bits at once.
static constexpr int64_t kTermsOfNarrow = 8;

/// Elements of a constant that are no wider are numbers to which something was
/// quantized already.
static constexpr unsigned kBitsOfQuantized = 8;

static constexpr int64_t kBitsOfByte = 8;

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

/// Whether `value` is a weight that the packer computes in at most `steps`
/// operations.
static bool isWeight(Value value, unsigned steps) {
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

bool heddle::isWeight(Value value) { return ::isWeight(value, kMostSteps); }

std::string IntegerFormat::problem() const {
  if ((bits == 4 || bits == 8) && block >= 1 && block % kTermsOfNarrow == 0)
    return "";
  return ("weights have " + Twine(bits) + " bits in blocks of " + Twine(block) +
          "; 4 or 8 bits and a multiple of " + Twine(kTermsOfNarrow) +
          " are wanted")
      .str();
}

std::optional<int64_t> heddle::weightAxis(Operation *product,
                                          const IntegerFormat &format) {
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(product);
  if (!dot)
    return std::nullopt;
  stablehlo::DotDimensionNumbersAttr dims = dot.getDotDimensionNumbers();
  RankedTensorType left = typeOf(dot.getLhs()), right = typeOf(dot.getRhs());
  if (right.getRank() != 2 || !dims.getRhsBatchingDimensions().empty() ||
      dims.getRhsContractingDimensions().size() != 1 ||
      dims.getLhsContractingDimensions()[0] != left.getRank() - 1 ||
      !isWeight(dot.getRhs()))
    return std::nullopt;
  int64_t axis = dims.getRhsContractingDimensions()[0];
  int64_t multiple = format.bits == 4 ? kTermsOfNarrow : 1;
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

static IntegerAttr blockAttr(OpBuilder &builder, int64_t block) {
  return block ? builder.getI64IntegerAttr(block) : IntegerAttr();
}

Value WeightIntegers::dequantized(OpBuilder &builder, Value stored) const {
  return prec::DequantizeOp::create(
      builder, stored.getLoc(), typeOf(stored).clone(builder.getF32Type()),
      stored, scales, zeroPoints, builder.getI64IntegerAttr(axis),
      blockAttr(builder, block), /*storage_type=*/TypeAttr());
}

/// A scale for each block of terms.
static Value blockScales(OpBuilder &b, Value weight, int64_t axis,
                         int64_t block, IntegerType storage) {
  SmallVector<int64_t> blocks(shapeOf(weight));
  blocks[axis] = llvm::divideCeil(blocks[axis], block);
  return prec::FitScaleOp::create(
      b, weight.getLoc(), RankedTensorType::get(blocks, b.getBF16Type()),
      weight, axis, block, extremeOf(storage));
}

/// A scale for each point of `channel`, of whatever is there along all other
/// dimensions.
static Value channelScales(OpBuilder &b, Value weight, int64_t channel,
                           IntegerType storage) {
  Location loc = weight.getLoc();
  RankedTensorType type = typeOf(weight);
  int64_t channels = type.getDimSize(channel),
          terms = type.getNumElements() / channels;
  // A matrix of channels by terms, or of terms by channels where they are last
  // and nothing has to be moved.
  bool isLast = channel == type.getRank() - 1;
  if (!isLast && channel != 0) {
    SmallVector<int64_t> order = {channel};
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (dim != channel)
        order.push_back(dim);
    weight = stablehlo::TransposeOp::create(b, loc, weight, order);
  }
  SmallVector<int64_t> shape = isLast ? SmallVector<int64_t>{terms, channels}
                                      : SmallVector<int64_t>{channels, terms};
  if (shapeOf(weight) != ArrayRef(shape))
    weight = stablehlo::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), weight);
  int64_t axis = isLast ? 0 : 1;
  shape[axis] = 1;
  Value scales = prec::FitScaleOp::create(
      b, loc, RankedTensorType::get(shape, b.getF32Type()), weight, axis, terms,
      extremeOf(storage));
  return stablehlo::ReshapeOp::create(
      b, loc, RankedTensorType::get(channels, b.getF32Type()), scales);
}

WeightQuantizer::Form &WeightQuantizer::formOf(Value weight, int64_t axis,
                                               int64_t bits, int64_t block) {
  auto [known, isNew] = forms.try_emplace({weight, axis, bits, block});
  Form &form = known->second;
  if (!isNew)
    return form;
  OpBuilder b(weight.getContext());
  b.setInsertionPointAfterValue(weight);
  Location loc = weight.getLoc();
  IntegerType storage = b.getIntegerType(bits);
  WeightIntegers &parts = form.parts;
  parts.axis = axis;
  parts.block = block;
  parts.scales = block ? blockScales(b, weight, axis, block, storage)
                       : channelScales(b, weight, axis, storage);
  parts.zeroPoints = stablehlo::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(typeOf(parts.scales).clone(storage),
                             APInt::getZero(bits)));
  parts.integers = prec::QuantizeOp::create(
      b, loc, typeOf(weight).clone(storage), weight, parts.scales,
      parts.zeroPoints, b.getI64IntegerAttr(axis), blockAttr(b, block),
      prec::Rounding::NearestEven, prec::leastOf(storage),
      prec::largestOf(storage), /*storage_type=*/TypeAttr());
  return form;
}

Value WeightQuantizer::valueOf(Form &form) {
  if (!form.value) {
    OpBuilder builder(form.parts.integers.getContext());
    builder.setInsertionPointAfterValue(form.parts.integers);
    form.value = form.parts.dequantized(builder, form.parts.integers);
  }
  return form.value;
}

WeightIntegers WeightQuantizer::integersOf(Value weight, int64_t axis,
                                           const IntegerFormat &format) {
  return formOf(weight, axis, format.bits, format.block).parts;
}

Value WeightQuantizer::quantized(Value weight, int64_t axis,
                                 const IntegerFormat &format) {
  return valueOf(formOf(weight, axis, format.bits, format.block));
}

WeightIntegers WeightQuantizer::channelsOf(Value weight, int64_t axis) {
  return formOf(weight, axis, kBitsOfByte, /*block=*/0).parts;
}

Value WeightQuantizer::byChannels(Value weight, int64_t axis) {
  return valueOf(formOf(weight, axis, kBitsOfByte, /*block=*/0));
}
