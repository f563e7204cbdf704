// What makes roles and a channel of an attention.

#ifndef HEDDLE_PASSES_KERNEL_GPU_ATTENTIONTILER_H
#define HEDDLE_PASSES_KERNEL_GPU_ATTENTIONTILER_H

#include "dialects/Ws/Ws.h"
#include "passes/Kernel/Gpu/ElementEmitter.h"
#include "passes/Kernel/Gpu/OperandTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>
#include <optional>

namespace heddle {

/// The loops behind those of the batch.
enum AttentionLoop { M, N, D, E };

/// An operand in memory.
struct AttentionOperand {
  mlir::Value tensor;
  /// In elements, by loop; the batch's first.
  kernel::LinearAccess access;
  /// Where the block's batch begins.
  mlir::Value base;
  /// Of keys and values: the tensor for copies of boxes, if there can be such,
  /// the map of it, and the channel of the tiles.
  std::optional<BoxedOperand> boxed;
  mlir::Value map, channel;
};

/// A tile: queries and keys, and the columns of both products; each warp has 16
/// queries.
struct AttentionShape {
  int64_t rows, keys, depth, width, warps;
};

class AttentionTiler {
public:
  AttentionTiler(kernel::AttentionOp op, mlir::linalg::GenericOp epilogue,
                 ElementEmitter &emitter);

  void emit();

private:
  int64_t extent(AttentionLoop dimension) {
    return op.getExtents()[op.getNumBatchDims() + dimension];
  }
  int64_t stride(const AttentionOperand &operand, AttentionLoop dimension) {
    return operand.access.strides[op.getNumBatchDims() + dimension];
  }
  static AttentionOperand operandOf(mlir::Value tensor, mlir::AffineMap map);
  std::optional<BoxedOperand> boxesOf(const AttentionOperand &operand,
                                      AttentionLoop innermost);
  int64_t chunkOf(const AttentionOperand &operand, AttentionLoop innermost) {
    return widestChunk(op.getExtents(), operand.access,
                       op.getNumBatchDims() + innermost);
  }
  /// A longer window reaches every key, so that places stay small numbers.
  int64_t window() {
    return std::min<int64_t>(*op.getWindow(), extent(M) + extent(N));
  }
  /// Whether a tile may have keys that there are not.
  bool hasRaggedKeys() { return op.getLengths() || extent(N) % shape.keys; }
  /// Half of the shared memory that a block may have, so that another block is
  /// beside it; warpgroups, which have all registers, have all of it.
  int64_t channelBudget() const {
    return machine.mostBlockSharedBytes / (isByWarpgroups ? 1 : 2);
  }
  /// The threads of a block of `warps` that multiply.
  int64_t threadsOf(int64_t warps) const {
    return warps * machine.warpThreads +
           (isByWarpgroups ? machine.warpgroupThreads : 0);
  }
  bool fitsWarpgroups(const AttentionShape &tile);
  bool chooseWarpgroups();
  void chooseWarps();
  ws::TileType tileType(const AttentionOperand &operand, int64_t columns);
  int64_t makeChannels();

  void enterBlock(mlir::ValueRange block);
  void findKeys();
  mlir::Value loadQueries();
  void produce(ws::RolesOp roles);
  void put(const AttentionOperand &operand, AttentionLoop innermost,
           mlir::Value firstKey, mlir::Value firstColumn);
  void emitBoxCopy(const AttentionOperand &operand, mlir::Value firstKey,
                   mlir::Value firstColumn, mlir::Value into);
  void emitCopy(const AttentionOperand &operand, AttentionLoop innermost,
                mlir::Value firstKey, mlir::Value firstColumn,
                mlir::Value into);
  void clearBehindLength(mlir::Value tile, mlir::Value firstKey);
  mlir::Value multiply(mlir::Value lhs, ws::GetEnterOp rhs, mlir::Value onto,
                       bool isTransposed);
  void emitConsumer(ws::RolesOp roles, mlir::Value queries);
  mlir::Value scoresOf(mlir::Value products, mlir::Value firstKey);
  mlir::Value isPartial(mlir::Value firstKey);
  mlir::Value isSeen(mlir::Value firstKey, mlir::Value row, mlir::Value column);
  mlir::Value maskScore(mlir::Value score, mlir::Value firstKey,
                        mlir::Value row, mlir::Value column);
  /// What a step adds to each row: `factor` scales what was summed before.
  struct WeighedStep {
    mlir::Value weights, factor, top, total;
  };
  mlir::Value powerOfTwo(mlir::Value x);
  mlir::Value weightOf(mlir::Value score, mlir::Value origin);
  WeighedStep weigh(mlir::Value scores, mlir::Value top, mlir::Value total);
  mlir::Value sinkOf();
  llvm::SmallVector<mlir::Value> startRows();
  void storeResults(mlir::ValueRange results);

  using Body = llvm::function_ref<mlir::Value(mlir::ValueRange numbers,
                                              mlir::ValueRange place)>;
  /// Numbers of `type`, each of those in `numbers` at its place; where `where`
  /// is false, the first of them.
  mlir::Value map(mlir::Type type, mlir::ValueRange numbers, Body body,
                  mlir::Value where = {});
  mlir::Value
  reduce(mlir::Value numbers,
         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  mlir::Value constant(double value) {
    return mlir::arith::ConstantOp::create(
        builder, index.loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  /// What a key has that does not count.
  mlir::Value leastScore() {
    return constant(-std::numeric_limits<double>::infinity());
  }
  double scale() { return op.getScale().convertToFloat(); }
  template <typename Op>
  mlir::Value apply(mlir::Value left, mlir::Value right) {
    return Op::create(builder, index.loc, left, right);
  }
  mlir::Value i32(mlir::Value number) {
    return mlir::arith::IndexCastOp::create(builder, index.loc,
                                            builder.getI32Type(), number);
  }

  kernel::AttentionOp op;
  mlir::linalg::GenericOp epilogue;
  ElementEmitter &emitter;
  GridFrame &frame;
  mlir::OpBuilder &builder;
  IndexBuilder &index;
  const GpuMachine &machine;
  AttentionOperand query, key, value, mask, lengths, sink;
  /// Elements of keys and values that one thread copies at once.
  int64_t chunk = 1;
  /// Whether warpgroups multiply what copies of boxes bring.
  bool isByWarpgroups = false;
  /// Whether scores stay products until they are exponentiated, which then
  /// scales them on the way; the largest ones are in units of the exponent.
  bool isScaledLate = false;
  AttentionShape shape = {};
  ws::AccumulatorType scoresType, sumsType;
  ws::RowsType rowsType;

  // Of the block at hand: its batch, its first query and the first column of
  // its results, how many keys there are, how far a query stands behind the key
  // of its number, the first key that is read, and the steps from there.
  llvm::SmallVector<mlir::Value> batch;
  mlir::Value firstRow, firstColumn, length, shift, start, steps;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_ATTENTIONTILER_H
