// The size dialect: registers its attributes.

#include "dialects/Size/Size.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Size/SizeDialect.cpp.inc"
#include "dialects/Size/SizeEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Size/SizeAttributes.cpp.inc"

using namespace mlir;

namespace heddle::size {

void SizeDialect::initialize() { registerAttributes(); }

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

} // namespace heddle::size
