// How a weight is stored: the words of kernel.weight's `packing`.

#ifndef HEDDLE_DIALECTS_KERNEL_PACKING_H
#define HEDDLE_DIALECTS_KERNEL_PACKING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace heddle::kernel {

/// A packed layout, with panels of P columns:
///   nPk1   [batch..., K, N]      stored as [batch..., ceil(N/P), K, P]
///   nPkD   the same with D rows of a column side by side:
///          [batch..., ceil(N/P), ceil(K/D), P, D]
///   oP     [spatial..., I, O]    stored as [1, ceil(O/P), spatial..., I, P]
///   gGoP   the same with G groups of O/G channels
/// What the last panel, and its last D rows, lack is zero.
struct Packing {
  enum class Kind { Contraction, Convolution };
  Kind kind = Kind::Contraction;
  int64_t panel = 32;
  int64_t depth = 1;
  int64_t groups = 1;

  static mlir::FailureOr<Packing> parse(llvm::StringRef text);
  std::string str() const;

  /// The type of a tensor of type `value` when stored; null if the packing does
  /// not fit it.
  mlir::RankedTensorType storedType(mlir::RankedTensorType value) const;
};

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_PACKING_H
