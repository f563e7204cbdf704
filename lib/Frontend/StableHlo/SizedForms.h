// Operations whose sizes are operands, in forms that hold them.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDFORMS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDFORMS_H

#include "lib/Frontend/StableHlo/ImportedSizes.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Whether sizes that calls choose are in the types of the operands or results
/// of `op`, or in what operands hold.
bool isSized(mlir::Operation *op, ImportedSizes &sizes);

/// Replaces an operation by a form that holds its sizes, where its type alone
/// could not: gathers, convolutions, slices of computed starts, JAX's calls
/// that get their results' shapes, a window or a number of elements as
/// operands; and where calls choose sizes, all others. Returns what stands
/// there now, the operation itself where its sizes are not known. Fails, after
/// an error, where sizes contradict each other.
mlir::FailureOr<mlir::Operation *> fixDynamicForm(mlir::Operation *op,
                                                  ImportedSizes &sizes);

/// The form of an operation of StableHLO whose sizes are operands, before it;
/// null where they are not known, and for another operation.
mlir::FailureOr<mlir::Operation *> createSizedForm(mlir::Operation *op,
                                                   ImportedSizes &sizes);

/// The form of an operation whose sizes are computed from elements, each within
/// the bound that its result's type says or its operand gives: a symbol, and a
/// count of the program. Null for any other operation, and where sizes may not
/// be computed.
mlir::FailureOr<mlir::Operation *> createComputedForm(mlir::Operation *op,
                                                      ImportedSizes &sizes);

/// Whether the type of a result says the bound of a size that such an operation
/// may compute.
bool mayComputeSizes(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDFORMS_H
