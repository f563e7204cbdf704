// Which operation has which rule.

#include "dialects/Sharding/RuleRegistration.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::sharding {

static void addStableHloRules(RuleRegistration &rules) {
  addStableHloElementwiseRules(rules);
  addShapeRules(rules);
  addSlicingRules(rules);
  addContractionRules(rules);
  addIndexingRules(rules);
  addReductionRules(rules);
  addMatrixRules(rules);
  addDistributionRules(rules);
}

const std::vector<RuleRow> &ruleTable() {
  static const std::vector<RuleRow> table = [] {
    std::vector<RuleRow> rows;
    RuleRegistration rules(nullptr, &rows);
    addStableHloRules(rules);
    addChloRules(rules);
    return rows;
  }();
  return table;
}

void registerFactorRules(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, stablehlo::StableHloDialect *) {
        RuleRegistration rules(context, nullptr);
        addStableHloRules(rules);
      });
  registry.addExtension(+[](MLIRContext *context, chlo::ChloDialect *) {
    RuleRegistration rules(context, nullptr);
    addChloRules(rules);
  });
}

} // namespace heddle::sharding
