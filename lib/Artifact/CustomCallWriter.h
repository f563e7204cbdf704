// Custom calls as the tables of an artifact.

#ifndef HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H
#define HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H

#include "lib/Artifact/ExpressionTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The table of a kernel function with `kernel.custom_call`. Extents become
/// entries of the manifest's expressions.
mlir::FailureOr<std::unique_ptr<format::CustomCallT>>
writeCustomCall(mlir::func::FuncOp function, ExpressionTable &constant);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_CUSTOMCALLWRITER_H
