// Kernels of linalg.generics alone: elementwise, reductions, rows.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPKERNEL_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPKERNEL_H

#include "passes/Kernel/Cpu/LoopNest.h"
#include "passes/Kernel/Cpu/PayloadVectorizer.h"
#include "passes/Kernel/Cpu/Reducers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace heddle {

/// One generic of the kernel. Its loops are ordered: those shared by all stages
/// first, in the same order everywhere, then its own.
struct LoopStage {
  LoopNest nest;
  /// One per result; empty where the lanes of the accumulator cannot be joined.
  llvm::SmallVector<Reducer> reducers;
  bool reduces = false;

  explicit LoopStage(LoopNest nest) : nest(std::move(nest)) {}
  mlir::linalg::GenericOp op() const { return nest.op; }
};

/// Stages that run in one set of loops: the later ones use what the earlier
/// ones computed at the same point.
struct LoopGroup {
  llvm::SmallVector<unsigned> stages;
  /// Loops after the shared ones that hold the point where a reduction starts
  /// over; the rest are walked inside.
  unsigned numOuter = 0;
  /// Evaluate point after point: for a reducer that lanes cannot share.
  bool sequential = false;
  /// Vectors side by side in one step.
  int64_t unroll = 4;
};

/// How a kernel of generics is run: units of work over the shared loops, inside
/// each the groups one after the other. A value that one group leaves to a
/// later one is a *row value* (one per unit) or lies in a *row buffer*.
///
/// Lanes run either along the last shared loop (elementwise, reductions over an
/// outer dimension) or along the last loop of each group (rows: softmax,
/// norms).
struct LoopKernelPlan {
  std::vector<LoopStage> stages;
  llvm::SmallVector<LoopGroup> groups;
  unsigned numShared = 0;
  bool lanesAreShared = false;
  int64_t lanes = logicalLanes;
  /// With lanes along a shared loop: vectors side by side in one step of all
  /// groups.
  int64_t unroll = 4;
  /// Tensors that live in one unit only, with how many elements they have there.
  llvm::DenseMap<mlir::Value, Extent> rowElements;
  /// Of these, the ones read by a later group.
  llvm::SetVector<mlir::Value> rowBuffers;

  /// Inputs that are contiguous along `transposeLoop` where lanes run along
  /// another loop: blocks of them are transposed into scratch memory first.
  llvm::SmallVector<std::pair<unsigned, unsigned>> transposed;
  unsigned transposeLoop = 0;

  llvm::ArrayRef<Extent> sharedExtents() const {
    return llvm::ArrayRef(stages.front().nest.extents).take_front(numShared);
  }
  /// Stage that computes `tensor`, or null.
  const LoopStage *producer(mlir::Value tensor) const;
  /// Whether `tensor` stays inside of a unit: a stage computes it, and it has
  /// no buffer in memory.
  bool isRowTensor(mlir::Value tensor, const KernelFrame &frame) const;
};

/// Plans a kernel whose body consists of generics, fills and constants.
mlir::FailureOr<LoopKernelPlan> planLoopKernel(KernelFrame &frame);

/// Estimated nanoseconds that `stage` takes for one vector of points.
double stageCost(const Machine &machine, const LoopStage &stage);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPKERNEL_H
