// Writes the sharding rule of each operation beside it, to be read and tested.

#include "dialects/Sharding/FactorRule.h"
#include "passes/Sharding/Passes.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_ANNOTATERULES
#include "passes/Sharding/Passes.h.inc"

namespace {

struct AnnotateRules : impl::AnnotateRulesBase<AnnotateRules> {
  using AnnotateRulesBase::AnnotateRulesBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      // What takes nothing has nothing that belongs together.
      if (op->hasAttr(sdy::kShardingRuleAttr) || op->getNumOperands() == 0)
        return;
      if (std::optional<sharding::FactorRule> rule = sharding::ruleOf(op))
        op->setAttr(sdy::kShardingRuleAttr, rule->toAttribute(&getContext()));
    });
  }
};

} // namespace
} // namespace heddle
