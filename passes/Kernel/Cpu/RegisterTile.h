// A block of results held in vector registers while it is summed up.

#ifndef HEDDLE_PASSES_KERNEL_CPU_REGISTERTILE_H
#define HEDDLE_PASSES_KERNEL_CPU_REGISTERTILE_H

#include "mlir/IR/BuiltinTypes.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/ScaledWords.h"
#include "passes/Kernel/Cpu/StepProducts.h"
#include <optional>

namespace heddle {

/// The left-hand side as a tile reads it, one scalar per row and step: row r at
/// step k is element `base + rows[r] + k * step`. A row without an offset takes
/// no part (its taps lie in the padding). With `starts` it is element
/// `starts[r] + k * step`, with `buffers` of the buffer of its own.
struct TileLhs {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value base;
  llvm::SmallVector<std::optional<int64_t>> rows;
  llvm::SmallVector<mlir::Value> starts;
  /// How much further the last row of `rows` is, where only a call knows.
  mlir::Value lastRow;
  Number step = 1;
  /// Whether narrow integers widen with zeros.
  bool isUnsigned = false;

  /// `height` rows `stride` apart from `base` on. Of `count` of them, if it is
  /// any, the last one stands for what is beyond.
  void setRows(IndexBuilder &index, int64_t height, const Number &stride,
               mlir::Value count = {});
};

/// Scales of a right-hand side of words, one for each column and so many steps:
/// vector v of block b starts at `base + vectors[v] + b * stride`.
struct TileScales {
  mlir::Value buffer;
  /// Bytes that lie as the scales do; null if all zero points are one number.
  mlir::Value zeroPoints;
  mlir::Value base;
  llvm::SmallVector<int64_t> vectors;
  int64_t stride = 1;
  /// Steps of a block, and of a sum that is scaled by itself.
  int64_t blockSteps = 1, chainSteps = 1;
};

/// The right-hand side, `lanes` elements per vector and step: vector v at step
/// k starts at `base + vectors[v] + k * step`.
struct TileRhs {
  mlir::Value buffer;
  mlir::Value base;
  llvm::SmallVector<int64_t> vectors;
  Number step = 1;
  /// How far apart the terms of a step are, where `products` take several; none
  /// if those of a column are stored side by side.
  std::optional<Number> termStride;
  /// For each vector the lanes that may be read, null for all; none if that is
  /// all of every vector.
  llvm::SmallVector<mlir::Value> masks;
  bool isUnsigned = false;
  /// If it is words in units of scales.
  std::optional<TileScales> scales;
  /// Zero points of a block's columns, a vector of each; none if they are one
  /// number.
  llvm::SmallVector<mlir::Value> zeroPoints;

  /// Of the last vector only the lanes of `mask` may be read, if it is any.
  void maskLast(mlir::Value mask) {
    masks.assign(mask ? vectors.size() : 0, {});
    if (mask)
      masks.back() = mask;
  }
};

/// What is fetched ahead during a tile's steps: element
/// `base + k * step` of `buffer`.
struct TilePrefetch {
  mlir::Value buffer;
  mlir::Value base;
  Number step;
};

/// The longest sum in one chain, in steps. A chain's rounding errors grow with
/// the square root of its length, relative to its value: chains of bounded
/// length, added up, keep a deep sum as exact as other libraries' blocked ones.
/// The totals rest in memory meanwhile, for about a percent of the time.
inline constexpr int64_t longestChain = 96;

/// The number of lanes of a 64-byte vector of accumulators.
int64_t accumulatorLanes(mlir::Type accumulator);

/// `value`, a scalar or a vector, widened to the accumulator's `elementType`.
mlir::Value convertElements(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, mlir::Type elementType,
                            bool isUnsigned = false);

/// left * right + sum, rounded once if floating.
mlir::Value multiplyAdd(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value left, mlir::Value right, mlir::Value sum);

/// Emits the sums of products of a tile of `rows` x `vectors` accumulators.
class RegisterTile {
public:
  RegisterTile(mlir::OpBuilder &builder, mlir::Location loc,
               mlir::Type accumulator, int64_t rows, int64_t vectors);

  llvm::SmallVector<mlir::Value> zeros();
  /// The accumulators in memory, row-major from element `base` on.
  llvm::SmallVector<mlir::Value> load(mlir::Value buffer, mlir::Value base);
  void store(mlir::ValueRange accumulators, mlir::Value buffer,
             mlir::Value base);

