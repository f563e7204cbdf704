// How much a payload computes for each point: one count for all who weigh
// kernels against each other.

#ifndef HEDDLE_DIALECTS_KERNEL_PAYLOADCOST_H
#define HEDDLE_DIALECTS_KERNEL_PAYLOADCOST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle::kernel {

/// Instructions that an operation of a payload becomes, of a vector or of what
/// takes as long. They are counted the same for all machines: unrolling follows
/// from them, and the order of sums from that. How long one takes is a rate of
/// the machine.
int64_t payloadInstructions(mlir::Operation &op);

/// Instructions of the whole payload.
int64_t payloadInstructions(mlir::linalg::GenericOp generic);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_PAYLOADCOST_H
