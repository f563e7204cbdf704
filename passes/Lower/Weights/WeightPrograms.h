// Makes kernel.weight symbols, one for each program.

#ifndef HEDDLE_PASSES_LOWER_WEIGHTS_WEIGHTPROGRAMS_H
#define HEDDLE_PASSES_LOWER_WEIGHTS_WEIGHTPROGRAMS_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// The weights of a module. Programs that print the same are the same.
class WeightPrograms {
public:
  explicit WeightPrograms(mlir::ModuleOp module);

  /// The weight that holds `value`, which depends on constants alone.
  kernel::WeightOp add(mlir::Value value);

  using Finish =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)>;
  /// A weight with the program of `weight`, continued by `finish` from the
  /// value it yields, stored by `packing`, or plainly if that is empty. `note`
  /// adds what else is to be said of it.
  kernel::WeightOp
  derive(kernel::WeightOp weight, Finish finish, mlir::StringRef packing,
         llvm::function_ref<void(kernel::WeightOp)> note = nullptr);

  /// The weight that `value` is a reference to; null if it is none, or packed.
  kernel::WeightOp referredTo(mlir::Value value);
  mlir::Value reference(mlir::OpBuilder &builder, kernel::WeightOp weight);
  kernel::WeightOp lookup(mlir::StringRef name) {
    return symbols.lookup<kernel::WeightOp>(name);
  }
  /// Erases weights that nothing refers to.
  void eraseUnused();

private:
  /// A weight without a program yet, after those that are there.
  kernel::WeightOp create(mlir::Location loc, mlir::Type type);
  /// The first weight equal to `fresh`, which is erased if it is not that.
  kernel::WeightOp unify(kernel::WeightOp fresh);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringMap<kernel::WeightOp> byProgram;
  int64_t next = 0;
  kernel::WeightOp last;
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_WEIGHTS_WEIGHTPROGRAMS_H
