// Which products a caller's `--precision` may change.

#ifndef HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H
#define HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// The products of a module that a policy may change, in the order of the
/// module's entries and of the operations in them: a product's place here names
/// it in each copy of the module.
struct AskedProducts {
  llvm::SmallVector<mlir::Operation *> products;
  /// How many contractions and convolutions of f32 there are. A product that is
  /// split for minima is one of them.
  int64_t all = 0;
};

/// Finds each contraction and convolution of f32 of all entries that may be
/// changed: the model asks for no more bits, sums have at least 16 terms, and
/// no operand is made of integers with a scale or of their minima.
AskedProducts findAskedProducts(mlir::ModuleOp module);

/// Says on the module what was changed, as "bf16 in 3" of all contractions and
/// convolutions.
void sayChanged(mlir::ModuleOp module, const llvm::Twine &what, int64_t all);

/// Calls `change` with each product that may be changed, and says on the module
/// in how many it did what `policy` names, which its result tells.
void changeProducts(mlir::ModuleOp module, llvm::StringRef policy,
                    llvm::function_ref<bool(mlir::Operation *)> change);

/// How many products each element of the result of one of them sums up, at the
/// most.
int64_t termsOf(mlir::Operation *product);

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H
