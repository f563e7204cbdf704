// Puts tensor types together, and asks whether their sizes are known.

#include "dialects/Size/SizedTypes.h"

using namespace mlir;

namespace heddle::size {

SizedShape &SizedShape::add(int64_t size) {
  bounds.push_back(size);
  extents.push_back({});
  return *this;
}

SizedShape &SizedShape::add(RankedTensorType type, int64_t dimension) {
  bounds.push_back(type.getDimSize(dimension));
  extents.push_back(isKnown(type, dimension) ? Expression()
                                             : extentOf(type, dimension));
  return *this;
}

SizedShape &SizedShape::add(RankedTensorType type,
                            ArrayRef<int64_t> dimensions) {
  for (int64_t dimension : dimensions)
    add(type, dimension);
  return *this;
}

SizedShape &SizedShape::add(RankedTensorType type, int64_t begin, int64_t end) {
  for (int64_t dimension = begin; dimension < end; ++dimension)
    add(type, dimension);
  return *this;
}

RankedTensorType SizedShape::of(Type element) const {
  auto plain = RankedTensorType::get(bounds, element);
  if (llvm::none_of(extents, [](Expression extent) { return bool(extent); }))
    return plain;
  SmallVector<Expression> all(extents);
  for (auto [extent, bound] : llvm::zip_equal(all, bounds))
    if (!extent)
      extent = Expression::constant(element.getContext(), bound);
  return withExtents(plain, all);
}

RankedTensorType withDimensions(RankedTensorType type,
                                ArrayRef<int64_t> dimensions) {
  return SizedShape().add(type, dimensions).of(type.getElementType());
}

RankedTensorType flattened(RankedTensorType type) {
  return withExtents(
      RankedTensorType::get({type.getNumElements()}, type.getElementType()),
      elementsOf(type));
}

bool isKnown(RankedTensorType type, int64_t dimension) {
  return !type.isDynamicDim(dimension) &&
         (!hasExtents(type) || extentOf(type, dimension).isConstant());
}

bool isOne(RankedTensorType type, int64_t dimension) {
  return type.getDimSize(dimension) == 1 && isKnown(type, dimension);
}

bool isSameSize(RankedTensorType a, int64_t i, RankedTensorType b, int64_t j) {
  if (a.getDimSize(i) != b.getDimSize(j))
    return false;
  return (!hasExtents(a) && !hasExtents(b)) || extentOf(a, i) == extentOf(b, j);
}

bool haveSameSizes(RankedTensorType a, RankedTensorType b) {
  if (a.getRank() != b.getRank())
    return false;
  for (int64_t i = 0; i < a.getRank(); ++i)
    if (!isSameSize(a, i, b, i))
      return false;
  return true;
}

Expression elementsOf(RankedTensorType type) {
  Expression count = Expression::constant(type.getContext(), 1);
  for (Expression extent : extentsOf(type))
    count = count * extent;
  return count;
}

bool haveAsManyElements(RankedTensorType a, RankedTensorType b) {
  if (!hasExtents(a) && !hasExtents(b))
    return a.getNumElements() == b.getNumElements();
  Expression elements = elementsOf(a);
  return elements && elements == elementsOf(b);
}

bool hasSizedAttributes(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute attribute) {
    return isa<ExtentsAttr>(attribute.getValue());
  });
}

bool isSized(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), hasExtents) ||
         llvm::any_of(op->getResultTypes(), hasExtents) ||
         hasSizedAttributes(op);
}

} // namespace heddle::size
