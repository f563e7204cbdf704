// Custom calls to functions of the program that loads the artifact.

#ifndef HEDDLE_DIALECTS_STABLEHLO_REGISTEREDCALLS_H
#define HEDDLE_DIALECTS_STABLEHLO_REGISTEREDCALLS_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// On a custom call: its function is registered where the artifact is loaded.
/// Such a call takes and gives tensors only, row-major, and its aliases name
/// results and operands by their numbers.
inline constexpr llvm::StringLiteral kRegisteredAttrName = "heddle.registered";

/// On a registered call whose complex tensors are seen as real ones: the
/// numbers of the operands, and of the results, that are complex.
inline constexpr llvm::StringLiteral kComplexOperandsAttrName =
    "heddle.complex_operands";
inline constexpr llvm::StringLiteral kComplexResultsAttrName =
    "heddle.complex_results";

/// On a registered call whose tensors are those of kernels: what the model says
/// of it, as in `kernel.custom_call`.
inline constexpr llvm::StringLiteral kDescriptionAttrName = "heddle.call";

inline bool isRegisteredCall(mlir::Operation *op) {
  return op && mlir::isa<CustomCallOp>(op) && op->hasAttr(kRegisteredAttrName);
}

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_REGISTEREDCALLS_H
