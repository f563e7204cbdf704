// Which products have terms that follow each other, so that kernels can
// multiply several of them at once.

#ifndef HEDDLE_DIALECTS_KERNEL_TERMRUNS_H
#define HEDDLE_DIALECTS_KERNEL_TERMRUNS_H

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/Kernel.h"

namespace heddle::kernel {

/// Whether the terms of each sum follow each other in what the map `read`
/// reads: there is one summed dimension, without a limit, the map's last but
/// for those of one step.
bool hasTermRuns(ContractOp op, mlir::AffineMap read);

/// Whether both factors are bf16, and sums are in f32.
template <typename Root> bool multipliesPairFactors(Root op) {
  return arePairFactors(op.getLhsElement(), op.getRhsElement()) &&
         op.getSumElement().isF32();
}

/// Whether kernels that multiply pairs may do so of operands that lie as the
/// model has them: of two activations. What is read term by term is the left
/// one, or the right one if it is a single column.
bool mayPairActivations(ContractOp op);
/// The same of a convolution, which may become a product of its points.
bool mayPairActivations(ConvolutionOp op);

/// Whether one dimension has at least `least` rows, as many as are worth matrix
/// registers, where all sizes are known.
bool hasMatrixRows(ContractOp op, int64_t least);
/// The same of a convolution that is a product of its points.
bool hasMatrixRows(ConvolutionOp op, int64_t least);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_TERMRUNS_H
