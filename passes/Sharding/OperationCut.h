// Over which axes the factors of one operation are cut.

#ifndef HEDDLE_PASSES_SHARDING_OPERATIONCUT_H
#define HEDDLE_PASSES_SHARDING_OPERATIONCUT_H

#include "passes/Sharding/Layout.h"

namespace heddle {

/// A tensor that an operation takes or gives, as it lies or is to lie.
struct TensorPlace {
  mlir::RankedTensorType type;
  Layout layout;
};

/// The axes of each factor of an operation while its devices compute.
class OperationCut {
public:
  OperationCut(mlir::Operation *op, const sharding::FactorRule &rule,
               sdy::MeshAttr mesh)
      : op(op), rule(rule), mesh(mesh), axes(rule.factors.size()) {}

  /// Cuts factors as tensors are cut already or are to be: what two factors
  /// want goes to the one for which more bytes lie so. Factors for which
  /// `canCut` is false stay whole. Entries of `operands` and `results` without
  /// a type are no tensors, or want nothing.
  void choose(llvm::ArrayRef<TensorPlace> operands,
              llvm::ArrayRef<TensorPlace> results,
              llvm::function_ref<bool(int64_t)> canCut);

  llvm::ArrayRef<sdy::AxisRefAttr> axesOf(int64_t factor) const {
    return axes[factor];
  }
  /// How a tensor with these factors lies then.
  Layout layoutOf(const sharding::TensorFactors &tensor) const;
  /// Whether a tensor has a dimension whose parts are rounded up.
  bool pads(const sharding::TensorFactors &tensor, int64_t factor) const;

private:
  struct Vote {
    int64_t factor;
    Axes axes;
    int64_t bytes;
  };
  void vote(llvm::SmallVector<Vote> &votes, const TensorPlace &place,
            const sharding::TensorFactors &tensor,
            llvm::function_ref<bool(int64_t)> canCut);
  /// Axes that can be added to what other factors have.
  Axes freeOf(llvm::ArrayRef<sdy::AxisRefAttr> wanted, int64_t factor) const;
  /// Cuts less until every dimension can be cut as its factors are.
  void makeLegal();
  bool makeLegal(mlir::Value value, const sharding::TensorFactors &tensor);

  mlir::Operation *op;
  const sharding::FactorRule &rule;
  sdy::MeshAttr mesh;
  llvm::SmallVector<Axes> axes;
};

} // namespace heddle

#endif // HEDDLE_PASSES_SHARDING_OPERATIONCUT_H
