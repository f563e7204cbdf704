// The launch that a call to a registered function becomes.

#ifndef HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H
#define HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Makes launches of functions without a body out of lowered calls: one
/// function for all calls that are described alike.
class CustomCallOutliner {
public:
  explicit CustomCallOutliner(mlir::ModuleOp module) : symbols(module) {}

  void outline(stablehlo::CustomCallOp op);

private:
  mlir::func::FuncOp functionFor(stablehlo::CustomCallOp op,
                                 mlir::FunctionType type);

  mlir::SymbolTable symbols;
  /// By type, description and arguments' attributes.
  llvm::DenseMap<mlir::Attribute, mlir::func::FuncOp> known;
  /// Of each target how many functions there are.
  llvm::DenseMap<mlir::StringAttr, unsigned> counts;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H
