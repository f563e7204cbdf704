// The VHLO dialect: operations from a table, and what wraps types and
// attributes that are to be stored.

#ifndef HEDDLE_DIALECTS_VHLO_VHLO_H
#define HEDDLE_DIALECTS_VHLO_VHLO_H

#include "dialects/Vhlo/OpTable.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OperationSupport.h"

#include "dialects/Vhlo/VhloDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Vhlo/VhloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Vhlo/VhloAttributes.h.inc"

namespace heddle::vhlo {

/// One revision of an operation.
struct Revision {
  const OpRow *row;
  unsigned number;
};

/// `vhlo.<name>_v<revision>`.
std::string nameOf(const OpRow &row, unsigned revision);

/// The revision that an operation of the dialect is of.
Revision revisionOf(mlir::OperationName name);

/// The attribute as it is to be stored. VHLO must have a code for it.
mlir::Attribute wrap(mlir::Attribute attribute);
inline mlir::Type wrap(mlir::Type type) {
  return VersionedType::get(type.getContext(), type);
}

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_VHLO_H
