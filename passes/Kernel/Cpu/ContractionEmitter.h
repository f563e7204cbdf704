// What emits contractions, tile by tile of the grid.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONEMITTER_H
#define HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONEMITTER_H

#include "passes/Kernel/Cpu/ContractionPlan.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/MatrixTile.h"
#include "passes/Kernel/Cpu/PanelPacking.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/TileOutput.h"

namespace heddle {

/// Emits one contraction, over panels of the right-hand side, with what follows
/// it in the kernel.
class ContractionEmitter {
public:
  /// `root` is the result that holds the sums of `given`.
  ContractionEmitter(KernelFrame &frame, mlir::OpResult root,
                     ContractionShape given)
      : frame(frame), root(root), loc(root.getLoc()), shape(std::move(given)),
        index(frame.builder, loc),
        accumulator(mlir::cast<mlir::RankedTensorType>(root.getType())
                        .getElementType()) {}

  /// Emits all tiles, and finishes the frame.
  mlir::LogicalResult emit();

private:
  /// The columns of one register tile.
  struct Group {
    mlir::Value number;
    Number columns;
    int64_t vectors;
  };
  /// The rows of the grid's tile: row tiles [begin, end).
  struct RowRange {
    mlir::Value begin, end;
    /// The columns of what follows that each pass over the rows fetches, null
    /// where none are.
    std::optional<Number> share = std::nullopt;
  };

  /// Terms of a row, where a call does not say how many there are.
  int64_t rowTerms() const {
    return shape.depthCount().bound() * shape.perStep + shape.rest.bound();
  }

  /// Whether sums rest in memory between blocks of the depth.
  bool isBlocked() const {
    return plan.blocks.depthBlock < shape.depthCount().bound();
  }

  void resolveLimits();

  //===--- A group of columns, for some rows ------------------------------===//

  std::optional<Number> shareOfPass(RowRange rows);
  mlir::LogicalResult emitGroup(const Group &group, RowRange rows);
  /// Rows that are computed together: `height` from `first` on, `inTile` after
  /// the first of the row tile `number`.
  struct Rows {
    mlir::Value number, first;
    int64_t height;
    mlir::Value inTile;
    /// How many of them there are, if not all.
    mlir::Value count;
  };
  mlir::LogicalResult emitAtOnce(const Group &group, RowRange rows);
  mlir::LogicalResult emitInBlocks(const Group &group, RowRange rows);
  RegisterTile tileOf(const Group &group, int64_t height);
  /// What is fetched during the steps from `low` to `high` over some rows.
  std::optional<TilePrefetch> prefetchOf(const TileRhs &rhs, const Rows &these,
                                         RowRange rows, mlir::Value low,
                                         mlir::Value high);
  /// Past the last step of the depth.
  mlir::Value endOfDepth();
  using RowsBody = llvm::function_ref<void(const Rows &rows)>;
  /// Emits `body` for each row tile of the range.
  void emitRowTiles(
      RowRange range,
      llvm::function_ref<void(mlir::Value number, mlir::Value inner)> body);
  /// Emits `body` for the row tile `number`, `inner` of one outer row: whole,
  /// for each height that it may have, or row by row where it is cut off.
  void emitHeights(mlir::Value number, mlir::Value inner, RowsBody body);
  /// The row tile `number` of whichever height that a call makes it.
  Rows rowsOf(mlir::Value number, mlir::Value inner);
  /// `sums` and the products from `low` to `high` of the depth.
  llvm::SmallVector<mlir::Value> sumUp(RegisterTile &tile, TileLhs lhs,
                                       TileRhs rhs, mlir::Value low,
                                       mlir::Value high, mlir::ValueRange sums,
                                       const TilePrefetch *prefetch);
  /// The same over several dimensions, of which each runs to its limit.
  llvm::SmallVector<mlir::Value> sumUpOuter(RegisterTile &tile, TileLhs lhs,
                                            TileRhs rhs,
                                            llvm::ArrayRef<ContractionDim> dims,
                                            llvm::ArrayRef<mlir::Value> limits,
                                            mlir::ValueRange sums);
  /// How far a dimension of the depth runs.
  mlir::Value endOf(const ContractionDim &dim, mlir::Value limit) {
    return limit ? limit : valueOf(dim.extent);
  }
  mlir::Value valueOf(const Extent &extent) {
    return index.valueOf(frame.numberOf(extent));
  }

