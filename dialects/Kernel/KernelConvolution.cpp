// The verifier of convolutions, and what passes ask of them.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/RootVerification.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

Type ConvolutionOp::getLhsElement() {
  return elementIn(getLhsType(), getInput());
}

Type ConvolutionOp::getRhsElement() {
  return elementIn(getRhsType(), getWeights());
}

Type ConvolutionOp::getSumElement() {
  return sumElement(getAccumulator(), getResult());
}

SmallVector<int64_t> ConvolutionOp::getKernelExtents() {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getWeights().getType()).getShape();
  unsigned first =
      getWeightsPacking() ? leadingPosition(*getWeightsPacking()) : 0;
  return llvm::to_vector(shape.slice(first, getNumSpatialDims()));
}

bool ConvolutionOp::isDepthwise() {
  auto input = cast<RankedTensorType>(getInput().getType());
  return getGroups() > 1 &&
         static_cast<int64_t>(getGroups()) == input.getShape().back();
}

LogicalResult ConvolutionOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto weights = cast<RankedTensorType>(getWeights().getType());
  auto result = cast<RankedTensorType>(getType());
  int64_t spatial = getNumSpatialDims(), groups = getGroups();
  if (failed(verifyElement(*this, "lhs_type", getLhsType(), getInput())) ||
      failed(verifyElement(*this, "rhs_type", getRhsType(), getWeights())) ||
      failed(verifyAccumulator(*this, getAccumulator())) ||
      failed(verifyExactness(*this, getPrecision(), std::nullopt)))
    return failure();
  if (spatial < 1 || spatial > 3 || input.getRank() != spatial + 2 ||
      result.getRank() != spatial + 2)
    return emitOpError() << "wants one to three spatial dimensions and "
                            "tensors of rank "
                         << spatial + 2;
  if (static_cast<int64_t>(getPadding().size()) != 2 * spatial ||
      static_cast<int64_t>(getLhsDilation().size()) != spatial ||
      static_cast<int64_t>(getRhsDilation().size()) != spatial)
    return emitOpError() << "wants one dilation and two paddings for each of "
                         << spatial << " spatial dimensions";
  auto atLeast = [](ArrayRef<int64_t> values, int64_t low) {
    return llvm::all_of(values, [&](int64_t value) { return value >= low; });
  };
  if (!atLeast(getStrides(), 1) || !atLeast(getLhsDilation(), 1) ||
      !atLeast(getRhsDilation(), 1) || !atLeast(getPadding(), 0))
    return emitOpError() << "wants positive strides and dilations, and "
                            "padding that is not negative";

  int64_t inChannels = input.getShape().back();
  int64_t outChannels = result.getShape().back();
  if (groups < 1 || inChannels % groups || outChannels % groups)
    return emitOpError() << groups << " groups do not divide " << inChannels
                         << " input and " << outChannels << " output channels";
  SmallVector<int64_t> wanted;
  bool packed = getWeightsPacking().has_value();
  if (packed && filterGroups(*getWeightsPacking()) != groups)
    return emitOpError() << "packing '" << *getWeightsPacking()
                         << "' is not one for " << groups << " groups";
  if (packed
          ? weights.getRank() < spatial + leadingPosition(*getWeightsPacking())
          : weights.getRank() != spatial + 2)
    return emitOpError() << "has weights " << weights;
  llvm::append_range(wanted, getKernelExtents());
  wanted.append({inChannels / groups, outChannels});
  if (packed) {
    RankedTensorType stored = storedType(
        *getWeightsPacking(), RankedTensorType::get(wanted, getRhsElement()));
    if (!stored)
      return emitOpError() << "packing '" << *getWeightsPacking()
                           << "' does not fit [" << wanted << "]";
    wanted = llvm::to_vector(stored.getShape());
  }
  if (weights.getShape() != ArrayRef<int64_t>(wanted))
    return emitOpError() << "has weights " << weights << ", wanted the shape ["
                         << wanted << "]";

  if (result.getDimSize(0) != input.getDimSize(0))
    return emitOpError() << "has " << input.getDimSize(0) << " images, but "
                         << result.getDimSize(0) << " results";
  SmallVector<int64_t> kernel = getKernelExtents();
  for (int64_t i = 0; i < spatial; ++i) {
    auto dilated = [](int64_t extent, int64_t dilation) {
      return extent == 0 ? 0 : (extent - 1) * dilation + 1;
    };
    int64_t padded = dilated(input.getDimSize(i + 1), getLhsDilation()[i]) +
                     getPadding()[2 * i] + getPadding()[2 * i + 1];
    int64_t window = dilated(kernel[i], getRhsDilation()[i]);
    int64_t extent =
        padded < window ? 0 : (padded - window) / getStrides()[i] + 1;
    if (result.getDimSize(i + 1) != extent)
      return emitOpError() << "result has extent " << result.getDimSize(i + 1)
                           << " in dimension " << i + 1 << ", wanted "
                           << extent;
  }
  return success();
}
