// Custom calls of which each result is made, element by element, of the operand
// with its number: so it has that operand's shape.

#ifndef HEDDLE_DIALECTS_STABLEHLO_ELEMENTWISECALLS_H
#define HEDDLE_DIALECTS_STABLEHLO_ELEMENTWISECALLS_H

#include "dialects/StableHlo/AnnotationCalls.h"
#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// Functions of one number, as exporters name those that are no operations.
inline constexpr llvm::StringLiteral kElementwiseCalls[] = {
    "mhlo.erf",   "mhlo.acos", "mhlo.acosh", "mhlo.asin", "mhlo.asinh",
    "mhlo.atanh", "mhlo.cosh", "mhlo.sinh",  "mhlo.tan",
};

inline bool isElementwiseCall(CustomCallOp op) {
  llvm::StringRef target = op.getCallTargetName();
  return op->getNumOperands() == op->getNumResults() &&
         (isAnnotationCall(target) ||
          llvm::is_contained(kElementwiseCalls, target));
}

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_ELEMENTWISECALLS_H
