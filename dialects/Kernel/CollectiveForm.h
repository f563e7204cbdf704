// What collectives of the kernel dialect and of the plan have in common: the
// names of their kinds, and how their groups are written.

#ifndef HEDDLE_DIALECTS_KERNEL_COLLECTIVEFORM_H
#define HEDDLE_DIALECTS_KERNEL_COLLECTIVEFORM_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallSet.h"

namespace heddle::kernel {

/// Whether a kind joins what it is given, and so has a reduction.
inline bool isReducing(llvm::StringRef kind) {
  return kind == "all_reduce" || kind == "reduce_scatter";
}

/// Kinds and reductions are those of `runtime/format/artifact.fbs`, by name. No
/// rank is twice in the groups; in pairs, none is twice on one side.
inline llvm::LogicalResult
verifyCollective(mlir::Operation *op, llvm::StringRef kind,
                 std::optional<llvm::StringRef> reduction,
                 llvm::ArrayRef<int64_t> groups, int64_t groupSize) {
  static constexpr llvm::StringLiteral kinds[] = {
      "all_reduce", "all_gather", "reduce_scatter",
      "all_to_all", "broadcast",  "permute"};
  static constexpr llvm::StringLiteral reductions[] = {
      "sum", "product", "minimum", "maximum", "conjunction", "disjunction"};
  if (!llvm::is_contained(kinds, kind))
    return op->emitOpError() << "has the unknown kind '" << kind << "'";
  if (isReducing(kind) != reduction.has_value())
    return op->emitOpError()
           << "of kind '" << kind << "' "
           << (reduction ? "has a reduction" : "has no reduction");
  if (reduction && !llvm::is_contained(reductions, *reduction))
    return op->emitOpError()
           << "has the unknown reduction '" << *reduction << "'";
  bool pairs = kind == "permute";
  if (groupSize < 1 || groups.size() % groupSize || (pairs && groupSize != 2))
    return op->emitOpError()
           << "has " << groups.size() << " ranks in groups of " << groupSize;
  llvm::SmallSet<int64_t, 16> seen[2];
  for (auto [i, rank] : llvm::enumerate(groups))
    if (rank < 0 || !seen[pairs ? i % 2 : 0].insert(rank).second)
      return op->emitOpError() << "has rank " << rank << " in its groups "
                               << (rank < 0 ? ""
                                   : pairs  ? "twice on one side"
                                            : "twice");
  return mlir::success();
}

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_COLLECTIVEFORM_H
