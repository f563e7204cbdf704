// Takes the signs off element types.

#include "passes/Lower/Scalar/LoweredTypes.h"

#include "heddle/Support/ElementKind.h"

using namespace mlir;
using namespace heddle;

Type heddle::loweredElementType(Type type) {
  std::optional<ElementKind> kind = elementKind(type);
  if (!kind || elementClass(*kind) == ElementClass::Complex || type.isIndex())
    return {};
  if (isa<FloatType>(type))
    return type;
  return IntegerType::get(type.getContext(), bitWidth(*kind));
}

RankedTensorType heddle::loweredTensorType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return {};
  Type element = loweredElementType(tensor.getElementType());
  return element ? tensor.clone(element) : RankedTensorType();
}
