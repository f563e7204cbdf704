// Sums of products of bytes, four for each lane of 32 bits.
//
//   sum + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3      a: ui8, b: i8, sum: i32
//
// exactly, on every machine: by one instruction (vpdpbusd) where there is one,
// on other x86-64 by products of 16 bits that are summed up in pairs (pmaddwd;
// pmaddubsw would saturate), elsewhere by four products of 32 bits.

#ifndef HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H
#define HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H

#include "heddle/Target/Machine.h"

#include "mlir/IR/Builders.h"

namespace heddle {

class IntegerQuads {
public:
  explicit IntegerQuads(const Machine &machine);

  /// The height of tiles of `rows` rows, for which floats would have `most`:
  /// factors that are taken apart fill more registers.
  int64_t rowsOf(int64_t rows, int64_t most) const;

  /// Four bytes for each lane, taken apart as the machine multiplies them.
  using Factor = llvm::SmallVector<mlir::Value, 4>;

  /// The columns from byte `position` of `buffer` on: lane n has its bytes 4 n
  /// to 4 n + 3, with their signs.
  Factor columns(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::Value buffer, mlir::Value position) const;
  /// The four bytes at `position` for all lanes, without signs.
  Factor row(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
             mlir::Value position) const;
  mlir::Value multiplyAdd(mlir::OpBuilder &builder, mlir::Location loc,
                          const Factor &row, const Factor &columns,
                          mlir::Value sum) const;

private:
  enum class Way : uint8_t { Quads, Pairs, Single };

  Factor takeApart(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value lanes, bool isSigned) const;

  Way way;
  int64_t vectorBits;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H
