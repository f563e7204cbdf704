// Custom calls as the tables of an artifact.

#ifndef HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H
#define HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H

#include "PlanWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The facts that a custom call's dictionary holds, by rising name; an error at
/// `loc` for one that a C function cannot be told.
mlir::FailureOr<std::vector<std::unique_ptr<format::AttributeT>>>
writeAttributes(mlir::Location loc, llvm::StringRef target,
                mlir::DictionaryAttr attributes);

/// The table of a kernel function with `kernel.custom_call`. Extents become
/// entries of the manifest's expressions.
mlir::FailureOr<std::unique_ptr<format::CustomCallT>>
writeCustomCall(mlir::func::FuncOp function, ConstantTable &constant);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H
