// Attributes whose fields VHLO keeps apart, and what stands for what StableHLO
// leaves out.

#include "dialects/Vhlo/OpTable.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::vhlo {

using A = AttributeRow;
using Fields = SmallVector<Attribute>;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

static Attribute integer(MLIRContext *context, int64_t value) {
  return Builder(context).getI64IntegerAttr(value);
}

static Attribute dims(MLIRContext *context, ArrayRef<int64_t> values) {
  return Builder(context).getI64TensorAttr(values);
}

namespace {
/// Takes fields one after the other; remembers whether one did not fit.
class Taker {
public:
  explicit Taker(ArrayRef<Attribute> fields) : fields(fields) {}

  int64_t integer() {
    auto attribute = dyn_cast_or_null<IntegerAttr>(next());
    fits &= attribute && attribute.getType().isSignlessInteger(64);
    return fits ? attribute.getInt() : 0;
  }
  bool boolean() {
    auto attribute = dyn_cast_or_null<BoolAttr>(next());
    fits &= bool(attribute);
    return fits && attribute.getValue();
  }
  Type type() {
    auto attribute = dyn_cast_or_null<TypeAttr>(next());
    fits &= bool(attribute);
    return fits ? attribute.getValue() : Type();
  }
  SmallVector<int64_t> dims() {
    Attribute field = next();
    // A revision that lacks the field has no such dimensions.
    if (!field)
      return {};
    auto attribute = dyn_cast<DenseIntElementsAttr>(field);
    fits &= attribute && attribute.getElementType().isSignlessInteger(64);
    return fits ? llvm::to_vector(attribute.getValues<int64_t>())
                : SmallVector<int64_t>();
  }

  bool fits = true;

private:
  Attribute next() {
    Attribute field = fields.front();
    fields = fields.drop_front();
    return field;
  }

  ArrayRef<Attribute> fields;
};
} // namespace

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

static const A kChannelIdFields[] = {{"channel_id", Form::Same, Default::Zero}};
const StructRow kChannelId{
    "channel_handle", kChannelIdFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::ChannelHandleAttr>(value);
      return attr ? Fields{integer(attr.getContext(), attr.getHandle())}
                  : Fields();
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      int64_t handle = take.integer();
      return take.fits ? stablehlo::ChannelHandleAttr::get(context, handle, 0)
                       : Attribute();
    }};

static const A kChannelFields[] = {{"channel_id"}, {"channel_type"}};
const StructRow kChannel{
    "channel_handle", kChannelFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::ChannelHandleAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {integer(context, attr.getHandle()),
              integer(context, attr.getType())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      int64_t handle = take.integer(), type = take.integer();
      return take.fits
                 ? stablehlo::ChannelHandleAttr::get(context, handle, type)
                 : Attribute();
    }};

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

static const A kDotDimensionFields[] = {{"lhs_batching_dimensions"},
                                        {"rhs_batching_dimensions"},
                                        {"lhs_contracting_dimensions"},
                                        {"rhs_contracting_dimensions"}};
const StructRow kDotDimensions{
    "dot_dimension_numbers", kDotDimensionFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::DotDimensionNumbersAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {dims(context, attr.getLhsBatchingDimensions()),
              dims(context, attr.getRhsBatchingDimensions()),
              dims(context, attr.getLhsContractingDimensions()),
              dims(context, attr.getRhsContractingDimensions())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      auto lhsBatch = take.dims(), rhsBatch = take.dims();
      auto lhs = take.dims(), rhs = take.dims();
      return take.fits ? stablehlo::DotDimensionNumbersAttr::get(
                             context, lhsBatch, rhsBatch, lhs, rhs)
                       : Attribute();
    }};

static const A kDotAlgorithmFields[] = {
    {"lhs_precision_type", Form::Same, Default::NoneType, 2},
    {"rhs_precision_type", Form::Same, Default::NoneType, 2},
    {"accumulation_type", Form::Same, Default::NoneType, 2},
    {"lhs_component_count", Form::Same, Default::NoneType, 2},
    {"rhs_component_count", Form::Same, Default::NoneType, 2},
    {"num_primitive_operations", Form::Same, Default::NoneType, 2},
    {"allow_imprecise_accumulation", Form::Same, Default::NoneType, 2}};
const StructRow kDotAlgorithm{
    "algorithm", kDotAlgorithmFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::DotAlgorithmAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {TypeAttr::get(attr.getLhsPrecisionType()),
              TypeAttr::get(attr.getRhsPrecisionType()),
              TypeAttr::get(attr.getAccumulationType()),
              integer(context, attr.getLhsComponentCount()),
              integer(context, attr.getRhsComponentCount()),
              integer(context, attr.getNumPrimitiveOperations()),
              BoolAttr::get(context, attr.getAllowImpreciseAccumulation())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      Type lhs = take.type(), rhs = take.type(), sum = take.type();
      int64_t lhsCount = take.integer(), rhsCount = take.integer();
      int64_t operations = take.integer();
      bool imprecise = take.boolean();
      return take.fits
                 ? stablehlo::DotAlgorithmAttr::get(context, lhs, rhs, sum,
                                                    lhsCount, rhsCount,
                                                    operations, imprecise)
                 : Attribute();
    }};

