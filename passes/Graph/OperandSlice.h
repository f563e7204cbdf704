// What a value is computed by.

#ifndef HEDDLE_PASSES_GRAPH_OPERANDSLICE_H
#define HEDDLE_PASSES_GRAPH_OPERANDSLICE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace heddle {

/// The operations that compute `op` from inputs and constants, operands before
/// their readers and `op` last. Nothing if `takes`, which is asked once of
/// each, refuses one of them, or if one reads an argument of a block that is no
/// input.
std::optional<llvm::SetVector<mlir::Operation *>> operandSlice(
    mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> takes,
    llvm::function_ref<bool(mlir::Value)> isInput = [](mlir::Value) {
      return false;
    });

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_OPERANDSLICE_H
