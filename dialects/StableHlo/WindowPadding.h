// What lies around the inputs of windows.

#ifndef HEDDLE_DIALECTS_STABLEHLO_WINDOWPADDING_H
#define HEDDLE_DIALECTS_STABLEHLO_WINDOWPADDING_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// Whether windows may leave out what is not an element of the input.
bool skipsPadding(ReduceWindowOp op);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_WINDOWPADDING_H
