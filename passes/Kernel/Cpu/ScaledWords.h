// Weights of 4 and 8 bits that are in units of a scale for each block of terms,
// as contractions of f32 read them, which widen them in registers: a word of 32
// bits has eight numbers of 4 bits of one column, the terms of a step; a step
// of bytes is one term.
//
//   sum over blocks of scale * (sum over the block's terms of
//                               a * (number - zero point))            a: f32
//
// Each block's sum begins at zero and is fused into the total with its scale;
// blocks of more than 128 terms do so in several parts. The difference of
// number and zero point is exact in f32, and so is a scale of 16 bits. So all
// processors compute the same, in tiles of any size.

#ifndef HEDDLE_PASSES_KERNEL_CPU_SCALEDWORDS_H
#define HEDDLE_PASSES_KERNEL_CPU_SCALEDWORDS_H

#include "dialects/Kernel/Kernel.h"
#include "heddle/Target/Machine.h"

#include <optional>

namespace heddle {

/// Where a contraction's right-hand side of such numbers is.
struct ScaledWords {
  /// Nothing if the right-hand side of `op` is not dequantized; fails with a
  /// diagnostic if it is, but not from what these kernels read.
  static mlir::FailureOr<std::optional<ScaledWords>> of(kernel::ContractOp op,
                                                        int64_t panelColumns);

  /// Numbers in panels, words of eight or bytes; scales in panels of blocks by
  /// columns, zero points of a byte like them.
  mlir::Value numbers, scales;
  /// Null if all are `zero`.
  mlir::Value zeroPoints;
  int64_t zero = 0;
  unsigned bits = 4;
  /// Terms that share a scale.
  int64_t block = 0;
  /// Blocks of the depth.
  int64_t blocks = 0;
  /// Elements of a panel of scales.
  int64_t panelStride = 0;

  /// Terms that a step takes of each column: those of one element of `numbers`.
  int64_t terms() const { return bits == 4 ? 8 : 1; }
  /// Steps of a block, and of the parts that are summed up by themselves.
  int64_t blockSteps() const { return block / terms(); }
  int64_t chainSteps() const;
};

/// Emits the widening of words.
class WordWidening {
public:
  WordWidening(const Machine &machine, const ScaledWords &scaled)
      : bits(scaled.bits), terms(scaled.terms()), zero(scaled.zero),
        looksUp(bits == 4 && machine.vectorBits == 512) {}

  /// The words or bytes of 16 columns from element `position` of `buffer` on:
  /// 16 of i32, bytes with their signs.
  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value buffer, mlir::Value position) const;
  /// Term number `term` of each lane of what was loaded, less `zeroPoints`, or
  /// less the zero point that all have where these are null: f32.
  mlir::Value number(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value words, int64_t term,
                     mlir::Value zeroPoints) const;
  /// The zero points of 16 columns from element `position` of `buffer` on.
  mlir::Value zeroPoints(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value buffer, mlir::Value position) const;

  const unsigned bits;
  const int64_t terms;

private:
  int64_t zero;
  /// Whether one instruction finds 16 numbers in a table of 16.
  bool looksUp;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_SCALEDWORDS_H
