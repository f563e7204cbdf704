// Lanes run along the loop that walks most bytes of memory without gaps.

#include "passes/Kernel/Cpu/LoopLanes.h"

using namespace mlir;
using namespace heddle;

static bool isShared(const SharedLoops &shared, unsigned stage, unsigned loop) {
  return llvm::any_of(
      shared, [&](ArrayRef<unsigned> loops) { return loops[stage] == loop; });
}

/// Bytes of the operands in memory that `loop` walks without gaps.
static int64_t contiguousBytes(const KernelFrame &frame, const LoopNest &nest,
                               unsigned loop) {
  int64_t bytes = 0;
  auto generic = nest.op;
  for (OpOperand &operand : generic->getOpOperands()) {
    Value tensor = operand.get();
    if (generic.isDpsInit(&operand))
      tensor = generic.getTiedOpResult(&operand);
    if (!frame.hasBuffer(tensor) ||
        nest.stride(operand.getOperandNumber(), loop) != 1)
      continue;
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t width = type.getElementType().isIntOrFloat()
                        ? (type.getElementTypeBitWidth() + 7) / 8
                        : 8;
    // Writing out of order costs more than reading.
    bytes +=
        type.getNumElements() * width * (generic.isDpsInit(&operand) ? 2 : 1);
  }
  return bytes;
}

/// Whether lanes run along a shared loop, which becomes the last then.
static bool chooseLanes(const LoopKernelPlan &plan, const KernelFrame &frame,
                        SharedLoops &shared) {
  int64_t bestShared = -1, ownBytes = 0;
  unsigned lanePlace = 0;
  auto improves = [&](int64_t bytes, int64_t extent) {
    // A loop shorter than a vector leaves lanes idle.
    return extent >= plan.lanes ? bytes : bytes * extent / plan.lanes;
  };
  for (auto [place, loops] : llvm::enumerate(shared)) {
    int64_t bytes = 0, extent = 0;
    for (auto [stage, loop] : llvm::enumerate(loops)) {
      extent = plan.stages[stage].nest.extents[loop].bound();
      bytes += contiguousBytes(frame, plan.stages[stage].nest, loop);
    }
    bytes = improves(bytes, extent);
    if (bytes >= bestShared) {
      bestShared = bytes;
      lanePlace = place;
    }
  }
  bool hasOwnLoops = false;
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    int64_t best = 0;
    for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop) {
      if (isShared(shared, number, loop))
        continue;
      hasOwnLoops = true;
      best = std::max(best, improves(contiguousBytes(frame, stage.nest, loop),
                                     stage.nest.extents[loop].bound()));
    }
    ownBytes += best;
  }
  bool lanesAreShared =
      !shared.empty() && (!hasOwnLoops || bestShared > ownBytes);
  if (lanesAreShared)
    std::rotate(shared.begin() + lanePlace, shared.begin() + lanePlace + 1,
                shared.end());
  return lanesAreShared;
}

void heddle::orderLoops(LoopKernelPlan &plan, const KernelFrame &frame,
                        SharedLoops shared) {
  plan.lanesAreShared = chooseLanes(plan, frame, shared);
  plan.numShared = shared.size();
  for (auto [number, stage] : llvm::enumerate(plan.stages)) {
    SmallVector<unsigned> order, own;
    for (const SmallVector<unsigned> &loops : shared)
      order.push_back(loops[number]);
    // Parallel loops first, and the loop for lanes last.
    for (bool parallel : {true, false})
      for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop)
        if (!isShared(shared, number, loop) &&
            stage.nest.isParallel(loop) == parallel)
          own.push_back(loop);
    if (!plan.lanesAreShared && !own.empty()) {
      auto isCandidate = [&, &stage = stage](unsigned loop) {
        return stage.nest.isParallel(loop) == stage.nest.isParallel(own.back());
      };
      auto best = own.end() - 1;
      for (auto it = own.begin(); it != own.end(); ++it)
        if (isCandidate(*it) && contiguousBytes(frame, stage.nest, *it) >
                                    contiguousBytes(frame, stage.nest, *best))
          best = it;
      std::rotate(best, best + 1, own.end());
    }
    order.append(own);
    stage.nest.permute(order);
  }
}
