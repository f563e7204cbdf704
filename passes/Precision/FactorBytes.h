// Both factors of a product as bytes (`w8a8`), which kernels multiply and sum
// up exactly.

#ifndef HEDDLE_PASSES_PRECISION_FACTORBYTES_H
#define HEDDLE_PASSES_PRECISION_FACTORBYTES_H

#include "passes/Precision/WeightIntegers.h"

#include <cstdint>

namespace heddle {

/// What the bytes of a first factor, 0 to 255, stand for:
/// (byte - zeroPoint) * scale.
struct ByteScale {
  float scale = 1;
  uint8_t zeroPoint = 0;

  bool operator==(const ByteScale &other) const {
    return scale == other.scale && zeroPoint == other.zeroPoint;
  }
};

/// From where to where the numbers of a first factor are, zero among them.
struct FactorRange {
  double least = 0, largest = 0;

  /// Takes in a number. Where one is NaN, the range is.
  void add(double number);
  /// The scale whose bytes reach from end to end, zero exactly one of them;
  /// NaN where an end is not finite.
  ByteScale scale() const;
};

/// The dimension of the second factor of `product` whose points, output
/// channels, have a scale each, if kernels multiply both factors as bytes:
/// nothing if the second is no weight, if the terms of a sum do not come in
/// fours that follow each other in the first, if 32 bits may not hold the sum,
/// or if the product is part of a loop or a branch, where nothing tells the
/// range of its first factor.
std::optional<int64_t> channelAxis(mlir::Operation *product);

/// Makes each value bytes once for all that multiply it so.
class ByteQuantizer {
public:
  /// Makes both factors of `product` numbers that bytes stand for. `axis` is
  /// its `channelAxis`.
  void quantize(mlir::Operation *product, int64_t axis, const ByteScale &scale);

private:
  mlir::Value first(mlir::Value value, const ByteScale &scale);

  WeightQuantizer weights;
  llvm::DenseMap<mlir::Value,
                 llvm::SmallVector<std::pair<ByteScale, mlir::Value>, 1>>
      known;
};

/// `value`, numbers of f32, as bytes by a scale, f32, and a zero point, ui8,
/// and these as numbers again.
mlir::Value roundedToBytes(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value value, mlir::Value scale,
                           mlir::Value zeroPoint);

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_FACTORBYTES_H
