// The size dialect: registers its attributes.

#include "dialects/Size/Size.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Size/SizeDialect.cpp.inc"
#include "dialects/Size/SizeEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Size/SizeAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Size/SizeOps.cpp.inc"

using namespace mlir;

namespace heddle::size {

void SizeDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Size/SizeOps.cpp.inc"
      >();
}

void SizeDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Size/SizeAttributes.cpp.inc"
      >();
}

LogicalResult ExtentsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getExtents().size() != shape.size())
    return emitError() << getExtents().size()
                       << " extents for a tensor of rank " << shape.size();
  return success();
}

LogicalResult TensorOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.getElementType().isIntOrFloat())
    return emitOpError("gives numbers, which elements of ")
           << type << " are not";
  if (type.getNumElements() != int64_t(getElements().getExtents().size()))
    return emitOpError("has ") << getElements().getExtents().size()
                               << " elements for a result of type " << type;
  return success();
}

} // namespace heddle::size
