// The attributes of custom calls as functions in C are told of them.

#ifndef HEDDLE_ARTIFACT_CALLATTRIBUTES_H
#define HEDDLE_ARTIFACT_CALLATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <memory>
#include <vector>

namespace heddle {

namespace format {
struct AttributeT;
} // namespace format

/// The facts that a custom call's dictionary holds, by rising name; an error at
/// `loc` for one that a C function cannot be told.
mlir::FailureOr<std::vector<std::unique_ptr<format::AttributeT>>>
writeAttributes(mlir::Location loc, llvm::StringRef target,
                mlir::DictionaryAttr attributes);

} // namespace heddle

#endif // HEDDLE_ARTIFACT_CALLATTRIBUTES_H
