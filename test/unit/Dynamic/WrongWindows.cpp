// Wrong rules of windows that slide over a dimension.

#include "test/unit/Dynamic/WrongRules.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sized {

static Expression wrongPlaces(Expression extent, int64_t low, int64_t high,
                              int64_t size, int64_t stride, int64_t base,
                              int64_t window, const WindowSlip &slip) {
  MLIRContext *context = extent.context();
  if (slip.base)
    base = 1;
  if (slip.window)
    window = 1;
  if (slip.stride)
    stride = 1;
  Expression zero = Expression::constant(context, 0);
  Expression dilated = base == 1 ? extent
                       : slip.clamp
                           ? (extent - 1) * base + 1
                           : Expression::maximum((extent - 1) * base + 1, zero);
  Expression padded =
      (slip.low ? zero + 0 : zero + low) + dilated + (slip.high ? 0 : high);
  int64_t reach = slip.size ? 1 : (size - 1) * window + 1;
  Expression rest = padded - reach;
  Expression places = slip.ceil ? rest.ceilDiv(stride) : rest.floorDiv(stride);
  places = slip.one ? places : places + 1;
  return slip.clamp ? places : Expression::maximum(places, zero);
}

Change wrongConvolution(WindowSlip slip) {
  return [=](Operation *op, Results &results) {
    auto convolution = cast<ConvolutionOp>(op);
    ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
    TrueShape input = SizedProgram::shape(convolution.getLhs());
    auto weights = cast<RankedTensorType>(convolution.getRhs().getType());
    int64_t rank = numbers.getInputSpatialDimensions().size();
    auto padding = paddingPairs(convolution.getPaddingAttr(), rank);
    bool changed = false;
    for (int64_t i = 0; i < rank; ++i)
      changed |=
          change(results[0][numbers.getOutputSpatialDimensions()[i]],
                 wrongPlaces(input[numbers.getInputSpatialDimensions()[i]],
                             padding[i].first, padding[i].second,
                             weights.getDimSize(
                                 numbers.getKernelSpatialDimensions()[i]),
                             (*convolution.getWindowStrides())[i],
                             (*convolution.getLhsDilation())[i],
                             (*convolution.getRhsDilation())[i], slip));
    return changed;
  };
}

Change wrongWindow(WindowSlip slip) {
  return [=](Operation *op, Results &results) {
    auto reduce = cast<ReduceWindowOp>(op);
    if (!reduce.getBaseDilations() ||
        op->hasAttr(sizedAttributeName("window_dimensions")))
      return false;
    TrueShape input = SizedProgram::shape(op->getOperand(0));
    auto padding = paddingPairs(reduce.getPaddingAttr(), input.size());
    bool changed = false;
    for (TrueShape &shape : results)
      for (size_t i = 0; i < input.size(); ++i)
        changed |= change(
            shape[i], wrongPlaces(input[i], padding[i].first, padding[i].second,
                                  reduce.getWindowDimensions()[i],
                                  (*reduce.getWindowStrides())[i],
                                  (*reduce.getBaseDilations())[i],
                                  (*reduce.getWindowDilations())[i], slip));
    return changed;
  };
}

bool windowIgnoresSizes(Operation *op, Results &results) {
  auto reduce = cast<ReduceWindowOp>(op);
  if (!op->hasAttr(sizedAttributeName("window_dimensions")))
    return false;
  TrueShape input = SizedProgram::shape(op->getOperand(0));
  auto padding = paddingPairs(reduce.getPaddingAttr(), input.size());
  bool changed = false;
  for (size_t i = 0; i < input.size(); ++i)
    changed |=
        change(results[0][i],
               wrongPlaces(input[i], padding[i].first, padding[i].second,
                           reduce.getWindowDimensions()[i],
                           (*reduce.getWindowStrides())[i],
                           (*reduce.getBaseDilations())[i],
                           (*reduce.getWindowDilations())[i], WindowSlip()));
  return changed;
}

bool convolutionKeepsBatch(Operation *op, Results &results) {
  ConvDimensionNumbersAttr numbers =
      cast<ConvolutionOp>(op).getDimensionNumbers();
  return change(
      results[0][numbers.getOutputBatchDimension()],
      SizedProgram::shape(op->getOperand(0))[numbers.getInputBatchDimension()]);
}

bool convolutionGivesInputs(Operation *op, Results &results) {
  ConvDimensionNumbersAttr numbers =
      cast<ConvolutionOp>(op).getDimensionNumbers();
  return change(results[0][numbers.getOutputFeatureDimension()],
                SizedProgram::shape(
                    op->getOperand(0))[numbers.getInputFeatureDimension()]);
}

} // namespace heddle::sized
