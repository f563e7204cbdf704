//===- Packing.h - How a weight is stored -----------------------*- C++ -*-===//

#ifndef HEDDLE_DIALECTS_KERNEL_PACKING_H
#define HEDDLE_DIALECTS_KERNEL_PACKING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace heddle::kernel {

/// A packed layout, written as in kernel.weight's `packing`:
///   n32k1   [batch..., K, N]       stored as [batch..., ceil(N/32), K, 32]
///   o32     [spatial..., I, O]     stored as [1, ceil(O/32), spatial..., I,
///   32] g4o32   the same with 4 groups of O/4 channels
/// What the last panel lacks is zero.
struct Packing {
  enum class Kind { Contraction, Convolution };
  Kind kind = Kind::Contraction;
  int64_t panel = 32;
  int64_t groups = 1;

  static mlir::FailureOr<Packing> parse(llvm::StringRef text);
  std::string str() const;

  /// The type of a tensor of type `value` when stored; null if the packing does
  /// not fit it.
  mlir::RankedTensorType storedType(mlir::RankedTensorType value) const;
};

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_PACKING_H
