// convolution, as StableHLO and the kernel dialect share it.

#ifndef HEDDLE_LIB_REFERENCE_CONVOLUTION_H
#define HEDDLE_LIB_REFERENCE_CONVOLUTION_H

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::reference {

/// All that a convolution has beside its operands.
struct Window {
  stablehlo::ConvDimensionNumbersAttr numbers;
  Extents strides, lhsDilation, rhsDilation, low, high;
  llvm::SmallVector<bool> reversal;
  int64_t featureGroups = 1, batchGroups = 1;
  /// What products are summed in; for nothing, what goes with the result.
  std::optional<ElementKind> sums;

  int64_t spatial() const { return numbers.getInputSpatialDimensions().size(); }
};

/// Convolves operand 0 with operand 1.
llvm::LogicalResult applyConvolution(Invocation &call, const Window &window);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_CONVOLUTION_H