  //===--- Operands and results of a tile ---------------------------------===//

  TileRhs rhsOf(const Group &group);
  /// The same of what is not widened, in memory or in the panel.
  TileRhs storedRhsOf(const Group &group);
  /// From a step of the depth to the next one there.
  Number storedStep();
  /// `stored` so that its step number `depthCount` is what is behind the last
  /// whole one. A copied panel has that at its end.
  TileRhs restOf(TileRhs stored);
  /// Copies what tiles read of the group from `low` to `high` of the depth, and
  /// what is behind its last whole step, if they read copies.
  void prepareGroup(const Group &group, mlir::Value low, mlir::Value high);
  void prepareRest(const Group &group);
  /// Where a group's columns begin in panels that are `panelStride` elements
  /// apart, `perStep` of them in a column and step, and how far its vectors are
  /// from there.
  mlir::Value placeInPanels(const Group &group, int64_t panelStride,
                            int64_t perStep,
                            llvm::SmallVectorImpl<int64_t> &vectors);
  TileScales scalesOf(const Group &group);
  /// Copies the group's columns, from `low` to `high` of the depth, to the
  /// panel.
  void packGroup(const Group &group, mlir::Value low, mlir::Value high);
  /// Copies what is behind the last whole step to the panel's end.
  void packRest(const Group &group);
  /// Where that is.
  int64_t restPlace() const {
    return plan.blocks.depthBlock * plan.groupColumns() * shape.perStep;
  }
  PanelSource panelSourceOf(const Group &group);
  /// What the sums of rows begin with: zeros, or the products behind the last
  /// whole step. `rhs` is that of the first step.
  llvm::SmallVector<mlir::Value> startOf(RegisterTile &tile, const Rows &rows,
                                         TileRhs rhs);
  /// lhs and coordinates of rows.
  TileLhs lhsOf(const Rows &rows);
  TileLhs storedLhsOf(const Rows &rows);

  //===--- In matrix registers --------------------------------------------===//

