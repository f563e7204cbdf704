// Which ops run as one kernel.

#ifndef HEDDLE_PASSES_DISPATCH_DISPATCHGROUPS_H
#define HEDDLE_PASSES_DISPATCH_DISPATCHGROUPS_H

#include "dialects/Size/Expression.h"
#include "heddle/Target/DispatchFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// Ops that become one dispatch, in the order of their block.
using DispatchGroup = llvm::SmallVector<mlir::Operation *>;

/// Ops that every reader has its own copy of (constants, fills, empty tensors,
/// numbers read out of a tensor, weights that kernels dequantize).
bool isDuplicated(mlir::Operation *op);
/// Ops that stay outside dispatches: they cost nothing (reshapes, references
/// to weights) or are the structure of the program.
bool staysOutside(mlir::Operation *op);

/// Divides the ops of a block into groups, such that all of a group can run at
/// once: no path leads from one of them to another by way of a third group.
class DispatchGroups {
public:
  DispatchGroups(mlir::Block &block, const FusionFacts &facts);

  llvm::SmallVector<DispatchGroup> take() { return std::move(groups); }

private:
  void formRoots();
  void formRows();
  void formRest();

  void assign(llvm::ArrayRef<mlir::Operation *> ops);
  bool isFree(mlir::Operation *op) const;
  /// Whether no op with an effect stands between the two: a group over one
  /// would have to run before it and after it.
  bool inOnePiece(mlir::Operation *a, mlir::Operation *b) const {
    return pieceOf.lookup(a) == pieceOf.lookup(b);
  }
  /// The op of the block that `op` is, or is nested in.
  mlir::Operation *inBlock(mlir::Operation *op) const;
  /// Whether `op` could join `group`.
  bool mayJoin(const llvm::SetVector<mlir::Operation *> &group,
               mlir::Operation *op);
  void growRows(llvm::SetVector<mlir::Operation *> &group,
                llvm::ArrayRef<size::Expression> rows);

  /// Marks the ops from `first` to `last`, places in the block, as spanned by a
  /// group.
  void span(unsigned first, unsigned last);
  /// The last place of the block from which a path may lead back to `place`:
  /// paths lead back only through groups that span both.
  unsigned lastBefore(unsigned place);

  mlir::Block &block;
  const FusionFacts &facts;
  llvm::SmallVector<DispatchGroup> groups;
  /// The place of each op in the block.
  llvm::DenseMap<mlir::Operation *, unsigned> placeOf;
  /// A place's own number where no group spans the step to the next place, else
  /// a later place of the same groups.
  llvm::SmallVector<unsigned> later;
  llvm::DenseMap<mlir::Operation *, unsigned> groupOf;
  /// How many ops with effects stand before an op, if any do.
  llvm::DenseMap<mlir::Operation *, unsigned> pieceOf;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_DISPATCHGROUPS_H
