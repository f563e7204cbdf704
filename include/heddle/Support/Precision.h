// What products of f32 may become where a caller asks for fewer bits, by name,
// and what is said of programs in which they did.

#ifndef HEDDLE_SUPPORT_PRECISION_H
#define HEDDLE_SUPPORT_PRECISION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <string>

namespace heddle {

/// What the factors of a product of f32 may become, the model's own type first:
/// a choice is a place in this list, and so is a number of `heddle.rounding`.
/// Of `w8a16` and `w4a16` the second factor is a weight of integers with scales
/// by blocks; of `w8a8` it is one of bytes with a scale for each output
/// channel, and the first factor has bytes, too, in units of one scale.
inline constexpr std::array<llvm::StringLiteral, 6> kFactorTypes = {
    "f32", "bf16", "f16", "w8a16", "w4a16", "w8a8"};

/// The place of `w8a8`.
inline constexpr unsigned kBytesChoice = 5;

/// What leaves the choice to time and an error budget.
inline constexpr llvm::StringLiteral kAnyFactorType = "auto";

/// Names for messages about another one: "bf16, f16 or f32", `last` behind
/// `names`, or the last of these if it is empty.
inline std::string alternatives(llvm::ArrayRef<llvm::StringLiteral> names,
                                llvm::StringRef last = "") {
  if (last.empty()) {
    last = names.back();
    names = names.drop_back();
  }
  std::string text;
  for (llvm::StringRef name : names)
    text += (text.empty() ? "" : ", ") + name.str();
  return text + " or " + last.str();
}

/// On the module: which products have narrower factors than the model says, as
/// people read it: "bf16 in 73 of 75 contractions and convolutions", "w4a16 by
/// blocks of 32 in 48 of 75 contractions and convolutions".
inline constexpr llvm::StringLiteral kPrecisionAttrName = "heddle.precision";

/// On a contraction or convolution of f32: the factors that were decided for
/// it, one of `kFactorTypes` behind the first, until it has them.
inline constexpr llvm::StringLiteral kFactorsAttrName = "heddle.factors";

/// Beside the factors `w8a8`: what the bytes of the first one, which have no
/// signs, stand for, (byte - zero point) * scale. The scale is an f32.
inline constexpr llvm::StringLiteral kFirstScaleAttrName = "heddle.first_scale";
inline constexpr llvm::StringLiteral kFirstZeroPointAttrName =
    "heddle.first_zero_point";

/// The input of an instrumented program that says for each product that may be
/// changed how its factors are rounded in a call: 0 not at all, else by that
/// number of the formats that it was instrumented for.
inline constexpr llvm::StringLiteral kRoundingInputName = "heddle.rounding";

/// Behind that, where `w8a8` is one of the formats, f32 [products, 2]: scale
/// and zero point of each product's first factor as bytes.
inline constexpr llvm::StringLiteral kFirstScalesInputName =
    "heddle.first_scales";

/// A result of the same program, f32 [products, 2]: the least and the largest
/// number of each product's first factor, zeros where the product cannot have
/// `w8a8`.
inline constexpr llvm::StringLiteral kExtremesOutputName = "heddle.extremes";

/// On a contraction: it adds what the minima of a quantized weight make to the
/// product with that weight's integers, and both are one of the model's.
inline constexpr llvm::StringLiteral kMinimaAttrName = "heddle.minima";

} // namespace heddle

#endif // HEDDLE_SUPPORT_PRECISION_H
