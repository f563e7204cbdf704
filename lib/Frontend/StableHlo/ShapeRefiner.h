// The walk that gives the values of a program of open sizes their types.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SHAPEREFINER_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SHAPEREFINER_H

#include "lib/Frontend/StableHlo/ImportedSizes.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Gives each operation's results the types that its operands say, from the
/// arguments of a block on. Calls are inlined, regions are walked with what
/// stands around them, and what computes with sizes is known by `sizes`.
class ShapeRefiner {
public:
  ShapeRefiner(ImportedSizes &sizes, bool anySized)
      : sizes(sizes), anySized(anySized) {}

  mlir::LogicalResult refine(mlir::Block &block);
  /// Puts numbers in place of what computes them from sizes.
  void replaceNumbers();

private:
  mlir::LogicalResult refine(mlir::Operation *op);
  mlir::LogicalResult refineSize(stablehlo::GetDimensionSizeOp op);
  mlir::LogicalResult refineSizedRegions(mlir::Operation *op);
  mlir::LogicalResult refineLoop(stablehlo::WhileOp loop);
  mlir::LogicalResult refineBranches(mlir::Operation *op);
  bool foldElements(mlir::Operation *op);
  mlir::Operation *knownForm(mlir::Operation *op);
  void replaceByElements(mlir::Operation *op,
                         llvm::ArrayRef<size::Expression> elements);
  void erase(mlir::Operation *op) {
    sizes.contents.forget(op);
    op->erase();
  }
  mlir::LogicalResult refineRegions(mlir::Operation *op);
  mlir::LogicalResult refineTypes(mlir::Operation *op);
  static mlir::LogicalResult checkResult(mlir::Operation *op,
                                         mlir::RankedTensorType type,
                                         mlir::RankedTensorType declared);
  mlir::LogicalResult inlineCall(mlir::Operation *call,
                                 mlir::func::FuncOp callee);
  static mlir::func::FuncOp calleeOf(mlir::Operation *op);
  mlir::LogicalResult checkAssertion(stablehlo::CustomCallOp op);
  static mlir::LogicalResult checkSize(stablehlo::SetDimensionSizeOp op);
  static void setType(mlir::Value value, mlir::Type wanted);

  ImportedSizes &sizes;
  /// Whether an argument has a size that calls choose.
  const bool anySized;
  int64_t operations = 0;
  /// What computes with sizes. It stays until the end, since `sizes` looks at
  /// operations to see what they mean together.
  llvm::SmallVector<mlir::Operation *> numbers;
};

/// The type of a value that is a tensor with a rank; none for others.
inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SHAPEREFINER_H
