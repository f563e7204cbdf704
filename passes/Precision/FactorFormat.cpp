// The formats of factors.

#include "passes/Precision/FactorFormat.h"

#include "heddle/Support/Precision.h"

using namespace mlir;
using namespace heddle;

/// Of a block's scale, a bf16.
static constexpr double kScaleBits = 16;

std::optional<FactorFormat> FactorFormat::parse(llvm::StringRef name,
                                                MLIRContext *context) {
  FactorFormat format;
  format.name = name.str();
  if (name == "bf16")
    format.type = BFloat16Type::get(context);
  else if (name == "f16")
    format.type = Float16Type::get(context);
  else if (name == "w8a16")
    format.weights.bits = 8;
  else if (name == "w4a16")
    format.weights.bits = 4;
  else if (name == "w8a8")
    format.isBytes = true;
  else
    return std::nullopt;
  return format;
}

std::string FactorFormat::names() {
  return alternatives(llvm::ArrayRef(kFactorTypes).drop_front());
}

double FactorFormat::bitsOf(unsigned factor) const {
  if (isBytes)
    return 8;
  if (type)
    return FloatType(type).getWidth();
  return factor == 0 ? 32 : weights.bits + kScaleBits / weights.block;
}
