// Emits the choice between the constants of phases.

#include "passes/Kernel/Cpu/TapPhases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle {

/// Phases up to this many are told apart by constants chosen by their number.
static constexpr int64_t mostChosenPhases = 16;

SmallVector<ColumnPhase> fewPhases(const SpatialDim &dim) {
  int64_t spacing = columnSpacing(dim);
  if (std::min(spacing, dim.output) > mostChosenPhases)
    return {};
  return columnPhases(dim);
}

ChosenPhase choosePhase(IndexBuilder &index, ArrayRef<ColumnPhase> phases,
                        Value number) {
  OpBuilder &builder = index.builder;
  auto choose = [&](function_ref<int64_t(const ColumnPhase &)> fact) {
    Value chosen = index.constant(fact(phases.back()));
    for (auto [i, phase] : llvm::enumerate(phases.drop_back())) {
      if (fact(phase) == fact(phases.back()))
        continue;
      Value isThis =
          arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::eq,
                                number, index.constant(i));
      chosen = arith::SelectOp::create(builder, index.loc, isThis,
                                       index.constant(fact(phase)), chosen);
    }
    return chosen;
  };
  ChosenPhase chosen;
  chosen.taps = choose([](const ColumnPhase &p) { return p.dim.kernel; });
  chosen.firstTap = choose([](const ColumnPhase &p) { return p.firstTap; });
  chosen.padding = choose([](const ColumnPhase &p) { return p.dim.padding; });
  return chosen;
}

} // namespace heddle