  /// accumulators += lhs * rhs over the steps [low, high): chains of bounded
  /// length in this order, the split following from the depth alone.
  llvm::SmallVector<mlir::Value>
  accumulate(const TileLhs &lhs, const TileRhs &rhs, mlir::Value low,
             mlir::Value high, mlir::ValueRange accumulators,
             const TilePrefetch *prefetch = nullptr);

  /// accumulators += lhs * rhs over the `count` terms behind step `k`, which
  /// are fewer than `products` take in a step; those on the right that follow
  /// them are zero.
  llvm::SmallVector<mlir::Value> accumulateRest(const TileLhs &lhs,
                                                const TileRhs &rhs,
                                                mlir::Value k, int64_t count,
                                                mlir::ValueRange accumulators);

  mlir::VectorType vectorType;
  int64_t rows, vectors, lanes;
  /// Steps written out in one iteration, which results do not depend on: the
  /// loop's own instructions compete with multiply-adds for the same ports (5
  /// to 8 % on an Ice Lake server).
  int64_t stepsPerIteration = 4;
  /// The most steps of one chain.
  int64_t chainSteps = longestChain;
  /// What steps multiply that take several terms of each row and of each
  /// column; null if they take one. Offsets are of elements all the same.
  std::shared_ptr<const StepProducts> products;
  /// How steps widen words; null if they read none.
  std::shared_ptr<const WordWidening> words;
  /// The most steps of `accumulate` where `high` is the launch's to say: sums
  /// of all of them are cut in chains as if it were a constant.
  std::optional<int64_t> mostSteps;
  /// What the number of steps of `accumulate` is a multiple of where `low` or
  /// `high` is no constant: of runs that come out even nothing is left over.
  int64_t stepsMultiple = 1;

private:
  /// Where step `k` of the left-hand side begins, for all rows.
  mlir::Value lhsPositionAt(const TileLhs &lhs, mlir::Value k);
  /// accumulators += lhs * rhs in one chain per element, of a multiple of
  /// `multiple` steps.
  llvm::SmallVector<mlir::Value>
  accumulateChain(const TileLhs &lhs, const TileRhs &rhs, mlir::Value low,
                  mlir::Value high, mlir::ValueRange accumulators,
                  const TilePrefetch *prefetch, int64_t multiple);
  /// accumulators += scale * (the sum of a block's steps), block by block.
  llvm::SmallVector<mlir::Value>
  accumulateScaled(const TileLhs &lhs, const TileRhs &rhs, mlir::Value low,
                   mlir::Value high, mlir::ValueRange accumulators,
                   const TilePrefetch *prefetch, int64_t multiple);
  /// The scales of vector `v` in the block that begins at `block`.
  mlir::Value loadScales(const TileScales &scales, int64_t v,
                         mlir::Value block);
  /// accumulators += lhs * rhs over `count` steps from `k` on.
  llvm::SmallVector<mlir::Value>
  runSteps(const TileLhs &lhs, const TileRhs &rhs, mlir::Value k, int64_t count,
           mlir::ValueRange accumulators, const TilePrefetch *prefetch);
  void step(const TileLhs &lhs, mlir::Value lhsPosition, const TileRhs &rhs,
            mlir::Value rhsPosition,
            llvm::MutableArrayRef<mlir::Value> accumulators);
  void stepWords(const TileLhs &lhs, mlir::Value lhsPosition,
                 const TileRhs &rhs, mlir::Value rhsPosition,
                 llvm::MutableArrayRef<mlir::Value> accumulators);
  void stepTerms(const TileLhs &lhs, mlir::Value lhsPosition,
                 const TileRhs &rhs, mlir::Value rhsPosition, int64_t count,
                 llvm::MutableArrayRef<mlir::Value> accumulators);
  /// accumulators += lhs * rhs for one term, of which `factors` are the
  /// columns.
  void multiplyRows(const TileLhs &lhs, mlir::Value lhsPosition,
                    llvm::ArrayRef<mlir::Value> factors,
                    llvm::MutableArrayRef<mlir::Value> accumulators);
  /// Vector `v` of the right-hand side from `position` on, `count` elements.
  mlir::Value loadColumns(const TileRhs &rhs, int64_t v, mlir::Value position,
                          int64_t count);
  /// Where row `r` is read at `position`; null if it takes no part.
  mlir::Value positionOf(const TileLhs &lhs, int64_t r, mlir::Value position);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexBuilder index;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_REGISTERTILE_H
