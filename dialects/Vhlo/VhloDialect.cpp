// The VHLO dialect, which wraps attributes of StableHLO in versioned ones.

#include "dialects/Vhlo/Vhlo.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/Vhlo/Encoding.h"

#include "dialects/Vhlo/VhloDialect.cpp.inc"

#include "llvm/ADT/TypeSwitch.h"

#define GET_TYPEDEF_CLASSES
#include "dialects/Vhlo/VhloTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Vhlo/VhloAttributes.cpp.inc"

using namespace mlir;

namespace heddle::vhlo {

void VhloDialect::initialize() {
  // Reading makes types and attributes of these.
  getContext()->loadDialect<quant::QuantDialect, stablehlo::StableHloDialect>();
  addTypes<VersionedType>();
  addAttributes<VersionedAttr>();
  registerOperations();
  registerBytecode();
}

Attribute wrap(Attribute attribute) {
  return VersionedAttr::get(attribute.getContext(),
                            attributeCodeOf(attribute).value_or(0), attribute);
}

} // namespace heddle::vhlo
