// The table of rules as a page for readers.

#include "dialects/Sharding/RuleTable.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace heddle::sharding {

/// The rule as an attribute has it, and kinds that attributes do not have.
static std::string textOf(const FactorRule &rule, MLIRContext *context) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << rule.toAttribute(context);
  StringRef whole = text;
  whole.consume_front("#sdy.op_sharding_rule<");
  whole.consume_back(">");
  std::string result = whole.str();
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == FactorKind::Halo || factor.kind == FactorKind::Prefix ||
        factor.kind == FactorKind::Ragged)
      result += "; " + std::string(1, static_cast<char>('i' + index)) + ": " +
                nameOf(factor.kind).str();
  return result;
}

void printRulePage(raw_ostream &os) {
  DialectRegistry registry;
  registerFactorRules(registry);
  MLIRContext context(registry);
  context.loadDialect<func::FuncDialect, quant::QuantDialect, sdy::SdyDialect,
                      stablehlo::StableHloDialect, chlo::ChloDialect>();
  os << "# How operations are cut\n\n"
        "Made by `heddle-translate --sharding-rules` from the samples that "
        "tests run on pieces (`test/unit/Sharding`). Letters are factors: "
        "dimensions that\nhave one are cut together. What is said of factors "
        "behind them is explained in `dialects/Sharding/FactorRule.h`; a "
        "factor of which nothing is said passes\nthrough.\n";
  // Operations whose samples all have the same rules stand in one line.
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const RuleRow &row : ruleTable()) {
    std::string rules;
    for (const std::string &text : row.samples) {
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(text, &context);
      auto function = *module->getOps<func::FuncOp>().begin();
      Operation *op = function.getBody().front().getTerminator()->getPrevNode();
      std::string rule = "`" + textOf(*ruleOf(op), &context) + "`";
      if (rules.find(rule) == std::string::npos)
        rules += (rules.empty() ? "" : "<br>") + rule;
    }
    auto line =
        llvm::find_if(lines, [&](auto &known) { return known.first == rules; });
    if (line == lines.end())
      line = lines.insert(line, {rules, {}});
    line->second.push_back(row.operation);
  }
  os << "\n| operations | rules of samples |\n| --- | --- |\n";
  for (auto &[rules, operations] : lines) {
    os << "| ";
    llvm::interleaveComma(operations, os,
                          [&](StringRef name) { os << '`' << name << '`'; });
    os << " | " << rules << " |\n";
  }
}

} // namespace heddle::sharding
