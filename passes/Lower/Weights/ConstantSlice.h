// What a constant value is computed by.

#ifndef HEDDLE_PASSES_LOWER_WEIGHTS_CONSTANTSLICE_H
#define HEDDLE_PASSES_LOWER_WEIGHTS_CONSTANTSLICE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace heddle {

/// The operations that `op` is computed by, operands before their readers and
/// `op` last. No operand may be a block's argument. Nothing if `takes` refuses
/// one of them.
std::optional<llvm::SetVector<mlir::Operation *>>
constantSlice(mlir::Operation *op,
              llvm::function_ref<bool(mlir::Operation *)> takes);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_WEIGHTS_CONSTANTSLICE_H
