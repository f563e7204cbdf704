// Which products can have bytes for both factors, and the form that
// `heddle-multiply-stored` makes one product of integers of.
//
// A first factor has one scale and one zero point, because sums run over all
// else that it could have one for. Bytes without signs, from the least number
// to the largest, lose nothing where all numbers have one sign, as behind a
// ReLU, and are what processors multiply by weights of bytes with signs.

#include "passes/Precision/FactorBytes.h"

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Precision/AskedProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;

static constexpr int64_t kLargestByte = 255;

/// Kernels take so many terms of a sum at once.
static constexpr int64_t kTermsAtOnce = 4;

/// Sums of no more products of differences below 2^8 fit 32 bits.
static constexpr int64_t kMostTerms =
    std::numeric_limits<int32_t>::max() / (kLargestByte * kLargestByte);

void FactorRange::add(double number) {
  if (std::isnan(number))
    least = largest = number;
  // Comparisons with NaN are false, so that it stays.
  if (number < least)
    least = number;
  if (number > largest)
    largest = number;
}

ByteScale FactorRange::scale() const {
  if (!std::isfinite(least) || !std::isfinite(largest))
    return {std::numeric_limits<float>::quiet_NaN(), 0};
  auto scale = static_cast<float>((largest - least) / kLargestByte);
  // Numbers that are all zero, or about that, are so in any units.
  if (scale < std::numeric_limits<float>::min())
    return {};
  double zeroPoint = std::nearbyint(-least / double(scale));
  return {scale, static_cast<uint8_t>(
                     std::clamp(zeroPoint, 0.0, double(kLargestByte)))};
}

/// The columns of a matrix, whose rows follow each other in the first factor.
static std::optional<int64_t> channelAxis(stablehlo::DotGeneralOp dot) {
  std::optional<int64_t> terms = weightAxis(dot, IntegerFormat());
  if (!terms || termsOf(dot) % kTermsAtOnce != 0)
    return std::nullopt;
  return 1 - *terms;
}

/// The output features of a dense filter, whose input features come in fours.
static std::optional<int64_t>
channelAxis(stablehlo::ConvolutionOp convolution) {
  stablehlo::ConvDimensionNumbersAttr numbers =
      convolution.getDimensionNumbers();
  Value filter = convolution.getRhs();
  auto isOne = [](int64_t number) { return number == 1; };
  if (!isWeight(filter) || convolution.getFeatureGroupCount() != 1 ||
      convolution.getBatchGroupCount() != 1 ||
      typeOf(filter).getDimSize(numbers.getKernelInputFeatureDimension()) %
              kTermsAtOnce !=
          0 ||
      !llvm::all_of(convolution.getLhsDilationOrDefault(), isOne) ||
      llvm::is_contained(convolution.getWindowReversalOrDefault(), true))
    return std::nullopt;
  return numbers.getKernelOutputFeatureDimension();
}

std::optional<int64_t> heddle::channelAxis(Operation *product) {
  if (!isa<func::FuncOp>(product->getParentOp()) ||
      termsOf(product) > kMostTerms)
    return std::nullopt;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(product))
    return ::channelAxis(dot);
  return ::channelAxis(cast<stablehlo::ConvolutionOp>(product));
}

Value heddle::roundedToBytes(OpBuilder &builder, Location loc, Value value,
                             Value scale, Value zeroPoint) {
  auto storage = cast<IntegerType>(elementOf(zeroPoint));
  Value bytes = prec::QuantizeOp::create(
      builder, loc, typeOf(value).clone(storage), value, scale, zeroPoint,
      /*axis=*/IntegerAttr(), /*block=*/IntegerAttr(),
      prec::Rounding::NearestEven, prec::leastOf(storage),
      prec::largestOf(storage), /*storage_type=*/TypeAttr());
  return prec::DequantizeOp::create(
      builder, loc, value.getType(), bytes, scale, zeroPoint,
      /*axis=*/IntegerAttr(), /*block=*/IntegerAttr(),
      /*storage_type=*/TypeAttr());
}

Value ByteQuantizer::first(Value value, const ByteScale &scale) {
  for (auto &[other, numbers] : known[value])
    if (other == scale)
      return numbers;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  auto number = [&](Type type, Attribute attr) -> Value {
    return stablehlo::ConstantOp::create(
        b, loc, DenseElementsAttr::get(RankedTensorType::get({}, type), attr));
  };
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  Value numbers = roundedToBytes(
      b, loc, value, number(b.getF32Type(), b.getF32FloatAttr(scale.scale)),
      number(byte, b.getIntegerAttr(byte, scale.zeroPoint)));
  known[value].emplace_back(scale, numbers);
  return numbers;
}

void ByteQuantizer::quantize(Operation *product, int64_t axis,
                             const ByteScale &scale) {
  product->setOperand(0, first(product->getOperand(0), scale));
  product->setOperand(1, weights.byChannels(product->getOperand(1), axis));
}
