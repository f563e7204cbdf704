// The true extents of results, by each operation's own rule.

#ifndef HEDDLE_DIALECTS_STABLEHLO_RESULTEXTENTS_H
#define HEDDLE_DIALECTS_STABLEHLO_RESULTEXTENTS_H

#include "dialects/Size/Expression.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::stablehlo {

/// The extents of one tensor.
using TrueShape = llvm::SmallVector<size::Expression>;

/// What rules ask of whoever knows the program's sizes.
class ExtentRules {
public:
  virtual ~ExtentRules() = default;
  /// The extent of two dimensions that an operation wants equal; null, after an
  /// error, if they never are. Where that cannot be known it becomes an
  /// assumption, which calls check.
  virtual size::Expression meet(size::Expression a, size::Expression b,
                                mlir::Operation *op) = 0;
  /// The expression without what ranges decide.
  virtual size::Expression simplified(size::Expression expression) = 0;
};

/// Integers of an attribute that depends on sizes are beside it, for its name
/// "limit_indices" in `size.limit_indices`, a `#size.extents`; the attribute
/// itself holds those of the bound.
std::string sizedAttributeName(llvm::StringRef attribute);
TrueShape sizedAttribute(mlir::Operation *op, llvm::StringRef attribute,
                         llvm::ArrayRef<int64_t> atBound);

/// The true extents of the results of `op`, which is static in StableHLO's
/// sense: operands have their extents in their types, attributes as above.
/// Results whose extents an operation is told (`iota`, `broadcast_in_dim`, a
/// constant, what is called or carried) have those of their types, which are
/// checked against the operands. Tokens and tuples have none.
mlir::LogicalResult inferExtents(mlir::Operation *op, ExtentRules &rules,
                                 llvm::SmallVectorImpl<TrueShape> &results);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_RESULTEXTENTS_H
