// Each rule of the table is tried on pieces of each of its factors.

#include "test/unit/Sharding/Pieces.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Sharding/RuleTable.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;

namespace heddle::sharding {
namespace {

class Rules : public ::testing::Test {
protected:
  Rules() {
    DialectRegistry registry;
    registerFactorRules(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<func::FuncDialect, quant::QuantDialect, sdy::SdyDialect,
                        stablehlo::StableHloDialect, chlo::ChloDialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  Execution run(ModuleOp module) {
    return execute(*module.getOps<func::FuncOp>().begin());
  }

  MLIRContext context;
};

TEST_F(Rules, HoldOnPieces) {
  std::map<FactorKind, int> equal;
  for (const RuleRow &row : ruleTable()) {
    ASSERT_FALSE(row.samples.empty()) << row.operation;
    bool isTried = false, hasParts = false;
    for (const std::string &text : row.samples) {
      OwningOpRef<ModuleOp> module = parse(text);
      ASSERT_TRUE(module) << row.operation << "\n" << text;
      Execution whole = run(*module);
      ASSERT_TRUE(whole.op) << row.operation << " is not computed\n" << text;
      ASSERT_EQ(whole.op->getName().getStringRef().str(), row.operation);
      std::optional<FactorRule> rule = ruleOf(whole.op);
      ASSERT_TRUE(rule) << row.operation;
      // What the attribute says must be legal, and mean the same.
      whole.op->setAttr(sdy::kShardingRuleAttr, rule->toAttribute(&context));
      EXPECT_TRUE(succeeded(whole.op->getName().verifyInvariants(whole.op)))
          << row.operation;
      whole.op->removeAttr(sdy::kShardingRuleAttr);
      for (int64_t factor = 0; factor < int64_t(rule->factors.size()); ++factor)
        for (int64_t parts = 2; parts <= 4; ++parts) {
          if (rule->factors[factor].size % parts != 0)
            continue;
          hasParts = true;
          std::string why;
          Outcome outcome = runOnPieces(whole, *rule, factor, parts, why);
          EXPECT_NE(outcome, Outcome::Differs)
              << row.operation << ", factor " << factor << " in " << parts
              << " parts: " << why << "\n"
              << text;
          if (outcome == Outcome::Equal)
            ++equal[rule->factors[factor].kind];
          isTried |= outcome == Outcome::Equal;
        }
    }
    // Random numbers are not cut alone, see Pieces.cpp.
    if (!StringRef(row.operation).contains("rng"))
      EXPECT_TRUE(isTried || !hasParts)
          << row.operation << ": no factor is tried";
  }
  EXPECT_GT(equal[FactorKind::PassThrough], 200);
  EXPECT_GT(equal[FactorKind::Reduction], 10);
  EXPECT_GT(equal[FactorKind::Prefix], 0);
}

TEST_F(Rules, AreOfEachOperationOnce) {
  std::set<std::string> names;
  for (const RuleRow &row : ruleTable())
    EXPECT_TRUE(names.insert(row.operation).second) << row.operation;
}

/// Every operation with tensors in and out has a rule, or is named here with
/// the reason why it has none.
TEST_F(Rules, CoverTheDialects) {
  std::set<std::string> known;
  for (const RuleRow &row : ruleTable())
    known.insert(row.operation);
  // By edges: values flow through them.
  for (const char *name : {"case", "if", "while", "optimization_barrier",
                           "return", "composite", "custom_call"})
    known.insert("stablehlo." + std::string(name));
  // No tensors that can be cut: tokens, tuples, numbers of devices.
  for (const char *name :
       {"after_all", "create_token", "tuple", "get_tuple_element", "replica_id",
        "partition_id", "infeed", "outfeed", "send", "recv", "async_start",
        "async_done", "get_dimension_size"})
    known.insert("stablehlo." + std::string(name));
  // Shapes that are data, which import makes known.
  for (const char *name :
       {"dynamic_broadcast_in_dim", "dynamic_conv", "dynamic_gather",
        "dynamic_iota", "dynamic_pad", "dynamic_reshape", "real_dynamic_slice",
        "set_dimension_size"})
    known.insert("stablehlo." + std::string(name));
  // Written out before anything is sharded.
  for (const char *name : {"cross-replica-sum", "einsum", "unary_einsum"})
    known.insert("stablehlo." + std::string(name));
  known.insert("chlo.constant");
  known.insert("chlo.return");
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect == "stablehlo" || dialect == "chlo")
      EXPECT_TRUE(known.count(name.getStringRef().str()))
          << name.getStringRef().str() << " has no rule";
  }
}

/// Rules that are wrong, one for each way in which they can be.
TEST_F(Rules, ThatAreWrongShow) {
  struct Case {
    const char *operation;
    int64_t factor;
    FactorKind kind;
  };
  for (Case broken :
       {Case{"stablehlo.sort", 1, FactorKind::PassThrough},
        Case{"stablehlo.reverse", 1, FactorKind::PassThrough},
        Case{"stablehlo.fft", 1, FactorKind::PassThrough},
        Case{"stablehlo.dot_general", 3, FactorKind::PassThrough},
        Case{"stablehlo.reduce", 1, FactorKind::PassThrough},
        Case{"chlo.scan", 0, FactorKind::PassThrough},
        Case{"stablehlo.concatenate", 1, FactorKind::PassThrough}}) {
    const RuleRow *row = nullptr;
    for (const RuleRow &candidate : ruleTable())
      if (candidate.operation == broken.operation)
        row = &candidate;
    ASSERT_TRUE(row) << broken.operation;
    OwningOpRef<ModuleOp> module = parse(row->samples.front());
    Execution whole = run(*module);
    FactorRule rule = *ruleOf(whole.op);
    ASSERT_NE(rule.factors[broken.factor].kind, broken.kind);
    rule.factors[broken.factor].kind = broken.kind;
    std::string why;
    // Where the pieces do not even fit, that shows as well.
    EXPECT_TRUE(runOnPieces(whole, rule, broken.factor, 2, why) ==
                    Outcome::Differs ||
                why == "the factors do not make up a dimension")
        << broken.operation;
  }
}

/// Dimensions exchanged: a transpose that says that it is none.
TEST_F(Rules, ThatExchangeDimensionsShow) {
  OwningOpRef<ModuleOp> module = parse(
      "func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
      "  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x4xf32>) -> "
      "tensor<4x4xf32>\n"
      "  return %r : tensor<4x4xf32>\n}");
  Execution whole = run(*module);
  FactorRule rule = *ruleOf(whole.op);
  std::string why;
  EXPECT_EQ(runOnPieces(whole, rule, 0, 2, why), Outcome::Equal);
  std::swap(rule.operands[0][0], rule.operands[0][1]);
  EXPECT_EQ(runOnPieces(whole, rule, 0, 2, why), Outcome::Differs);
}

} // namespace
} // namespace heddle::sharding
