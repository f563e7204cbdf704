// What emits a planned kernel of generics holds while it does.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPKERNELEMITTER_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPKERNELEMITTER_H

#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/LoopKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// Where one step of a group stands: the loops' indices at lane 0 of the first
/// vector, how many vectors lie side by side, and which points the last one
/// holds: the first `lastCount`, or those of `lastMask`.
struct LoopStep {
  llvm::SmallVector<mlir::Value> ivs;
  int64_t lanes = 0;
  unsigned laneLoop = 0;
  int64_t vectors = 1;
  int64_t lastCount = 0;
  mlir::Value lastMask;
};

/// Emits the units of one kernel: each unit its groups, each group its steps.
class LoopKernelEmitter {
public:
  LoopKernelEmitter(KernelFrame &frame, LoopKernelPlan &plan)
      : frame(frame), plan(plan), builder(frame.builder),
        loc(frame.source.getLoc()) {
    for (LoopStage &stage : plan.stages)
      payloads.emplace_back(stage.nest, frame);
  }

  mlir::LogicalResult run();

private:
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value plus(mlir::Value value, int64_t offset) {
    if (offset == 0)
      return value;
    return mlir::arith::AddIOp::create(builder, loc, value, constant(offset));
  }

  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  forLoop(int64_t begin, int64_t end, int64_t step,
          llvm::ArrayRef<mlir::Value> carried, LoopBody body) {
    return emitLoop(builder, loc, begin, end, step, carried, body);
  }
  /// All points of a loop one by one.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  forPoints(const Extent &extent, llvm::ArrayRef<mlir::Value> carried,
            LoopBody body);
  /// The vectors of `step.laneLoop` from `begin` to `end`, where a call says
  /// how many points these are: steps of `unroll` vectors, then single ones of
  /// which the last is masked. `remainder` is false where none are left over.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> forSizedLanes(
      const LoopStep &step, mlir::Value begin, mlir::Value end, int64_t unroll,
      bool remainder, llvm::ArrayRef<mlir::Value> carried,
      llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
          const LoopStep &, llvm::ArrayRef<mlir::Value>)>
          body);

  mlir::LogicalResult emitUnit(llvm::SmallVector<mlir::Value> shared,
                               mlir::Value chunk);
  mlir::LogicalResult emitTransposedUnit(llvm::SmallVector<mlir::Value> shared,
                                         mlir::Value chunk);
  mlir::LogicalResult emitGroups(const LoopStep &step);
  mlir::LogicalResult emitGroup(const LoopGroup &group, LoopStep step,
                                unsigned outer);
  mlir::LogicalResult emitInner(const LoopGroup &group, const LoopStep &step);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  walk(const LoopGroup &group, LoopStep step, unsigned loop,
       llvm::SmallVector<mlir::Value> accs);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  walkLanes(const LoopGroup &group, LoopStep step,
            llvm::SmallVector<mlir::Value> accs);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  emitStep(const LoopGroup &group, const LoopStep &step,
           llvm::SmallVector<mlir::Value> accs);

  LanePoint pointOf(const LoopStep &step, int64_t vector);
  mlir::FailureOr<llvm::SmallVector<LaneValue>>
  suppliedFor(unsigned stage, const LanePoint &point, int64_t vector);
  LaneValue rowPosition(LaneBuilder &lanes, unsigned stage, unsigned operand,
                        const LanePoint &point, int64_t vector);
  mlir::LogicalResult keepResult(unsigned stage, const LanePoint &point,
                                 int64_t vector,
                                 llvm::ArrayRef<mlir::Value> results);

  int64_t blockWidth() const { return plan.lanes * plan.unroll; }

  KernelFrame &frame;
  LoopKernelPlan &plan;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::vector<PayloadVectorizer> payloads;
  /// Per stage, operands that stay the same within a unit.
  llvm::SmallVector<llvm::SmallVector<LaneValue>> hoisted;
  /// Computed and still in registers: one value per vector of the step.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<LaneValue>> live;
  llvm::DenseMap<mlir::Value, mlir::Value> rowBuffers;
  /// Blocks of lanes that one unit takes, when lanes run along a shared loop.
  int64_t blocksPerChunk = 0;

  /// A transposed operand's block: rows along the transposed loop from
  /// `blockRow` on, columns along the lanes from `blockColumn` on, after room
  /// for one vector that starts before it.
  struct TransposedBlock {
    mlir::Value buffer;
    int64_t pitch;
  };
  llvm::DenseMap<std::pair<unsigned, unsigned>, TransposedBlock>
      transposedBlocks;
  mlir::Value blockRow, blockColumn;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPKERNELEMITTER_H
