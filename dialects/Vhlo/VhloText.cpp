// Types and attributes in text.

#include "dialects/Vhlo/Vhlo.h"

using namespace mlir;

namespace heddle::vhlo {

Type VhloDialect::parseType(DialectAsmParser &parser) const {
  parser.emitError(parser.getNameLoc()) << "unknown vhlo type";
  return {};
}
Attribute VhloDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  parser.emitError(parser.getNameLoc()) << "unknown vhlo attribute";
  return {};
}

void VhloDialect::printType(Type type, DialectAsmPrinter &printer) const {
  printer << "versioned<" << cast<VersionedType>(type).getType() << ">";
}

void VhloDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  printer << "versioned<" << cast<VersionedAttr>(attribute).getValue() << ">";
}

} // namespace heddle::vhlo
