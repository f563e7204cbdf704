// Sums of products of bf16, two for each lane of f32.
//
//   fma(a0, b0, fma(a1, b1, sum))      a, b: bf16, sum: f32
//
// by one instruction (vdpbf16ps) where that is quick, elsewhere by two fused
// multiply-adds of the factors in f32, which have the same bits where all
// numbers are normal: the instruction takes subnormal ones for zero.

#ifndef HEDDLE_PASSES_KERNEL_CPU_FLOATPAIRS_H
#define HEDDLE_PASSES_KERNEL_CPU_FLOATPAIRS_H

#include "dialects/Kernel/Factors.h"
#include "passes/Kernel/Cpu/StepProducts.h"

namespace heddle {

class FloatPairs : public StepProducts {
public:
  explicit FloatPairs(const Machine &machine);

  int64_t perStep() const override { return kernel::kPair; }
  int64_t rowsOf(int64_t rows, TileShape tile) const override;
  Factor columns(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ValueRange loaded) const override;
  Factor row(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer,
             mlir::Value position, int64_t count) const override;
  mlir::Value multiplyAdd(mlir::OpBuilder &builder, mlir::Location loc,
                          const Factor &row, const Factor &columns,
                          mlir::Value sum) const override;

private:
  /// Both terms of each lane of `bits` in one vector, or the second and the
  /// first as f32: the order in which they are summed up.
  Factor takeApart(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value bits) const;

  const Machine &machine;
  bool areMultipliedAtOnce;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_FLOATPAIRS_H
