// Which operation has which rule, and the programs that show it.

#ifndef HEDDLE_DIALECTS_SHARDING_RULETABLE_H
#define HEDDLE_DIALECTS_SHARDING_RULETABLE_H

#include "dialects/Sharding/FactorRule.h"

#include "mlir/IR/DialectRegistry.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::sharding {

/// An operation whose rule is known. There is no way to name one without
/// samples: each is the text of a function @f whose last operation but the
/// return is the one that the rule is of; tests run it on pieces of each
/// factor and compare.
struct RuleRow {
  std::string operation;
  std::vector<std::string> samples;
};

/// All rows, in the order of the dialects.
const std::vector<RuleRow> &ruleTable();

/// The table as a page for readers.
void printRulePage(llvm::raw_ostream &os);

/// Lets operations of StableHLO and CHLO answer.
void registerFactorRules(mlir::DialectRegistry &registry);

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_RULETABLE_H
