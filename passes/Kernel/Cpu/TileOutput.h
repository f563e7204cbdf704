// The way of finished sums from registers to memory.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TILEOUTPUT_H
#define HEDDLE_PASSES_KERNEL_CPU_TILEOUTPUT_H

#include "passes/Kernel/Cpu/PayloadVectorizer.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

namespace heddle {

/// Where in the root's result a tile lies.
struct TilePlace {
  /// The first row of the tile; entries of the column dimensions do not count.
  llvm::SmallVector<mlir::Value> coords;
  /// The dimension along which the tile's rows follow each other; none for a
  /// single row.
  std::optional<unsigned> rowDim;
  /// How far apart they are.
  int64_t rowStep = 1;
  /// Where each row is, if rows do not follow each other along one dimension.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> points;
  /// Columns run over these dimensions, row-major; none for one column.
  llvm::SmallVector<unsigned> columnDims;
  llvm::SmallVector<int64_t> columnExtents;
  mlir::Value firstColumn;
  /// How many of the tile's columns are results; the rest is padding.
  Number columns = 0;
  /// How many of the tile's rows are, if not all: the last may be none.
  mlir::Value rows;
};

/// A tile whose sums rest in memory, row-major from element `base` on.
struct RestingTile {
  mlir::Value buffer, base;
  mlir::Value rows;
};

/// Writes the results of a root: as they are, through the epilogue, or both.
class TileOutput {
public:
  /// `result` is the root's, of which `frame` knows the buffer if it is
  /// returned. `maxTileElements` bounds the tiles to come.
  static mlir::FailureOr<TileOutput>
  create(KernelFrame &frame, mlir::Value result, int64_t maxTileElements);

  /// Emits the stores of a tile; `sums` as RegisterTile has them.
  mlir::LogicalResult store(RegisterTile &tile, mlir::ValueRange sums,
                            const TilePlace &place);
  /// Keeps the sums of one of several tiles, for a loop behind the choice
  /// between them that stores as many rows as the chosen one has.
  void keep(RegisterTile &tile, mlir::ValueRange sums);
  /// The first `rows` rows of the tile that was kept.
  RestingTile kept(mlir::Value rows);
  /// Emits the stores of a tile as wide as `tile`, of any height.
  mlir::LogicalResult store(const RegisterTile &tile,
                            const RestingTile &resting, const TilePlace &place);

private:
  /// `lanes` points from `coords` on along `dim` (one if it is 0), of which
  /// `mask` says which count.
  struct LaneRun {
    llvm::SmallVector<mlir::Value> coords;
    unsigned dim;
    int64_t lanes;
    mlir::Value mask;
  };
  struct Epilogue {
    PayloadVectorizer payload;
    /// For each dimension of the root's result, the loop that walks it.
    llvm::SmallVector<unsigned> loopOfDim;
    /// The generic's operands that are the root's result.
    llvm::SmallVector<unsigned> operands;

    LanePoint pointAt(IndexBuilder &index, const LaneRun &run) const;
  };
  /// Operands of each epilogue that are loaded already.
  using Inputs = llvm::SmallVector<llvm::SmallVector<LaneValue>>;

  TileOutput(KernelFrame &frame, mlir::Value result)
      : frame(frame), result(result) {}

  mlir::LogicalResult addEpilogue(mlir::linalg::GenericOp generic);
  /// Writes `sums`, a scalar if `run` has no lanes.
  mlir::LogicalResult storePoint(mlir::Value sums, const LaneRun &run,
                                 const Inputs &columns);
  void storePlain(mlir::Value sums, const LaneRun &run);
  Inputs loadColumns(const RegisterTile &tile, int64_t v,
                     const TilePlace &place);
  mlir::LogicalResult storeByElement(const RegisterTile &tile,
                                     const RestingTile &resting,
                                     const TilePlace &place);
  /// The vector `v` of the row at `coords`.
  LaneRun columnsAt(const RegisterTile &tile, int64_t v, const TilePlace &place,
                    llvm::SmallVector<mlir::Value> coords);
  /// Emits `body` for each of the tile's vectors with columns that are results.
  mlir::LogicalResult
  forEachVector(const RegisterTile &tile, const TilePlace &place,
                llvm::function_ref<mlir::LogicalResult(int64_t v)> body);
  /// Writes the points of `place` to memory, for `rowAt` of rows that a loop
  /// counts.
  void storePoints(const TilePlace &place);
  /// The coordinates of a row of the tile.
  llvm::SmallVector<mlir::Value> rowAt(const TilePlace &place, mlir::Value row);
  /// Moves `coords` to a column, which counts from the tile's first.
  void setColumn(const TilePlace &place, mlir::Value column,
                 llvm::SmallVector<mlir::Value> &coords);

  KernelFrame &frame;
  mlir::Value result;
  std::vector<Epilogue> epilogues;
  /// The epilogue is too much for all of a tile's accumulators at once.
  bool viaScratch = false;
  mlir::Value scratch, pointTable;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TILEOUTPUT_H
