// Sums of products of bytes, four for each lane of 32 bits.
//
//   sum + a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3      a: ui8, b: i8, sum: i32
//
// exactly, on every machine: by one instruction (vpdpbusd) where there is one,
// on other x86-64 by products of 16 bits that are summed up in pairs (pmaddwd;
// pmaddubsw would saturate), elsewhere by four products of 32 bits.

#ifndef HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H
#define HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H

#include "dialects/Kernel/Factors.h"
#include "passes/Kernel/Cpu/StepProducts.h"

namespace heddle {

class IntegerQuads : public StepProducts {
public:
  explicit IntegerQuads(const Machine &machine);

  int64_t perStep() const override { return kernel::kQuad; }
  int64_t rowsOf(int64_t rows, TileShape tile) const override;
  /// Four bytes of each column, with their signs.
  Factor columns(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ValueRange loaded) const override;
  /// Four bytes without signs.
  Factor row(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
             mlir::Value position, int64_t count) const override;
  mlir::Value multiplyAdd(mlir::OpBuilder &builder, mlir::Location loc,
                          const Factor &row, const Factor &columns,
                          mlir::Value sum) const override;

private:
  enum class Way : uint8_t { Quads, Pairs, Single };

  Factor takeApart(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value lanes, bool isSigned) const;
  /// `sum` and the products of the instruction, as many lanes at once as a
  /// register has.
  mlir::Value inRegisters(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value left, mlir::Value right,
                          mlir::Value sum) const;

  Way way;
  /// The machine's instruction for it.
  llvm::StringRef product;
  int64_t vectorBits;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_INTEGERQUADS_H
