// What may become of the factors of a product of f32, by name.

#ifndef HEDDLE_PASSES_PRECISION_FACTORFORMAT_H
#define HEDDLE_PASSES_PRECISION_FACTORFORMAT_H

#include "passes/Precision/WeightIntegers.h"

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Either both factors have a narrower float type, or the second one is a
/// weight of integers with scales, and the first one stays.
struct FactorFormat {
  /// "bf16", "f16", "w8a16" or "w4a16"; nothing for another name.
  static std::optional<FactorFormat> parse(llvm::StringRef name,
                                           mlir::MLIRContext *context);
  /// For messages about a name that is none of these.
  static constexpr llvm::StringLiteral kNames = "bf16, f16, w8a16 or w4a16";

  std::string name;
  mlir::FloatType type; ///< Null where weights have integers.
  IntegerFormat weights;

  /// Bits of a number of each factor, with its share of a block's scale.
  double bitsOf(unsigned factor) const;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_FACTORFORMAT_H
