// Operations whose sizes are operands that are known.

#ifndef HEDDLE_DIALECTS_STABLEHLO_KNOWNFORMS_H
#define HEDDLE_DIALECTS_STABLEHLO_KNOWNFORMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle::stablehlo {

/// The elements of a constant of integers, a small one as sizes are; nothing if
/// the value is none.
std::optional<llvm::SmallVector<int64_t>> integersOf(mlir::Value value);

/// The form of `op` that has its sizes in attributes and types, before
/// `builder`; null for an operation without such a form, or where its sizes are
/// not known. Whether they fit each other, its verifier says.
mlir::Operation *createKnownForm(mlir::OpBuilder &builder, mlir::Operation *op);

/// Whether the verifier of a form finds nothing in it.
bool isValidForm(mlir::Operation *form);

/// Reports each operation below `root` whose known sizes contradict each other
/// or its result's type: nothing can be made of these, and their own verifiers
/// do not look at what operands hold. Fails if there is one.
mlir::LogicalResult reportContradictorySizes(mlir::Operation *root);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_KNOWNFORMS_H
