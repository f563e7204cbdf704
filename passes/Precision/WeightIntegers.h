// Weights as integers in units of scales by blocks.

#ifndef HEDDLE_PASSES_PRECISION_WEIGHTINTEGERS_H
#define HEDDLE_PASSES_PRECISION_WEIGHTINTEGERS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <tuple>

namespace heddle {

/// What a weight's numbers become.
struct IntegerFormat {
  int64_t bits = 8;
  /// Terms of a column that share a scale, a bf16.
  int64_t block = 32;

  /// What is wrong with it; empty if kernels read it.
  std::string problem() const;
};

/// The dimension of the second factor of `product` that sums run over, if
/// kernels read that factor as integers of `format`: nothing if it is no weight
/// and matrix, or if the terms do not follow each other in the first factor.
std::optional<int64_t> weightAxis(mlir::Operation *product,
                                  const IntegerFormat &format);

/// Whether `value` is a weight that the packer computes from a constant of
/// about its size, in a few operations, and that is not made of numbers of few
/// bits: those are not rounded again.
bool isWeight(mlir::Value value);

/// A weight in parts, programs that the packer evaluates. The zero points are
/// zero.
struct WeightIntegers {
  mlir::Value integers, scales, zeroPoints;
  /// The dimension along which scales vary. With a block of 0 there is one for
  /// each of its points, otherwise one for so many of them.
  int64_t axis = 0, block = 0;

  /// The numbers that `integers`, or others in their place, stand for in f32.
  mlir::Value dequantized(mlir::OpBuilder &builder, mlir::Value integers) const;
};

/// Makes each form of a weight once for all that multiply it so.
class WeightQuantizer {
public:
  WeightIntegers integersOf(mlir::Value weight, int64_t axis,
                            const IntegerFormat &format);
  /// The numbers that these integers stand for.
  mlir::Value quantized(mlir::Value weight, int64_t axis,
                        const IntegerFormat &format);

  /// The weight as bytes with a scale, an f32, for each point of `axis`.
  WeightIntegers channelsOf(mlir::Value weight, int64_t axis);
  /// The numbers that these bytes stand for.
  mlir::Value byChannels(mlir::Value weight, int64_t axis);

private:
  struct Form {
    WeightIntegers parts;
    mlir::Value value;
  };
  Form &formOf(mlir::Value weight, int64_t axis, int64_t bits, int64_t block);
  static mlir::Value valueOf(Form &form);

  using Key = std::tuple<mlir::Value, int64_t, int64_t, int64_t>;
  llvm::DenseMap<Key, Form> forms;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_WEIGHTINTEGERS_H
