// Which products a caller's `--precision` may change.

#ifndef HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H
#define HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Calls `change` with each contraction and convolution of f32 of all entries
/// that may be changed: the model asks for no more bits, sums have at least 16
/// terms, and no operand is made of integers with a scale or of their minima.
/// Says on the module in how many of all contractions and convolutions `change`
/// did what `policy` names, which its result tells. A product that is split for
/// minima is one of them.
void changeProducts(mlir::ModuleOp module, llvm::StringRef policy,
                    llvm::function_ref<bool(mlir::Operation *)> change);

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_ASKEDPRODUCTS_H