  /// Terms of a product's row, and whole products of the depth.
  int64_t matrixTerms() const { return matrixSteps * shape.perStep; }
  int64_t wholeProducts() const {
    return shape.depthCount().bound() / matrixSteps;
  }
  /// Steps behind the last whole product, the last of which may lack terms.
  int64_t restSteps() const {
    return shape.depthCount().bound() % matrixSteps + !shape.rest.is(0);
  }
  /// Whole products between two visits of the sums' memory, and how many such
  /// blocks the depth has.
  int64_t blockProducts() const { return plan.blocks.depthBlock / matrixSteps; }
  int64_t depthBlocks() const {
    return wholeProducts() ? llvm::divideCeil(wholeProducts(), blockProducts())
                           : 1;
  }
  int64_t sumsOfTile() const {
    return plan.tileShape.rows * plan.groupColumns();
  }
  void allocateMatrixScratch();
  /// A tile of rows and columns, how many rows it has, and the products of a
  /// block of the depth.
  struct MatrixPart {
    Group group;
    Rows rows;
    mlir::Value height, firstProduct, products;
  };
  /// Emits the groups like `like` from `begin` to `end`, for all `rows`.
  mlir::LogicalResult emitInMatrices(mlir::Value begin, mlir::Value end,
                                     Group like, RowRange rows);
  /// The tile `number` of rows for the whole depth.
  MatrixPart matrixPartOf(Group group, mlir::Value number);
  void takeBlock(MatrixPart &part, mlir::Value block);
  /// What is visited as the `visit`-th of `groups` like `like` from `begin` on.
  MatrixPart matrixPartAt(mlir::Value visit, mlir::Value begin,
                          mlir::Value groups, Group like, RowRange rows);
  /// Where the sums of the visit rest that follows one whose rest at `place`.
  mlir::Value nextResting(mlir::Value place, RowRange rows);
  /// Readies the registers for the sums of `part`: they begin with what is
  /// behind the last whole product, or with those of the block of the depth
  /// before. Theirs rest at `place` afterwards.
  void beginMatrices(MatrixTile &tile, const MatrixPart &part, RowRange rows,
                     mlir::Value place);
  /// Tells the processor the height of `part`, where it knows another one.
  void configureFor(MatrixTile &tile, const MatrixPart &part,
                    mlir::Value configured);
  /// Asks for a part of the next group's panel: each pass over the rows for its
  /// share, each product for a share of that.
  void fetchNextPanel(const MatrixPart &part, RowRange rows,
                      mlir::Value product);
  /// The product number `product` of the depth. Where rows are copied at all,
  /// `copiesNow` says whether this product does so, or reads the copies.
  void multiplyMatrices(MatrixTile &tile, const MatrixPart &part, RowRange rows,
                        mlir::Value product, mlir::Value copiesNow);
  MatrixLhs copiesOf(const MatrixPart &part, RowRange rows,
                     mlir::Value product);
  bool haveOneHeight() const { return plan.split.smallCount == 0; }
  /// How many rows of a tile are finished beside each product of the next one.
  int64_t rowsBesideProduct() const;
  /// Writes so many rows of the sums of `part`, which rest from `base` on, with
  /// what follows them: those from `first` on, as far as there are.
  mlir::LogicalResult finishRows(const MatrixPart &part, mlir::Value base,
                                 mlir::Value first);
  /// Multiplies what rows and columns have behind the last whole product, of
  /// which it makes copies with zeros after it.
  void multiplyRest(MatrixTile &tile, const MatrixPart &part, RowRange rows);
  void copyRowRest(const MatrixPart &part);
  void copyColumnRest(const Group &group);

  //===--- Copies in f32 --------------------------------------------------===//

  mlir::Value widePlaceOf(const Rows &rows);
  void widenRows(RowRange range);
  void widenGroup(const Group &group, mlir::Value low, mlir::Value high);
  void widenRest(const Group &group);
  /// Copies the columns of the step at `position` to `target` of the panel.
  void widenStep(const TileRhs &stored, mlir::Value position,
                 mlir::Value target);
  llvm::SmallVector<mlir::Value> startOfWide(RegisterTile &tile,
                                             const Rows &rows, TileRhs rhs);
  /// Where the sums of rows rest between blocks of the depth.
  mlir::Value restingPlace(const Rows &rows, RowRange range);
  TilePlace placeOf(const Group &group, const Rows &rows);
  /// Where the row tile `number` is in the outer rows.
  llvm::SmallVector<mlir::Value> outerRowsAt(mlir::Value number);

  KernelFrame &frame;
  mlir::OpResult root;
  mlir::Location loc;
  ContractionShape shape;
  IndexBuilder index;
  mlir::Type accumulator;
  ContractionPlan plan;
  mlir::Value lhsBuffer, rhsBuffer, panel, partialSums;
  /// Copies in f32: the rows of the grid's tile, and a panel.
  mlir::Value wideRows, widePanel;
  /// What the processor is told of matrix registers, and what is behind the
  /// last whole product of rows and columns.
  mlir::Value matrixConfiguration, rowRest, columnRest;
  /// The sums of all tiles of rows between blocks of the depth, and of one
  /// more: while those of one are made, what follows another's is done.
  mlir::Value matrixSums;
  /// Rows of the grid's tile as products read them, product after product.
  mlir::Value rowCopies;
  /// How far dimensions run in this launch, null where to their extent.
  llvm::SmallVector<mlir::Value> outerLimits, outerRowLimits, depthLimits;
  mlir::Value rowLimit, columnLimit;
  /// Where the grid's current tile starts in the operands and the result.
  mlir::Value lhsBase, rhsBase;
  /// The first of its row tiles.
  mlir::Value firstTile;
  llvm::SmallVector<mlir::Value> coords;
  std::optional<TileOutput> output;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONTRACTIONEMITTER_H
