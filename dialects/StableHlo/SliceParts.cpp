// Looks at the sizes of slices.

#include "dialects/StableHlo/SliceParts.h"

#include "dialects/Size/SizedTypes.h"

using namespace mlir;
using namespace heddle;

bool stablehlo::isFirstOfParts(SliceOp op, int64_t dimension) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto type = cast<RankedTensorType>(op.getType());
  bool isOpen = false;
  for (int64_t i = 1; i < from.getRank(); ++i)
    isOpen |= !size::isKnown(from, i);
  if (!isOpen || !size::isKnown(from, dimension) ||
      !size::isKnown(type, dimension))
    return false;
  int64_t whole = from.getDimSize(dimension), part = type.getDimSize(dimension);
  return op.getStartIndices()[dimension] == 0 &&
         op.getStrides()[dimension] == 1 && part > 0 && part < whole &&
         whole % part == 0;
}
