// A stage joins the group before it where both walk the same points and it
// needs nothing of them that is not there yet.

#include "passes/Kernel/Cpu/LoopGroups.h"

using namespace mlir;
using namespace heddle;

/// Whether the stage `number` can run in the loops of `group`.
static bool canJoin(const LoopKernelPlan &plan, const LoopGroup &group,
                    unsigned number) {
  const LoopStage &stage = plan.stages[number];
  ArrayRef<Extent> own =
      ArrayRef(stage.nest.extents).drop_front(plan.numShared);
  if (group.sequential || group.numOuter)
    return false;
  for (unsigned member : group.stages) {
    const LoopStage &other = plan.stages[member];
    if (ArrayRef(other.nest.extents).drop_front(plan.numShared) != own)
      return false;
    // What it reads of the group must be computed at the same point.
    for (OpOperand &operand : stage.op()->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      if (!result || result.getOwner() != other.op())
        continue;
      unsigned output = other.op().getNumDpsInputs() + result.getResultNumber();
      if ((other.reduces && !own.empty()) ||
          other.nest.accesses[output] !=
              stage.nest.accesses[operand.getOperandNumber()])
        return false;
    }
  }
  return true;
}

void heddle::formGroups(LoopKernelPlan &plan, const KernelFrame &frame) {
  for (unsigned number = 0; number < plan.stages.size(); ++number) {
    const LoopStage &stage = plan.stages[number];
    unsigned numParallel = 0, numReduction = 0;
    for (unsigned loop = plan.numShared; loop < stage.nest.numLoops(); ++loop)
      (stage.nest.isParallel(loop) ? numParallel : numReduction) += 1;
    LoopGroup alone;
    alone.stages.push_back(number);
    if (stage.reduces) {
      alone.numOuter = numParallel;
      alone.sequential =
          !plan.lanesAreShared &&
          llvm::any_of(stage.reducers,
                       [](const Reducer &reducer) { return !reducer; });
    }
    bool joins = !alone.sequential && !alone.numOuter && !plan.groups.empty() &&
                 canJoin(plan, plan.groups.back(), number);
    if (joins)
      plan.groups.back().stages.push_back(number);
    else
      plan.groups.push_back(std::move(alone));
  }
  // What a later group reads must outlive the loops of the group it comes from.
  for (auto [place, group] : llvm::enumerate(plan.groups))
    for (unsigned number : group.stages)
      for (Value result : plan.stages[number].op()->getResults()) {
        auto readLater = [&, place = place](Operation *user) {
          for (unsigned later = place + 1; later < plan.groups.size(); ++later)
            for (unsigned member : plan.groups[later].stages)
              if (plan.stages[member].op() == user)
                return true;
          return false;
        };
        const LoopStage &stage = plan.stages[number];
        unsigned inner = stage.nest.numLoops() - plan.numShared;
        bool isRowValue = inner == 0 || (stage.reduces && group.numOuter == 0);
        if (plan.isRowTensor(result, frame) && !isRowValue &&
            llvm::any_of(result.getUsers(), readLater))
          plan.rowBuffers.insert(result);
      }
}

void heddle::mergeGroupLoops(LoopKernelPlan &plan) {
  for (LoopGroup &group : plan.groups) {
    auto nests = llvm::map_range(group.stages, [&](unsigned number) {
      return &plan.stages[number].nest;
    });
    auto forAll = [&](auto &&condition) {
      return llvm::all_of(nests, condition);
    };
    auto numLoops = [&] { return (*nests.begin())->numLoops(); };
    for (unsigned loop = plan.numShared; loop + 1 < numLoops();) {
      if (forAll([&](LoopNest *nest) { return nest->isUnit(loop); })) {
        if (loop < plan.numShared + group.numOuter)
          --group.numOuter;
        for (LoopNest *nest : nests)
          nest->drop(loop);
        continue;
      }
      ++loop;
    }
    for (unsigned outer = plan.numShared; outer + 1 < numLoops();) {
      if (outer + 1 == plan.numShared + group.numOuter ||
          !forAll([&](LoopNest *nest) { return nest->canMerge(outer); })) {
        ++outer;
        continue;
      }
      if (outer < plan.numShared + group.numOuter)
        --group.numOuter;
      for (LoopNest *nest : nests)
        nest->merge(outer);
    }
  }
}
