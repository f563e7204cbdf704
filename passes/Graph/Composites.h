// How recognized subgraphs become composites, and what the recognizers share.

#ifndef HEDDLE_PASSES_GRAPH_COMPOSITES_H
#define HEDDLE_PASSES_GRAPH_COMPOSITES_H

#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/PatternMatch.h"

#include <functional>
#include <optional>

namespace heddle {

/// Replaces `root` (one result) by `stablehlo.composite "<name>"` of `inputs`.
/// The decomposition is a private function with exactly the ops between
/// `inputs` and `root`; equal ones are shared. Everything in between must be
/// pure. Fails, with nothing changed, when some op in between depends on a
/// value that is neither an input nor computed from inputs and constants.
mlir::LogicalResult
replaceByComposite(mlir::PatternRewriter &rewriter, mlir::Operation *root,
                   mlir::ValueRange inputs, llvm::StringRef name,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes);

/// The locations of `root` and of what computes it from `inputs`, fused: for a
/// recognizer that spells the decomposition anew. Ops that `replaceByComposite`
/// would refuse are left out.
mlir::Location locationBetween(mlir::PatternRewriter &rewriter,
                               mlir::Operation *root, mlir::ValueRange inputs);

/// Whether `op` is a composite of this name.
bool isComposite(mlir::Operation *op, llvm::StringRef name);

/// The value of a splat constant of floats, also behind broadcasts, reshapes
/// and converts.
std::optional<double> splatValue(mlir::Value value);

/// Calls `match` with the operands of a binary op in both orders until it
/// succeeds.
template <typename Op>
bool matchEitherOrder(
    mlir::Value value,
    llvm::function_ref<bool(mlir::Value, mlir::Value)> match) {
  auto op = value.getDefiningOp<Op>();
  return op && (match(op->getOperand(0), op->getOperand(1)) ||
                match(op->getOperand(1), op->getOperand(0)));
}

/// A reduction of one tensor over one dimension, repeated along that dimension
/// afterwards.
struct RowReduction {
  mlir::Value input;
  int64_t axis;
  stablehlo::ReduceOp op;
};

/// Matches `value` = broadcast of reduce<Body>(input, dimensions = [axis]) back
/// to the input's shape, where the broadcast may be several broadcasts and
/// reshapes that add dimensions of extent 1. `through` is asked about
/// element-wise ops between the reduction and the broadcast: it returns the
/// operand to go on with, or null.
std::optional<RowReduction> matchRowReduction(
    mlir::Value value, llvm::StringRef bodyOp,
    llvm::function_ref<mlir::Value(mlir::Value)> through = [](mlir::Value) {
      return mlir::Value();
    });

void populateRecognizeSoftmaxPatterns(mlir::RewritePatternSet &patterns);
void populateRecognizeNormPatterns(mlir::RewritePatternSet &patterns);
void populateRecognizeActivationPatterns(mlir::RewritePatternSet &patterns);
void populateRecognizeAttentionPatterns(mlir::RewritePatternSet &patterns);
void populateRecognizeRopePatterns(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_COMPOSITES_H
