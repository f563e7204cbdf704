// What programs say of where values lie on many devices.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDINGS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDINGS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <string>

namespace heddle {

/// Lets programs hold shardings.
void allowShardings(mlir::MLIRContext &context);

/// Whether a text may hold shardings.
bool mentionsShardings(llvm::StringRef text);

/// What a program says of several devices, where it is made one for a single
/// device: counts of what is left out, and the meshes that it names.
struct IgnoredShardings {
  int64_t arguments = 0, results = 0, values = 0, constraints = 0, groups = 0;
  std::string meshes;

  bool any() const {
    return arguments + results + values + constraints + groups > 0;
  }
  /// Says it where there is something to say.
  void remark(mlir::Location loc) const;
};

/// Replaces the operations of the sdy dialect by what they mean on one device:
/// a constraint is its operand, a computation by hand its body. An error where
/// the body sees a part of a value only.
llvm::LogicalResult dropShardingOperations(mlir::ModuleOp module,
                                           IgnoredShardings &ignored);

/// Drops what functions and operations carry of shardings. For programs of
/// StableHLO, not of VHLO.
void dropShardingAttributes(mlir::ModuleOp module, IgnoredShardings &ignored);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SHARDINGS_H
