// What passes ask about constant operands.

#ifndef HEDDLE_PASSES_GRAPH_CONSTANTS_H
#define HEDDLE_PASSES_GRAPH_CONSTANTS_H

#include "dialects/StableHlo/StableHlo.h"

#include <optional>

namespace heddle {

/// Results of folding larger than this stay operations, so that the compiler's
/// memory does not grow with the model.
constexpr uint64_t kFoldLimitBytes = uint64_t(1) << 20;

/// The constant that defines `value`, or null.
mlir::ElementsAttr constantValue(mlir::Value value);

/// The one element of a constant that is the same everywhere, also behind
/// broadcasts and reshapes; null if `value` is no such constant.
mlir::Attribute splatElement(mlir::Value value);

/// Whether every element of `value` is known to be the number `number`
/// (exactly; for a complex type with the imaginary part 0).
bool isSplatOf(mlir::Value value, double number);

/// All elements of a small integer or index constant.
std::optional<llvm::SmallVector<int64_t>> integerValues(mlir::Value value);

/// A constant of type `type` with `element` everywhere.
mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, mlir::Attribute element);

/// The 0 of an element type, which may be complex.
mlir::Attribute zeroElement(mlir::Type element);

/// A constant of type `type`, which may be complex, with 0 everywhere.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_CONSTANTS_H
