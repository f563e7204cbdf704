// What lowers roles to warpgroups of their own: a producer, of which one thread
// starts copies of boxes, and consumers that multiply from shared memory.

#ifndef HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H
#define HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Lowers a kernel whose roles stand in the loop over its tiles. Each slot of a
/// channel has two barriers: *full* completes when the producer has said how
/// many bytes come and these have come, *empty* when each warp of the consumers
/// has read them. A role that waits for a barrier knows by the parity of its
/// own rounds through the ring which phase it waits for; all channels have as
/// many slots, so that a role has one place in all of them.
///
///     if (first warpgroup)  { one thread: for tiles, for steps, for channels:
///                             wait for empty, expect bytes at full, copy }
///     else                  { for tiles: { for steps: wait for full, multiply,
///                             arrive at the empty of what is read }
///                             epilogue }
///
/// The last product of a step is under way behind the first one of the next,
/// whatever a step computes beside.
class WarpgroupRoles : RoleLowering {
public:
  using RoleLowering::RoleLowering;

  /// Fails with a diagnostic where the function has another shape.
  mlir::LogicalResult run();

private:
  /// A place in the rings: the slot, and the parity of the rounds behind it.
  struct RingPlace {
    mlir::Value stage, parity;
  };

  /// A channel's slots, as threads and as copies see the first byte, and its
  /// barriers.
  struct Ring {
    ws::ChannelOp channel;
    mlir::Value shared, copied, barriers;

    int64_t slotBytes() {
      return channel.getChannel().getType().getSlotBytes();
    }
  };

  mlir::LogicalResult findParts();
  mlir::LogicalResult findSums();
  mlir::LogicalResult findLate();
  void placeShared();
  void makeBarriers();
  void addTensorMaps();
  void emitProducer();
  void emitConsumers();
  /// The loop over tiles for one role, which carries its place in the rings.
  /// `role` does what this role does in a tile, `other` what becomes of other
  /// operations of the dialect.
  void emitTiles(
      llvm::function_ref<RingPlace(mlir::IRMapping &, RingPlace)> role,
      llvm::function_ref<void(mlir::Operation &, mlir::IRMapping &)> other);
  RingPlace produce(mlir::IRMapping &outside, RingPlace place);
  void produceStep(mlir::Value step, RingPlace place,
                   const mlir::IRMapping &outside);
  void copyBoxes(ws::CopyBoxOp op, mlir::Value tile, mlir::Value full,
                 const mlir::IRMapping &values);
  RingPlace next(RingPlace place);
  Ring &ringOf(mlir::Value channel);
  mlir::Value barrierOf(Ring &ring, int64_t first, mlir::Value stage);
  mlir::Value fullOf(Ring &ring, mlir::Value stage) {
    return barrierOf(ring, 0, stage);
  }
  mlir::Value emptyOf(Ring &ring, mlir::Value stage) {
    return barrierOf(ring, depth(), stage);
  }
  void wait(mlir::Value barrier, mlir::Value parity);
  /// One lane of each warp says that the slot is read.
  void giveBack(Ring &ring, mlir::Value stage);
  int64_t depth() { return rings[0].channel.getChannel().getType().getDepth(); }
  int64_t consumerWarps() { return sums.getWarpRows() * sums.getWarpColumns(); }

  // WarpgroupSteps.cpp
  /// What the consumers do in a tile: `consumeProducts` where a step only adds
  /// products, else `consumeNumbers`.
  RingPlace consume(mlir::IRMapping &outside, RingPlace place);
  RingPlace consumeProducts(mlir::IRMapping &outside, RingPlace place);
  RingPlace consumeNumbers(mlir::IRMapping &outside, RingPlace place);
  llvm::SmallVector<mlir::Value>
  consumeAnySteps(mlir::Value steps, mlir::IRMapping &outside, RingPlace place);
  void consumeStep(mlir::Value step, RingPlace place,
                   const mlir::IRMapping &outside,
                   llvm::function_ref<void()> startLate,
                   llvm::function_ref<void()> finishLate);
  void clear(ws::ClearOp op, RingPlace place, const mlir::IRMapping &values);
  mlir::Value startLate(RingPlace place);
  void finishLate(mlir::Value started, RingPlace place, mlir::Value into);
  bool isLate(mlir::Operation &op);
  /// Two warpgroups take turns in starting products, so that one computes
  /// numbers while the other's products are done.
  bool takesTurns();
  void startTurns();
  void waitForTurn();
  void giveTurn();
  void giveTurnTo(int64_t group);
  void hold(mlir::ValueRange values, mlir::ValueRange numbers);
  llvm::SmallVector<mlir::Value> heldOf(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> carriedValues();

  // WarpgroupProducts.cpp
  /// Sums as instructions of warpgroups take them, a struct.
  mlir::Type structOf(ws::AccumulatorType type);
  mlir::Value pack(mlir::ValueRange numbers);
  llvm::SmallVector<mlir::Value> unpack(mlir::Value sums);
  /// Starts the products of one step, as one group, onto `started`; null stands
  /// for sums of nothing.
  mlir::Value multiply(ws::MmaOp op, mlir::Value stage, mlir::Value started);
  mlir::Value multiplyTiles(ws::MmaOp op, mlir::Value stage,
                            mlir::Value started);
  mlir::Value multiplyRegisters(ws::MmaOp op, mlir::Value stage,
                                mlir::Value started);
  mlir::Value multiplyRegistersOnce(ws::MmaOp op, mlir::ValueRange lhs,
                                    mlir::Value rhs, mlir::Value started);
  void fence(llvm::SmallVectorImpl<mlir::Value> &lhs, mlir::Value &started);
  /// Waits for all but the last `pending` groups and gives their sums.
  mlir::Value finish(mlir::Value sums, int64_t pending);
  /// An instruction that is told to take `values` and to give them, since it
  /// names none of their registers, and stands between those who do.
  llvm::SmallVector<mlir::Value> passThrough(llvm::StringRef instruction,
                                             mlir::ValueRange values);
  mlir::Value matrixAt(mlir::Value tile, mlir::Value offset, bool acrossRows,
                       mlir::Value stage);
  mlir::Value descriptorOf(mlir::Value low, int64_t bytes);
  /// Where a tile that a ws.get.enter gives lies in its slot, in bytes.
  int64_t offsetInSlot(mlir::Value tile);

  llvm::SmallVector<Ring> rings;
  /// Of two warpgroups that multiply, whether this is the second.
  mlir::Value isSecond;
  ws::RolesOp roles;
  ws::EpilogueOp epilogue;
  mlir::scf::ForOp tiles;
  ws::AccumulatorType sums;
  llvm::SmallVector<ws::TensorMapOp> maps;
  /// The kernel's parameters for `maps`.
  mlir::IRMapping mapParameters;
  /// Where a step computes numbers: the product that is done while the next
  /// step's scores are computed, with its tile, its wait and its exit, and the
  /// argument of the consumer that its sums become.
  struct LateProduct {
    ws::GetEnterOp enter;
    ws::MmaOp product;
    ws::MmaWaitOp wait;
    ws::GetExitOp exit;
    mlir::BlockArgument carried;
  } late;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H
