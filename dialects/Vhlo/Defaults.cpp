// Attributes that VHLO spells out and StableHLO leaves out.

#include "dialects/Vhlo/OpTable.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::vhlo {

static Attribute pairsOfZero(Builder &builder, int64_t count) {
  return DenseElementsAttr::get(
      RankedTensorType::get({count, 2}, builder.getI64Type()), int64_t(0));
}

static Attribute falses(Builder &builder, int64_t count) {
  return DenseElementsAttr::get(
      RankedTensorType::get({count}, builder.getI1Type()), false);
}

static Attribute defaultAccuracy(MLIRContext *context) {
  return stablehlo::ResultAccuracyAttr::get(
      context, APFloat(0.0), APFloat(0.0), 0,
      stablehlo::ResultAccuracyModeAttr::get(
          context, stablehlo::ResultAccuracyMode::DEFAULT));
}

Attribute valueOf(Default standard, MLIRContext *context, int64_t window,
                  bool typedFfi) {
  Builder builder(context);
  switch (standard) {
  case Default::None:
    return {};
  case Default::False:
    return builder.getBoolAttr(false);
  case Default::Zero:
    return builder.getI64IntegerAttr(0);
  case Default::ZeroI32:
    return builder.getI32IntegerAttr(0);
  case Default::MinusOne:
    return builder.getI64IntegerAttr(-1);
  case Default::EmptyString:
    return builder.getStringAttr("");
  case Default::EmptyArray:
    return builder.getArrayAttr({});
  case Default::EmptyDictionary:
    return builder.getDictionaryAttr({});
  case Default::BackendConfig:
    return typedFfi ? Attribute(builder.getDictionaryAttr({}))
                    : builder.getStringAttr("");
  case Default::EmptyDims:
    return builder.getI64TensorAttr({});
  case Default::Ones:
    return builder.getI64TensorAttr(SmallVector<int64_t>(window, 1));
  case Default::ZeroPairs:
    return pairsOfZero(builder, window);
  case Default::Falses:
    return falses(builder, window);
  case Default::Precisions: {
    auto precision =
        stablehlo::PrecisionAttr::get(context, stablehlo::Precision::DEFAULT);
    return builder.getArrayAttr({precision, precision});
  }
  case Default::NoComparisonType:
    return stablehlo::ComparisonTypeAttr::get(
        context, stablehlo::ComparisonType::NOTYPE);
  case Default::NoneType:
    return TypeAttr::get(builder.getNoneType());
  case Default::Accuracy:
    return defaultAccuracy(context);
  case Default::OriginalApi:
    return builder.getI32IntegerAttr(static_cast<int32_t>(
        stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL));
  }
  return {};
}

/// All elements are this integer.
static bool isAll(Attribute value, int64_t element) {
  auto dense = dyn_cast<DenseIntElementsAttr>(value);
  return dense && llvm::all_of(dense.getValues<APInt>(), [&](const APInt &x) {
           return x.getSExtValue() == element ||
                  (x.getBitWidth() == 1 &&
                   x.getZExtValue() == uint64_t(element));
         });
}

static bool isEmpty(Attribute value) {
  if (auto text = dyn_cast<StringAttr>(value))
    return text.empty();
  if (auto array = dyn_cast<ArrayAttr>(value))
    return array.empty();
  if (auto dictionary = dyn_cast<DictionaryAttr>(value))
    return dictionary.empty();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.empty();
}

bool isDefault(Default standard, Attribute value) {
  switch (standard) {
  case Default::None:
    return false;
  case Default::Zero:
  case Default::ZeroI32:
  case Default::MinusOne: {
    auto number = dyn_cast<IntegerAttr>(value);
    return number && number.getValue().getSExtValue() ==
                         (standard == Default::MinusOne ? -1 : 0);
  }
  case Default::EmptyString:
  case Default::EmptyArray:
  case Default::EmptyDictionary:
  case Default::BackendConfig:
  case Default::EmptyDims:
    return isEmpty(value);
  case Default::Ones:
    return isAll(value, 1);
  case Default::ZeroPairs:
  case Default::Falses:
    return isAll(value, 0);
  case Default::Precisions: {
    auto array = dyn_cast<ArrayAttr>(value);
    return array && llvm::all_of(array, [](Attribute each) {
             auto precision = dyn_cast<stablehlo::PrecisionAttr>(each);
             return precision &&
                    precision.getValue() == stablehlo::Precision::DEFAULT;
           });
  }
  default:
    return value == valueOf(standard, value.getContext(), 0, false);
  }
}

} // namespace heddle::vhlo
