// What emits kernel.attention, block by block of rows.

#ifndef HEDDLE_PASSES_KERNEL_CPU_ATTENTIONEMITTER_H
#define HEDDLE_PASSES_KERNEL_CPU_ATTENTIONEMITTER_H

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/RowTiles.h"
#include "passes/Kernel/Cpu/TileOutput.h"

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// The scores of a block of rows against all keys stay in the worker's scratch
/// memory, where they become probabilities and meet the values.
class AttentionEmitter {
public:
  AttentionEmitter(KernelFrame &frame, kernel::AttentionOp op)
      : frame(frame), op(op), loc(op.getLoc()), index(frame.builder, loc),
        element(mlir::cast<mlir::RankedTensorType>(op.getResult().getType())
                    .getElementType()),
        lanes(accumulatorLanes(element)),
        vectorType(mlir::VectorType::get({lanes}, element)) {}

  mlir::LogicalResult emit();

private:
  /// An operand: its buffer, and its strides over the iteration dimensions.
  struct Operand {
    mlir::Value buffer;
    TrueAccess access;
    /// The position of the grid's current batch element.
    mlir::Value base;
  };
  /// A register tile of rows: their number in the block gives their place in
  /// scratch memory.
  struct Rows {
    mlir::Value first;
    int64_t height = 0;
    /// How many of them there are, if not all.
    mlir::Value count;
    mlir::Value scores;
    mlir::Value inverses;
    /// The first of the keys that the rows see, at the start of a panel, and
    /// past the last one, also in whole panels.
    mlir::Value firstKey, keys, paddedKeys;
  };

  mlir::LogicalResult readExtents();
  mlir::LogicalResult bindOperands();
  void choose();
  /// Whether the grid's current tile has anything within the limits, of which
  /// that of rows ends the tile; null if it always has.
  mlir::Value applyLimits();
  mlir::LogicalResult emitTile();
  /// What is known of a tile's rows but their height; `slot` is how many rows
  /// of the block are before them in scratch memory.
  Rows rowsAt(mlir::Value slot, mlir::Value first, mlir::Value end);
  /// Whether tiles have several heights, whose results meet in memory.
  bool meetsInMemory() const {
    return m.isSized() && !sizedRows.haveOneHeight();
  }
  /// Emits `body` for each height that a tile can have; where there are
  /// several, `finish` behind them, if it is any, for the tile of whichever
  /// height it is.
  void forEachTile(llvm::function_ref<void(const Rows &)> body,
                   llvm::function_ref<void(const Rows &rows, mlir::Value count)>
                       finish = {});
  /// Emits `body` for a row of a tile: where a call says how many there are,
  /// once for tiles of any height.
  void
  forEachRow(llvm::function_ref<void(const Rows &rows, mlir::Value r)> body);
  /// Whether the keys that a row sees are known only when the kernel runs.
  bool boundsKeys() { return op.getCausal() || op.getLengths(); }
  void readLength();
  mlir::Value position(mlir::Value row);
  /// The first row of a row tile, which may be past the last.
  mlir::Value firstRowOf(mlir::Value number);
  mlir::Value valueOf(const Extent &extent) {
    return index.valueOf(frame.numberOf(extent));
  }
  mlir::Value keysOf(mlir::Value rowEnd);
  mlir::Value firstKeyOf(mlir::Value row);
  mlir::Value padded(mlir::Value keys);
  mlir::Value laneCompare(mlir::arith::CmpIPredicate predicate,
                          mlir::Value bound);

  void emitScores(mlir::Value keys);
  /// Copies `count` keys to the panel.
  void copyKeys(mlir::Value firstKey, const Number &count);
  /// The scores against the panel's keys.
  void emitScoreTiles(mlir::Value firstKey);
  mlir::Value finishScore(mlir::Value sum, mlir::Value row,
                          mlir::Value firstKey, const Number &count);
  void emitSoftmax();
  mlir::Value sinkVector();
  void storeLogarithm(mlir::Value row, mlir::Value largest, mlir::Value total);
  mlir::LogicalResult emitOutput(mlir::Value keys);
  mlir::LogicalResult emitOutputGroup(mlir::Value firstColumn, int64_t columns,
                                      mlir::Value keys);
  mlir::Value combineLanes(
      mlir::Value vector,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value constant(double value);

  KernelFrame &frame;
  kernel::AttentionOp op;
  mlir::Location loc;
  IndexBuilder index;
  mlir::Type element;
  int64_t lanes, elementBytes = 0;
  mlir::VectorType vectorType;

  unsigned numBatch = 0;
  /// Extents: rows, keys, and the depths of the two products.
  llvm::SmallVector<Extent> batchExtents;
  Extent m, n;
  int64_t d = 0, e = 0;
  Operand query, key, value, mask, lengths, sink;
  mlir::Value logarithms;
  std::optional<TileOutput> output;

  int64_t vectors = 1;
  RowSplit split;
  /// As in ContractionPlan.
  SizedRows sizedRows;
  Extent rowTiles;
  int64_t blockTiles = 1;
  /// From a row's scores to the next one's.
  Number scoreStride = 0;
  bool packsValues = true;
  mlir::Value scores, inverses, keyPanel, valuePanel;

  // Of the grid's current tile.
  mlir::Value tileBegin, tileEnd;
  llvm::SmallVector<mlir::Value> batch;
  /// How many keys there are, and the first that one of the rows sees, at the
  /// start of a panel.
  mlir::Value length, blockFirstKey;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ATTENTIONEMITTER_H
