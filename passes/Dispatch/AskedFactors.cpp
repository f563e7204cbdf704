// What a model asks its products to multiply.

#include "passes/Dispatch/AskedFactors.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;

std::string heddle::askedFactors(Attribute given) {
  auto algorithm = dyn_cast_or_null<stablehlo::DotAlgorithmAttr>(given);
  if (!algorithm ||
      algorithm.getLhsPrecisionType() != algorithm.getRhsPrecisionType() ||
      algorithm.getLhsComponentCount() != 1 ||
      algorithm.getRhsComponentCount() != 1)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << algorithm.getLhsPrecisionType();
  if (algorithm.getNumPrimitiveOperations() != 1)
    stream << 'x' << algorithm.getNumPrimitiveOperations();
  return text;
}

std::string heddle::askedFactors(Attribute scores, Attribute values) {
  std::string factors = askedFactors(scores);
  return factors == askedFactors(values) ? factors : "";
}
