// How far a root runs whose epilogue masks what lies beyond.

#ifndef HEDDLE_PASSES_DISPATCH_EPILOGUELIMITS_H
#define HEDDLE_PASSES_DISPATCH_EPILOGUELIMITS_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Drops the limits of `root` that `epilogue`, which runs on its tiles, may not
/// have: all but those of sums, where the epilogue gives something that counts
/// at points that the root leaves out.
void dropMaskedLimits(kernel::ContractOp root,
                      mlir::linalg::GenericOp epilogue);
/// The same of an attention, whose limits are all of its results.
void dropMaskedLimits(kernel::AttentionOp root,
                      mlir::linalg::GenericOp epilogue);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_EPILOGUELIMITS_H
