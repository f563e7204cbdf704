// Portable artifacts: StableHLO programs stored as VHLO, in a version that the
// reader knows.

#ifndef HEDDLE_FRONTEND_PORTABLEARTIFACT_H
#define HEDDLE_FRONTEND_PORTABLEARTIFACT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Reports that `bytes` are a portable artifact of a version that heddle does
/// not read, naming both. Anything else is fine.
mlir::LogicalResult checkPortableVersion(mlir::Location loc,
                                         llvm::StringRef bytes);

/// Turns the operations of the vhlo dialect, whatever their revisions, into
/// those of stablehlo and func. Without any there is nothing to do.
mlir::LogicalResult convertFromVhlo(mlir::ModuleOp module);

/// Turns a program into VHLO of a version ("1.10.0"), in place. Fails where an
/// operation, a type or an attribute needs a newer one, or has no place in
/// VHLO.
mlir::LogicalResult convertToVhlo(mlir::ModuleOp module,
                                  llvm::StringRef version);

/// Writes the program as a portable artifact of a version; the module stays.
mlir::LogicalResult writePortableArtifact(mlir::ModuleOp module,
                                          llvm::StringRef version,
                                          llvm::raw_ostream &os);

} // namespace heddle

#endif // HEDDLE_FRONTEND_PORTABLEARTIFACT_H
