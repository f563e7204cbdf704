// The sdy dialect: registers its attributes and operations.

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/Sdy/SdyDialect.cpp.inc"
#include "dialects/Sdy/SdyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Sdy/SdyAttributes.cpp.inc"

using namespace mlir;

namespace heddle::sdy {

void SdyDialect::initialize() {
  registerAttributes();
  registerBytecode();
  addOperations<
#define GET_OP_LIST
#include "dialects/Sdy/SdyOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/Sdy/SdyCollectiveOps.cpp.inc"
      >();
}

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Sdy/SdyAttributes.cpp.inc"
      >();
}

} // namespace heddle::sdy
