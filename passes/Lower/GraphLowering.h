// StableHLO to linalg.generic and the roots of the kernel dialect, op by op.

#ifndef HEDDLE_PASSES_LOWER_GRAPHLOWERING_H
#define HEDDLE_PASSES_LOWER_GRAPHLOWERING_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/Pointwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// What the lowering of one op needs: where to build, what the operands became.
/// An op that cannot be lowered is reported and the rest goes on, so that the
/// user gets the whole list at once.
class GraphLowering {
public:
  explicit GraphLowering(mlir::MLIRContext *context) : builder(context) {}

  /// Lowers the body of `function` in its place.
  mlir::LogicalResult run(mlir::func::FuncOp function);

  mlir::OpBuilder builder;

  /// What `value` became.
  mlir::Value lowered(mlir::Value value) { return values.lookup(value); }
  llvm::SmallVector<mlir::Value> lowered(mlir::ValueRange range);
  mlir::ArrayRef<int64_t> shapeOf(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }

  /// The type of result `number` of `op` after lowering, which `checkTypes` has
  /// found to exist.
  mlir::RankedTensorType resultType(mlir::Operation *op, unsigned number = 0);
  void replace(mlir::Operation *op, mlir::ValueRange results) {
    values.map(op->getResults(), results);
  }

  /// Reports that `op` cannot be lowered.
  void unsupported(mlir::Operation *op, const llvm::Twine &reason);

  /// `createPointwise` where the lowering builds.
  mlir::Value generic(mlir::Location loc, mlir::RankedTensorType type,
                      mlir::ValueRange inputs,
                      llvm::ArrayRef<mlir::AffineMap> maps, Payload payload);
  /// A generic that only moves elements: the result's point d is the input's
  /// point map(d).
  mlir::Value view(mlir::Location loc, mlir::RankedTensorType type,
                   mlir::Value input, mlir::AffineMap map);
  /// The same elements in the same order as a tensor of `target`; costs
  /// nothing.
  mlir::Value reshape(mlir::Location loc, mlir::Value input,
                      mlir::RankedTensorType target);
  /// `value`, which has elements of the graph's type `from`, with elements
  /// `to`.
  mlir::Value converted(mlir::Location loc, mlir::Value value, mlir::Type from,
                        mlir::Type to);
  /// A tensor of zeros.
  mlir::Value zeros(mlir::Location loc, mlir::RankedTensorType type);
  /// A tensor that holds the scalar `graphValue` everywhere.
  mlir::Value filled(mlir::Location loc, mlir::Value graphValue,
                     mlir::RankedTensorType type);
  /// `graphValue`, integers that say where something is, as the signed numbers
  /// of a byte or more that kernels take. What is too large for these is past
  /// every end, and stays so.
  mlir::Value positions(mlir::Value graphValue);
  /// The constant behind a value of the graph, if it is a scalar or a splat.
  mlir::Value scalarOf(mlir::Value graphValue);

private:
  void lowerBlock(mlir::Block &block);
  void lowerArguments(mlir::Block &block, unsigned count);
  void lowerControlFlow(mlir::Operation *op);
  void lower(mlir::Operation *op);
  bool checkTypes(mlir::Operation *op);
  bool lowerEmpty(mlir::Operation *op);

  mlir::IRMapping values;
  bool failed = false;
};

// The groups of ops. Each function lowers `op` if it is one of its group (and
// says so), reporting what it cannot do.
bool lowerCollective(GraphLowering &lowering, mlir::Operation *op);
bool lowerElementwise(GraphLowering &lowering, mlir::Operation *op);
bool lowerFunction(GraphLowering &lowering, mlir::Operation *op);
bool lowerRandom(GraphLowering &lowering, mlir::Operation *op);
bool lowerSelectAndScatter(GraphLowering &lowering, mlir::Operation *op);
bool lowerShapeOp(GraphLowering &lowering, mlir::Operation *op);
bool lowerContraction(GraphLowering &lowering, mlir::Operation *op);
bool lowerQuantization(GraphLowering &lowering, mlir::Operation *op);
bool lowerReduction(GraphLowering &lowering, mlir::Operation *op);
bool lowerReduceWindow(GraphLowering &lowering, mlir::Operation *op);
bool lowerIndexing(GraphLowering &lowering, mlir::Operation *op);
bool lowerScatterOrSort(GraphLowering &lowering, mlir::Operation *op);
bool lowerRoutine(GraphLowering &lowering, mlir::Operation *op);
bool lowerComposite(GraphLowering &lowering, mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_GRAPHLOWERING_H
