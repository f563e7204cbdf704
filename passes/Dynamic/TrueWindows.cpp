// Which convolutions and windows have kernels over true extents.

#include "passes/Dynamic/TrueWindows.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "dialects/StableHlo/WindowPadding.h"
#include "heddle/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

bool isFixed(Operation *op, StringRef name, ArrayRef<int64_t> atBound) {
  TrueShape all = sizedAttribute(op, name, atBound);
  return llvm::all_of(llvm::zip_equal(all, atBound), [](auto pair) {
    auto [expression, number] = pair;
    return expression.isConstant(number);
  });
}

bool windowsRunOverTrueExtentsUncut(ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  RankedTensorType input = typeOf(op.getLhs()), result = typeOf(op);
  SmallVector<int64_t> padding;
  for (auto [low, high] : op.getPaddingOrDefault())
    padding.append({low, high});
  return op.getBatchGroupCount() == 1 &&
         !size::hasExtents(typeOf(op.getRhs())) &&
         op.getNumSpatialDimensions() > 0 && isFixed(op, "padding", padding) &&
         size::isKnown(input, numbers.getInputFeatureDimension()) &&
         size::isKnown(result, numbers.getOutputFeatureDimension()) &&
         size::isSameSize(input, numbers.getInputBatchDimension(), result,
                          numbers.getOutputBatchDimension());
}

bool windowsRunOverTrueExtents(ConvolutionOp op) {
  // A cut image becomes another operation on the way.
  bool isCut = llvm::any_of(op.getPaddingOrDefault(), [](auto pair) {
    return pair.first < 0 || pair.second < 0;
  });
  return !isCut && windowsRunOverTrueExtentsUncut(op);
}

/// Whether each window is everything up to its point along one dimension, or
/// everything from it on: then one walk is enough. Of a dimension that is open,
/// window and padding follow from sizes.
static bool isWalk(ReduceWindowOp op) {
  RankedTensorType input = typeOf(op.getInputs().front());
  auto padding = op.getPaddingOrDefault();
  SmallVector<int64_t> flat;
  for (auto [low, high] : padding)
    flat.append({low, high});
  TrueShape windows =
      sizedAttribute(op, "window_dimensions", op.getWindowDimensions());
  TrueShape pads = sizedAttribute(op, "padding", flat);
  auto areOnes = [](ArrayRef<int64_t> steps) {
    return llvm::all_of(steps, [](int64_t step) { return step == 1; });
  };
  if (!areOnes(op.getWindowStridesOrDefault()) ||
      !areOnes(op.getBaseDilationsOrDefault()) ||
      !areOnes(op.getWindowDilationsOrDefault()))
    return false;
  unsigned walked = 0;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    size::Expression low = pads[2 * i], high = pads[2 * i + 1];
    if (windows[i].isConstant(1) && low.isConstant(0) && high.isConstant(0))
      continue;
    size::Expression rest = size::extentOf(input, i) - 1;
    // The bounds say the same to the kernel.
    int64_t last = input.getDimSize(i) - 1;
    bool isUpTo = low == rest && high.isConstant(0) &&
                  padding[i] == std::pair<int64_t, int64_t>(last, 0);
    bool isFrom = high == rest && low.isConstant(0) &&
                  padding[i] == std::pair<int64_t, int64_t>(0, last);
    if (windows[i] != size::extentOf(input, i) ||
        op.getWindowDimensions()[i] != input.getDimSize(i) ||
        (!isUpTo && !isFrom))
      return false;
    ++walked;
  }
  return walked == 1;
}

bool windowsRunOverTrueExtents(ReduceWindowOp op) {
  RankedTensorType input = typeOf(op.getInputs().front()),
                   result = typeOf(op.getResult(0));
  bool areInitsNumbers = llvm::all_of(op.getInitValues(), [](Value init) {
    return matchPattern(init, m_Constant());
  });
  if (isWalk(op))
    return size::haveSameSizes(input, result) && areInitsNumbers &&
           skipsPadding(op);
  if (size::hasSizedAttributes(op))
    return false;
  auto padding = op.getPaddingOrDefault();
  SmallVector<int64_t> flat;
  for (auto [low, high] : padding)
    flat.append({low, high});
  if (!isFixed(op, "padding", flat) ||
      !isFixed(op, "window_dimensions", op.getWindowDimensions()))
    return false;
  bool moves = false;
  for (int64_t i = 0; i < input.getRank(); ++i) {
    bool isPlain = op.getWindowDimensions()[i] == 1 &&
                   op.getWindowStridesOrDefault()[i] == 1 &&
                   op.getBaseDilationsOrDefault()[i] == 1 &&
                   padding[i] == std::pair<int64_t, int64_t>(0, 0);
    bool isOpen = !size::isKnown(input, i) || !size::isKnown(result, i);
    if (isOpen && isPlain && !size::isSameSize(input, i, result, i))
      return false;
    moves |= isOpen && !isPlain;
  }
  return !moves || (skipsPadding(op) && areInitsNumbers);
}

} // namespace heddle
