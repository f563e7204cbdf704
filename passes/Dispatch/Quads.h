// Which products of bytes kernels take in fours of terms (PackingFacts::quads).

#ifndef HEDDLE_PASSES_DISPATCH_QUADS_H
#define HEDDLE_PASSES_DISPATCH_QUADS_H

#include "dialects/Kernel/Kernel.h"
#include "heddle/Target/DispatchFacts.h"

namespace heddle {

/// Whether the right-hand side, if it is a weight, can be read in quads: four
/// terms of each sum must follow each other on the left.
bool readsQuads(kernel::ContractOp op, const PackingFacts &facts);
/// The same of a filter, whose input channels come in fours. No kernel over
/// images of open sizes does.
bool readsQuads(kernel::ConvolutionOp op, const PackingFacts &facts);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_QUADS_H
