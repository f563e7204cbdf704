// What lowers roles to warpgroups of their own: a producer, of which one thread
// starts copies of boxes, and consumers that multiply from shared memory.

#ifndef HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H
#define HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Lowers a kernel with one channel, whose roles stand in the loop over its
/// tiles. Each slot has two barriers: *full* completes when the producer has
/// said how many bytes come and these have come, *empty* when each warp of the
/// consumers has read them. A role that waits for a barrier knows by the parity
/// of its own rounds through the ring which phase it waits for.
///
///     if (first warpgroup)  { one thread: for tiles, for steps: wait for
///     empty,
///                             expect bytes at full, copy }
///     else                  { for tiles: { for steps: wait for full, multiply,
///                             arrive at the empty of the step before }
///                             epilogue }
class WarpgroupRoles : RoleLowering {
public:
  using RoleLowering::RoleLowering;

  /// Fails with a diagnostic where the function has another shape.
  mlir::LogicalResult run();

private:
  /// A place in the ring: the slot, and the parity of the rounds behind it.
  struct RingPlace {
    mlir::Value stage, parity;
  };

  mlir::LogicalResult findParts();
  void placeShared();
  void makeBarriers();
  void addTensorMaps();
  void emitProducer();
  void emitConsumers();
  /// The loop over tiles for one role, which carries its place in the ring.
  /// `roles` does what this role does in a tile.
  void
  emitTiles(llvm::function_ref<RingPlace(mlir::IRMapping &, RingPlace)> roles,
            llvm::function_ref<void(mlir::IRMapping &)> epilogue);
  RingPlace produce(mlir::IRMapping &outside, RingPlace place);
  RingPlace consume(mlir::IRMapping &outside, RingPlace place);
  void produceStep(mlir::Value step, RingPlace place,
                   const mlir::IRMapping &outside);
  void copyBoxes(ws::CopyBoxOp op, mlir::Value tile, mlir::Value full,
                 const mlir::IRMapping &values);
  mlir::Value consumeStep(RingPlace place, mlir::Value sums);
  RingPlace next(RingPlace place);
  mlir::Value barrierOf(int64_t first, mlir::Value stage);
  mlir::Value fullOf(mlir::Value stage) { return barrierOf(0, stage); }
  mlir::Value emptyOf(mlir::Value stage) { return barrierOf(depth(), stage); }
  void wait(mlir::Value barrier, mlir::Value parity);
  /// One lane of each warp says that the slot is read.
  void giveBack(mlir::Value stage);

  // WarpgroupProducts.cpp
  mlir::Type sumsStruct();
  /// Starts the products of one step, as one group.
  mlir::Value multiply(ws::MmaOp op, mlir::Value stage, mlir::Value sums);
  /// Waits for all products and gives their sums.
  mlir::Value finish(mlir::Value sums);
  mlir::Value matrixAt(ws::TileType type, mlir::Value offset, bool acrossRows,
                       mlir::Value stage);
  mlir::Value descriptorOf(mlir::Value low, int64_t bytes);
  /// Where a tile that a ws.get.enter gives lies in its slot, in bytes.
  int64_t offsetInSlot(mlir::Value tile);

  int64_t depth() { return channel.getChannel().getType().getDepth(); }
  int64_t consumerWarps() { return sums.getWarpRows() * sums.getWarpColumns(); }

  ws::ChannelOp channel;
  ws::RolesOp roles;
  ws::EpilogueOp epilogue;
  mlir::scf::ForOp tiles;
  ws::AccumulatorType sums;
  llvm::SmallVector<ws::TensorMapOp> maps;
  /// The kernel's parameters for `maps`.
  mlir::IRMapping mapParameters;
  /// The first byte of the slots, as threads and as copies see it, and that of
  /// the barriers.
  mlir::Value shared, copied, barriers;
  mlir::Value finished;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_WARPGROUPROLES_H
