// Factors of products in a narrower float type.

#ifndef HEDDLE_PASSES_PRECISION_FACTORCASTS_H
#define HEDDLE_PASSES_PRECISION_FACTORCASTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Casts each value once to each type, for all that multiply it.
class FactorCasts {
public:
  /// Rounds both factors of `product` to `type`.
  void cast(mlir::Operation *product, mlir::FloatType type);

private:
  mlir::Value narrowed(mlir::Value value, mlir::FloatType type);

  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> narrow;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_FACTORCASTS_H
