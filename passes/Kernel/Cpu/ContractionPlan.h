// How a contraction is divided: register tiles, blocks, what is packed.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONPLAN_H
#define HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONPLAN_H

#include "passes/Kernel/Cpu/ContractionShape.h"
#include "passes/Kernel/Cpu/RowTiles.h"

namespace heddle {

struct ContractionPlan {
  /// Elements of a vector.
  int64_t lanes = 0;
  TileShape tileShape;
  /// The rows of the dimension that tiles are cut from.
  RowSplit split;
  /// The same where a call says how many there are, of at most `split.bigRows`.
  SizedRows sizedRows;
  /// How many tiles these are.
  Extent rowTiles = 0;
  /// What a tile of the grid is, and how deep it goes at once.
  ContractionBlocks blocks;
  /// Groups of columns, each as wide as a register tile.
  Extent columnGroups = 1;
  /// A group's columns are copied to a panel before they are read.
  bool packs = false;
  /// Operands are copied as f32 before they meet: both terms of a pair, the
  /// second one first.
  bool widens = false;
  /// Sums are held in matrix registers.
  bool fillsMatrices = false;
  /// Rows that go by in these are copied, for the first group, so that a
  /// product reads them in one piece for the others.
  bool copiesRows = false;
  /// What goes by is more than stays in the first cache.
  bool passesBy = false;
  /// The work is so little that loops are not written out.
  bool isSmall = false;
  /// Depth dimensions as tiles read them: of the packed copy if there is one.
  llvm::SmallVector<ContractionDim> depth;

  /// Whether tiles have several heights, whose sums meet in memory: what
  /// follows them is there once.
  bool meetsInMemory() const {
    return sizedRows.rows.isSized() && !sizedRows.haveOneHeight();
  }
  int64_t groupColumns() const { return tileShape.vectors * lanes; }
};

/// Divides `shape`, whose sums are of the type `accumulator`, for the machine
/// of `frame`, and tells the frame how much work is expected.
ContractionPlan planContraction(KernelFrame &frame,
                                const ContractionShape &shape,
                                mlir::Type accumulator);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONPLAN_H
