// Slices of known sizes beside sizes that calls choose.

#ifndef HEDDLE_DIALECTS_STABLEHLO_SLICEPARTS_H
#define HEDDLE_DIALECTS_STABLEHLO_SLICEPARTS_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// Whether `op` takes of a dimension of a known size the first of several equal
/// parts, where a dimension other than the outermost is of an open size.
bool isFirstOfParts(SliceOp op, int64_t dimension);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_SLICEPARTS_H
