// What may become of the factors of a product of f32, by name.

#ifndef HEDDLE_PASSES_PRECISION_FACTORFORMAT_H
#define HEDDLE_PASSES_PRECISION_FACTORFORMAT_H

#include "passes/Precision/WeightIntegers.h"

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Either both factors have a narrower float type, or the second one is a
/// weight of integers with scales, and the first one stays, or both have bytes.
struct FactorFormat {
  /// By a name of `kFactorTypes` behind the first; nothing for another one.
  static std::optional<FactorFormat> parse(llvm::StringRef name,
                                           mlir::MLIRContext *context);
  /// For messages about a name that is none of these.
  static std::string names();

  std::string name;
  mlir::FloatType type; ///< Null where weights have integers.
  IntegerFormat weights;
  /// Both factors have bytes (FactorBytes.h).
  bool isBytes = false;

  /// Bits of a number of each factor, with its share of a block's scale.
  double bitsOf(unsigned factor) const;
};

} // namespace heddle

#endif // HEDDLE_PASSES_PRECISION_FACTORFORMAT_H
