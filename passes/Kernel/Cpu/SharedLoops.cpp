// Finds the loops over which a kernel's units of work are counted.

#include "passes/Kernel/Cpu/SharedLoops.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace heddle;

/// A stage and the number of one of its loops.
using LoopName = std::pair<unsigned, unsigned>;

SharedLoops heddle::findSharedLoops(const LoopKernelPlan &plan) {
  SharedLoops shared;
  llvm::EquivalenceClasses<LoopName> classes;
  llvm::SmallDenseSet<LoopName> excluded;
  for (auto [number, stage] : llvm::enumerate(plan.stages))
    for (unsigned loop = 0; loop < stage.nest.numLoops(); ++loop) {
      classes.insert({number, loop});
      if (!stage.nest.isParallel(loop))
        excluded.insert({number, loop});
    }
  auto mapOf = [&](unsigned stage, OpOperand &operand) {
    return plan.stages[stage].op().getMatchingIndexingMap(&operand);
  };
  SmallVector<SmallVector<LoopName>> aligned;
  for (unsigned consumer = 0; consumer < plan.stages.size(); ++consumer)
    for (OpOperand &operand : plan.stages[consumer].op()->getOpOperands()) {
      auto result = dyn_cast<OpResult>(operand.get());
      const LoopStage *stage = plan.producer(operand.get());
      if (!result || !stage)
        continue;
      unsigned producer = stage - plan.stages.data();
      auto from = stage->op();
      AffineMap out =
          mapOf(producer, *from.getDpsInitOperand(result.getResultNumber()));
      AffineMap in = mapOf(consumer, operand);
      SmallVector<LoopName> pairs;
      for (auto [outExpr, inExpr] :
           llvm::zip(out.getResults(), in.getResults())) {
        auto outDim = dyn_cast<AffineDimExpr>(outExpr);
        auto inDim = dyn_cast<AffineDimExpr>(inExpr);
        if (outDim && inDim) {
          LoopName a{producer, outDim.getPosition()};
          LoopName b{consumer, inDim.getPosition()};
          classes.unionSets(a, b);
          pairs.push_back(a);
          continue;
        }
        // A loop that moves along this dimension in another way is not shared.
        if (outDim)
          excluded.insert({producer, outDim.getPosition()});
        inExpr.walk([&, consumer = consumer](AffineExpr expr) {
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            excluded.insert({consumer, dim.getPosition()});
        });
      }
      aligned.push_back(std::move(pairs));
    }

  for (unsigned loop = 0; loop < plan.stages[0].nest.numLoops(); ++loop) {
    SmallVector<int64_t> place(plan.stages.size(), -1);
    bool usable = true;
    LoopName first{0, loop};
    for (auto it = classes.findLeader(first); it != classes.member_end();
         ++it) {
      usable &= !excluded.contains(*it) && place[it->first] == -1 &&
                plan.stages[it->first].nest.extents[it->second] ==
                    plan.stages[0].nest.extents[loop];
      place[it->first] = it->second;
    }
    usable &= !llvm::is_contained(place, -1);
    // Every value handed on must have the dimension, or it would be computed
    // by one unit and read by others.
    for (const SmallVector<LoopName> &pairs : aligned)
      usable &= llvm::any_of(pairs, [&](LoopName name) {
        return classes.isEquivalent(name, first);
      });
    if (usable)
      shared.emplace_back(place.begin(), place.end());
  }
  return shared;
}
