// How far the loops of generics and roots truly run.

#ifndef HEDDLE_DIALECTS_KERNEL_TRUELOOPS_H
#define HEDDLE_DIALECTS_KERNEL_TRUELOOPS_H

#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/Expression.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle::kernel {

/// A tensor and the map by which loops walk it.
using WalkedTensor = std::pair<mlir::AffineMap, mlir::RankedTensorType>;

/// The true extent of each loop, by the tensors that it indexes by itself. One
/// of a constant size may be longer than the loop, and so may one that has a
/// larger bound, of which the first part is walked then. Nothing where two
/// tensors disagree, or where a loop walks a sized dimension and no tensor
/// tells how far.
std::optional<llvm::SmallVector<size::Expression>>
trueLoops(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> bounds,
          llvm::ArrayRef<WalkedTensor> walked);

/// The same of a generic.
std::optional<llvm::SmallVector<size::Expression>>
trueLoops(mlir::linalg::GenericOp op);

/// Whether the loops of a generic may end before a dimension of fixed size does
/// that they walk of `operand`: it reads only a part of what is there.
bool mayWalkPart(mlir::OpOperand &operand);

/// The keys of an attention, where they lie in a tensor with room for more and
/// the operation says how many there are.
std::optional<WalkedTensor> walkedKeys(AttentionOp op);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_TRUELOOPS_H
