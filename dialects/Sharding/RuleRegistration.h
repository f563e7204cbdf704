// How the files of rules say which operations theirs are.

#ifndef HEDDLE_DIALECTS_SHARDING_RULEREGISTRATION_H
#define HEDDLE_DIALECTS_SHARDING_RULEREGISTRATION_H

#include "dialects/Sharding/RuleTable.h"

namespace heddle::sharding {

/// Takes rules, each with its samples: into the table, and onto a context's
/// operations where there is one.
class RuleRegistration {
public:
  RuleRegistration(mlir::MLIRContext *context, std::vector<RuleRow> *table)
      : context(context), table(table) {}

  /// `first` makes a rule without a sample impossible.
  template <typename Op, auto rule, typename... Samples>
  void add(std::string first, Samples... others) {
    if (context)
      Op::template attachInterface<Model<Op, rule>>(*context);
    if (table)
      table->push_back({Op::getOperationName().str(),
                        {std::move(first), std::string(others)...}});
  }

private:
  template <typename Op, auto rule>
  struct Model : FactorRuleInterface::ExternalModel<Model<Op, rule>, Op> {
    FactorRule factorRule(mlir::Operation *op) const {
      return rule(llvm::cast<Op>(op));
    }
  };

  mlir::MLIRContext *context;
  std::vector<RuleRow> *table;
};

void addStableHloElementwiseRules(RuleRegistration &rules);
void addChloRules(RuleRegistration &rules);
void addShapeRules(RuleRegistration &rules);
void addSlicingRules(RuleRegistration &rules);
void addContractionRules(RuleRegistration &rules);
void addIndexingRules(RuleRegistration &rules);
void addReductionRules(RuleRegistration &rules);
void addMatrixRules(RuleRegistration &rules);
void addDistributionRules(RuleRegistration &rules);

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_RULEREGISTRATION_H
