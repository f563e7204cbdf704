// The composite `heddle.attention`: its operands, its attributes, and what it
// computes in operations of StableHLO.

#ifndef HEDDLE_DIALECTS_STABLEHLO_ATTENTION_H
#define HEDDLE_DIALECTS_STABLEHLO_ATTENTION_H

#include "dialects/StableHlo/StableHlo.h"

#include <optional>

namespace heddle::stablehlo {

/// One attention, as docs/decisions/attention.md describes it.
struct Attention {
  /// [batch.., M, D], [batch.., N, D] and [batch.., N, E].
  mlir::Value query, key, value;
  /// Null where there is none.
  mlir::Value mask, lengths, sink;
  double scale = 1;
  bool causal = false, zeroNanRows = false;
  std::optional<int64_t> window;
  /// What scores, their softmax and the sums of values are computed in.
  mlir::FloatType accumulator;
  mlir::RankedTensorType result;
  /// Of the logarithms of sums; null if nobody wants them.
  mlir::RankedTensorType logSumExp;

  /// Reads a composite's operands, attributes and result types. Nothing for
  /// forms that it does not say.
  static std::optional<Attention> read(mlir::ValueRange inputs,
                                       mlir::DictionaryAttr attributes,
                                       mlir::TypeRange results);

  /// The operands and attributes of the composite.
  llvm::SmallVector<mlir::Value> inputs() const;
  mlir::DictionaryAttr attributes() const;

  int64_t numBatchDims() const;
  /// Queries, keys.
  int64_t rows() const;
  int64_t columns() const;
  /// How many heads of the query read one of the key.
  int64_t headsPerKey() const;
};

/// How a decomposition multiplies.
struct AttentionProducts {
  mlir::ArrayAttr scorePrecision, valuePrecision;
  DotAlgorithmAttr scoreAlgorithm, valueAlgorithm;
};

/// Writes out what `attention` computes; gives its result, and the logarithms
/// of sums if they are wanted.
llvm::SmallVector<mlir::Value>
decomposeAttention(mlir::OpBuilder &builder, mlir::Location location,
                   const Attention &attention,
                   const AttentionProducts &products = {});

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_ATTENTION_H
