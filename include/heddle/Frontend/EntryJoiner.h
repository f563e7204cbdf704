// The models of several entries become one module, so that all that follows
// sees what they share: weights, kernels, states.

#ifndef HEDDLE_FRONTEND_ENTRYJOINER_H
#define HEDDLE_FRONTEND_ENTRYJOINER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// A module that grows by models. Its public functions are the entries, in the
/// order in which they were added.
class EntryJoiner {
public:
  /// Adds `model`, of which `entry` is the function that is wanted: it gets the
  /// name `name`, and what it does not lead to is dropped. Names may occur in
  /// several models. A size that calls choose is one in all entries if
  /// `isShared` says so of its name; else it becomes the entry's own, called
  /// `name.size`. Fails with a diagnostic if sizes meet that differ.
  mlir::LogicalResult add(llvm::StringRef name, mlir::func::FuncOp entry,
                          llvm::function_ref<bool(llvm::StringRef)> isShared,
                          mlir::OwningOpRef<mlir::ModuleOp> model);

  /// The module; null if nothing was added.
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(whole); }

private:
  mlir::OwningOpRef<mlir::ModuleOp> whole;
  llvm::SmallVector<mlir::Attribute> sizes, assumptions;
};

} // namespace heddle

#endif // HEDDLE_FRONTEND_ENTRYJOINER_H
