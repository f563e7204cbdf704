// What is said of a program whose products were rounded as a caller asked, and
// of products that are parts of others.

#ifndef HEDDLE_SUPPORT_PRECISION_H
#define HEDDLE_SUPPORT_PRECISION_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// On the module: which products have narrower factors than the model says, as
/// people read it: "bf16 in 73 of 75 contractions and convolutions", "w4a16 by
/// blocks of 32 in 48 of 75 contractions and convolutions".
inline constexpr llvm::StringLiteral kPrecisionAttrName = "heddle.precision";

/// On a contraction or convolution of f32: the factors that were decided for
/// it, "bf16", "f16", "w8a16" or "w4a16", until it has them.
inline constexpr llvm::StringLiteral kFactorsAttrName = "heddle.factors";

/// The input of an instrumented program that says for each product that may be
/// changed how its factors are rounded in a call: 0 not at all, else by that
/// number of the formats that it was instrumented for.
inline constexpr llvm::StringLiteral kRoundingInputName = "heddle.rounding";

/// On a contraction: it adds what the minima of a quantized weight make to the
/// product with that weight's integers, and both are one of the model's.
inline constexpr llvm::StringLiteral kMinimaAttrName = "heddle.minima";

} // namespace heddle

#endif // HEDDLE_SUPPORT_PRECISION_H
