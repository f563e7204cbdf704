// The launch that a call to a registered function becomes.

#ifndef HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H
#define HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle {

/// Makes a launch of a function without a body out of a lowered call.
void outlineCustomCall(stablehlo::CustomCallOp op);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_OUTLINECUSTOMCALL_H
