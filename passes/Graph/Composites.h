// How recognized subgraphs become composites, and what the recognizers share.

#ifndef HEDDLE_PASSES_GRAPH_COMPOSITES_H
#define HEDDLE_PASSES_GRAPH_COMPOSITES_H

#include "dialects/StableHlo/StableHlo.h"
#include "mlir/IR/PatternMatch.h"

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
/// recognizer that spells the decomposition anew. Where `replaceByComposite`
/// would refuse, that of `root` alone.
mlir::Location locationBetween(mlir::PatternRewriter &rewriter,
                               mlir::Operation *root, mlir::ValueRange inputs);

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

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_COMPOSITES_H
