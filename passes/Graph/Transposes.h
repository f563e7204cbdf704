// Permutations of dimensions, and the patterns that move transposes.

#ifndef HEDDLE_PASSES_GRAPH_TRANSPOSES_H
#define HEDDLE_PASSES_GRAPH_TRANSPOSES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

using Permutation = llvm::SmallVector<int64_t>;

/// inverse[permutation[i]] = i.
Permutation invert(llvm::ArrayRef<int64_t> permutation);

/// The values of `of` in the order that a transpose by `permutation` gives:
/// result[i] = of[permutation[i]].
template <typename T>
llvm::SmallVector<T> permute(llvm::ArrayRef<T> of,
                             llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<T> result;
  for (int64_t dimension : permutation)
    result.push_back(of[dimension]);
  return result;
}

bool isIdentity(llvm::ArrayRef<int64_t> permutation);

/// `type` with its dimensions in the order of a transpose by `permutation`.
mlir::RankedTensorType permutedType(mlir::RankedTensorType type,
                                    llvm::ArrayRef<int64_t> permutation);

/// `value` itself where the permutation changes nothing.
mlir::Value transpose(mlir::OpBuilder &builder, mlir::Location location,
                      mlir::Value value, llvm::ArrayRef<int64_t> permutation);

/// Transposes that meet become one or none, and vanish into what has no order
/// of its own: broadcasts and splats.
void populateMergeTransposesPatterns(mlir::RewritePatternSet &patterns);

/// Transposes move from the operands of an op to its results, through all ops
/// that do not care about the order of dimensions.
void populateSinkTransposesPatterns(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_TRANSPOSES_H
