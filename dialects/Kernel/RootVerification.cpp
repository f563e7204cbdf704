// Checks of maps, element types, accumulators and exactness.

#include "dialects/Kernel/RootVerification.h"

#include "dialects/Kernel/LinearAccess.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/ElementKind.h"

using namespace mlir;
using namespace heddle;

LogicalResult kernel::verifyAccess(Operation *op, StringRef name, AffineMap map,
                                   ArrayRef<int64_t> extents, Type type) {
  if (accessInBounds(map, extents, cast<RankedTensorType>(type)))
    return success();
  return op->emitOpError() << "map of " << name << " "
                           << AffineMapAttr::get(map)
                           << " is not linear or leaves " << type
                           << " over the extents [" << extents << "]";
}

LogicalResult kernel::verifyOutMap(Operation *op, AffineMap map,
                                   unsigned numDims, ArrayRef<int64_t> extents,
                                   Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (!map.isProjectedPermutation() || map.getNumResults() != numDims ||
      static_cast<int64_t>(numDims) != tensor.getRank())
    return op->emitOpError() << "map of the result " << AffineMapAttr::get(map)
                             << " is no permutation of its dimensions";
  for (auto [i, extent] : llvm::enumerate(tensor.getShape()))
    if (extents[map.getDimPosition(i)] != extent)
      return op->emitOpError() << "result " << type << " has extent " << extent
                               << " in dimension " << i << ", the iteration "
                               << extents[map.getDimPosition(i)];
  return success();
}

Type kernel::elementIn(std::optional<Type> given, Value operand) {
  return given ? *given
               : cast<RankedTensorType>(operand.getType()).getElementType();
}

LogicalResult kernel::verifyElement(Operation *op, StringRef name,
                                    std::optional<Type> given, Value operand) {
  Type held = cast<RankedTensorType>(operand.getType()).getElementType();
  if (!given)
    return success();
  std::optional<ElementKind> kind = elementKind(*given),
                             holder = elementKind(held);
  if (kind && holder && *given != held && isa<IntegerType>(held) &&
      (bitWidth(*holder) == 8 * storedBytes(*kind) ||
       (isa<IntegerType>(*given) && bitWidth(*holder) == bitWidth(*kind))))
    return success();
  return op->emitOpError() << name << " " << *given << " is not held as "
                           << held;
}

Type kernel::sumElement(std::optional<Type> accumulator, Value result) {
  return accumulator
             ? *accumulator
             : cast<RankedTensorType>(result.getType()).getElementType();
}

LogicalResult kernel::verifyAccumulator(Operation *op,
                                        std::optional<Type> accumulator) {
  Type held =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (!accumulator || (isa<FloatType>(*accumulator) && isa<FloatType>(held) &&
                       *accumulator != held))
    return success();
  return op->emitOpError() << "sums in " << *accumulator << ", which is no way "
                           << "to " << held;
}

LogicalResult kernel::verifyExactness(Operation *op,
                                      std::optional<ArrayAttr> precision,
                                      std::optional<Attribute> algorithm) {
  if (precision &&
      (precision->size() != 2 ||
       !llvm::all_of(*precision, llvm::IsaPred<stablehlo::PrecisionAttr>)))
    return op->emitOpError() << "has a precision that is not StableHLO's, one "
                             << "for each operand";
  if (algorithm && !isa<stablehlo::DotAlgorithmAttr>(*algorithm))
    return op->emitOpError() << "has an algorithm that is not StableHLO's";
  if (algorithm && precision)
    return op->emitOpError() << "has a precision beside an algorithm";
  return success();
}

LogicalResult kernel::verifyLimits(Operation *op, size_t numLimits,
                                   ArrayRef<int64_t> limited, int64_t end,
                                   StringRef wanted) {
  if (numLimits != limited.size())
    return op->emitOpError() << "has " << numLimits << " limits for "
                             << limited.size() << " limited dimensions";
  int64_t above = 0;
  for (int64_t dim : limited) {
    if (dim < above || dim >= end)
      return op->emitOpError() << "limits [" << limited << "], " << wanted;
    above = dim + 1;
  }
  return success();
}