static const A kConvolutionFields[] = {
    {"input_batch_dimension"},           {"input_feature_dimension"},
    {"input_spatial_dimensions"},        {"kernel_input_feature_dimension"},
    {"kernel_output_feature_dimension"}, {"kernel_spatial_dimensions"},
    {"output_batch_dimension"},          {"output_feature_dimension"},
    {"output_spatial_dimensions"}};
const StructRow kConvolution{
    "dimension_numbers", kConvolutionFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::ConvDimensionNumbersAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {integer(context, attr.getInputBatchDimension()),
              integer(context, attr.getInputFeatureDimension()),
              dims(context, attr.getInputSpatialDimensions()),
              integer(context, attr.getKernelInputFeatureDimension()),
              integer(context, attr.getKernelOutputFeatureDimension()),
              dims(context, attr.getKernelSpatialDimensions()),
              integer(context, attr.getOutputBatchDimension()),
              integer(context, attr.getOutputFeatureDimension()),
              dims(context, attr.getOutputSpatialDimensions())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      int64_t inputBatch = take.integer(), inputFeature = take.integer();
      auto input = take.dims();
      int64_t kernelInput = take.integer(), kernelOutput = take.integer();
      auto kernel = take.dims();
      int64_t outputBatch = take.integer(), outputFeature = take.integer();
      auto output = take.dims();
      return take.fits
                 ? stablehlo::ConvDimensionNumbersAttr::get(
                       context, inputBatch, inputFeature, input, kernelInput,
                       kernelOutput, kernel, outputBatch, outputFeature, output)
                 : Attribute();
    }};

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

static const A kGatherFields[] = {
    {"offset_dims"},
    {"collapsed_slice_dims"},
    {"operand_batching_dims", Form::Same, Default::EmptyDims, 2},
    {"start_indices_batching_dims", Form::Same, Default::EmptyDims, 2},
    {"start_index_map"},
    {"index_vector_dim"}};
const StructRow kGather{
    "dimension_numbers", kGatherFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::GatherDimensionNumbersAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {dims(context, attr.getOffsetDims()),
              dims(context, attr.getCollapsedSliceDims()),
              dims(context, attr.getOperandBatchingDims()),
              dims(context, attr.getStartIndicesBatchingDims()),
              dims(context, attr.getStartIndexMap()),
              integer(context, attr.getIndexVectorDim())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      auto offset = take.dims(), collapsed = take.dims();
      auto batching = take.dims(), indicesBatching = take.dims();
      auto map = take.dims();
      int64_t vectorDim = take.integer();
      return take.fits ? stablehlo::GatherDimensionNumbersAttr::get(
                             context, offset, collapsed, batching,
                             indicesBatching, map, vectorDim)
                       : Attribute();
    }};

static const A kScatterFields[] = {
    {"update_window_dims"},
    {"inserted_window_dims"},
    {"input_batching_dims", Form::Same, Default::EmptyDims, 2},
    {"scatter_indices_batching_dims", Form::Same, Default::EmptyDims, 2},
    {"scatter_dims_to_operand_dims"},
    {"index_vector_dim"}};
const StructRow kScatter{
    "scatter_dimension_numbers", kScatterFields,
    [](Attribute value) -> Fields {
      auto attr = dyn_cast<stablehlo::ScatterDimensionNumbersAttr>(value);
      if (!attr)
        return {};
      MLIRContext *context = attr.getContext();
      return {dims(context, attr.getUpdateWindowDims()),
              dims(context, attr.getInsertedWindowDims()),
              dims(context, attr.getInputBatchingDims()),
              dims(context, attr.getScatterIndicesBatchingDims()),
              dims(context, attr.getScatterDimsToOperandDims()),
              integer(context, attr.getIndexVectorDim())};
    },
    [](MLIRContext *context, ArrayRef<Attribute> fields) -> Attribute {
      Taker take(fields);
      auto window = take.dims(), inserted = take.dims();
      auto batching = take.dims(), indicesBatching = take.dims();
      auto map = take.dims();
      int64_t vectorDim = take.integer();
      return take.fits ? stablehlo::ScatterDimensionNumbersAttr::get(
                             context, window, inserted, batching,
                             indicesBatching, map, vectorDim)
                       : Attribute();
    }};

} // namespace heddle::vhlo
