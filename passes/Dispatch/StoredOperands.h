// The integers behind operands that are numbers in units of a scale.

#ifndef HEDDLE_PASSES_DISPATCH_STOREDOPERANDS_H
#define HEDDLE_PASSES_DISPATCH_STOREDOPERANDS_H

#include "dialects/Prec/Prec.h"
#include "passes/Lower/Weights/WeightPrograms.h"

#include <optional>

namespace heddle {

/// A scale or a zero point: one number, or one for each point of a dimension of
/// its operand.
struct QuantizationParameter {
  mlir::Value tensor;
  std::optional<unsigned> dim;

  /// Whether it is this number everywhere.
  bool isZero() const;
  bool isOne() const;
};

/// A quantized operand as it is stored. `type` has the sign that tensors lose.
struct Stored {
  mlir::Value integers;
  mlir::IntegerType type;
  QuantizationParameter scale, zeroPoint;

  bool isPerTensor() const { return !scale.dim && !zeroPoint.dim; }
};

/// The number that a constant is everywhere, also one whose bytes stay in a
/// file; null if it is none.
mlir::TypedAttr numberEverywhere(mlir::Value value);

/// Finds what operands of roots are the numbers of.
class StoredOperands {
public:
  explicit StoredOperands(WeightPrograms &weights) : weights(weights) {}

  /// What dequantization makes `operand` of: an operation, one behind views, or
  /// the program of a weight. What has to be made for it `b` makes.
  std::optional<Stored> find(mlir::OpBuilder &b, mlir::Value operand);

private:
  std::optional<Stored> findBehindView(mlir::OpBuilder &b, mlir::Value operand);
  std::optional<Stored> findInWeight(mlir::OpBuilder &b,
                                     kernel::WeightOp weight);
  QuantizationParameter parameter(mlir::OpBuilder &b, mlir::Value value,
                                  std::optional<unsigned> dim);
  mlir::Value referenceTo(mlir::OpBuilder &b, mlir::Value program);

  WeightPrograms &weights;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDOPERANDS_H
