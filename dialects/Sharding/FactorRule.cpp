// How the dimensions of operands and results of an operation belong together.

#include "dialects/Sharding/FactorRule.h"

#include "dialects/Sharding/CompositeRule.h"
#include "dialects/StableHlo/AnnotationCalls.h"
#include "dialects/StableHlo/StableHlo.h"

#include "dialects/Sharding/FactorRuleInterface.cpp.inc"

using namespace mlir;

namespace heddle::sharding {

StringRef nameOf(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return "pass_through";
  case FactorKind::Reduction:
    return "reduction";
  case FactorKind::NeedReplication:
    return "need_replication";
  case FactorKind::Permutation:
    return "permutation";
  case FactorKind::Halo:
    return "halo";
  case FactorKind::Prefix:
    return "prefix";
  case FactorKind::Ragged:
    return "ragged";
  }
  return "";
}

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type.getShape() : ArrayRef<int64_t>();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static SmallVector<sdy::TensorMappingAttr>
mappingsOf(ArrayRef<TensorFactors> tensors, MLIRContext *context) {
  return llvm::map_to_vector(tensors, [&](const TensorFactors &tensor) {
    auto dims = llvm::map_to_vector(tensor, [&](ArrayRef<int64_t> factors) {
      return sdy::DimMappingAttr::get(context, factors);
    });
    return sdy::TensorMappingAttr::get(context, dims);
  });
}

sdy::OpShardingRuleAttr FactorRule::toAttribute(MLIRContext *context) const {
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  for (auto [index, factor] : llvm::enumerate(factors)) {
    sizes.push_back(factor.size);
    switch (factor.kind) {
    case FactorKind::PassThrough:
      break;
    case FactorKind::Reduction:
      reduction.push_back(index);
      break;
    case FactorKind::NeedReplication:
    case FactorKind::Ragged:
      replication.push_back(index);
      break;
    case FactorKind::Permutation:
    case FactorKind::Halo:
    case FactorKind::Prefix:
      permutation.push_back(index);
      break;
    }
    if (factor.isBlocked)
      blocked.push_back(index);
  }
  return sdy::OpShardingRuleAttr::get(
      context, sizes, mappingsOf(operands, context),
      mappingsOf(results, context), reduction, replication, permutation,
      blocked, isCustom);
}

FactorRule FactorRule::fromAttribute(sdy::OpShardingRuleAttr attribute) {
  FactorRule rule;
  for (int64_t size : attribute.getFactorSizes())
    rule.factors.push_back({size});
  auto mark = [&](ArrayRef<int64_t> factors, FactorKind kind) {
    for (int64_t factor : factors)
      rule.factors[factor].kind = kind;
  };
  mark(attribute.getReductionFactors(), FactorKind::Reduction);
  mark(attribute.getNeedReplicationFactors(), FactorKind::NeedReplication);
  mark(attribute.getPermutationFactors(), FactorKind::Permutation);
  for (int64_t factor : attribute.getBlockedPropagationFactors())
    rule.factors[factor].isBlocked = true;
  auto read = [](ArrayRef<sdy::TensorMappingAttr> mappings,
                 SmallVector<TensorFactors> &tensors) {
    for (sdy::TensorMappingAttr mapping : mappings) {
      TensorFactors &tensor = tensors.emplace_back();
      for (sdy::DimMappingAttr dim : mapping.getDims())
        tensor.emplace_back(dim.getFactors());
    }
  };
  read(attribute.getOperandMappings(), rule.operands);
  read(attribute.getResultMappings(), rule.results);
  rule.isCustom = attribute.getIsCustom();
  return rule;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

RuleBuilder::RuleBuilder(Operation *op) : op(op) {
  for (Value operand : op->getOperands())
    rule.operands.emplace_back(shapeOf(operand).size());
  for (Value result : op->getResults())
    rule.results.emplace_back(shapeOf(result).size());
}

RuleBuilder &RuleBuilder::add(ArrayRef<int64_t> operandDims,
                              ArrayRef<int64_t> resultDims, int64_t size,
                              FactorKind kind, bool isBlocked) {
  int64_t factor = rule.factors.size();
  rule.factors.push_back({size, kind, isBlocked});
  for (auto [tensor, dim] : llvm::zip_equal(rule.operands, operandDims))
    if (dim >= 0)
      tensor[dim].push_back(factor);
  for (auto [tensor, dim] : llvm::zip_equal(rule.results, resultDims))
    if (dim >= 0)
      tensor[dim].push_back(factor);
  return *this;
}

RuleBuilder &RuleBuilder::addAll(int64_t dim, int64_t size, FactorKind kind,
                                 bool isBlocked) {
  auto dimsOf = [&](ArrayRef<TensorFactors> tensors) {
    return llvm::map_to_vector(tensors, [&](const TensorFactors &tensor) {
      return dim < int64_t(tensor.size()) ? dim : int64_t(-1);
    });
  };
  return add(dimsOf(rule.operands), dimsOf(rule.results), size, kind,
             isBlocked);
}

RuleBuilder &RuleBuilder::addPointwise() {
  Value shaped =
      op->getNumResults() ? Value(op->getResult(0)) : op->getOperand(0);
  for (auto [dim, size] : llvm::enumerate(shapeOf(shaped)))
    addAll(dim, size);
  return *this;
}

FactorRule RuleBuilder::build(FactorKind others) {
  auto complete = [&](SmallVector<TensorFactors> &tensors, ValueRange values) {
    for (auto [tensor, value] : llvm::zip_equal(tensors, values))
      for (auto [dim, factors] : llvm::enumerate(tensor))
        if (factors.empty()) {
          factors.push_back(rule.factors.size());
          rule.factors.push_back({shapeOf(value)[dim], others});
        }
  };
  complete(rule.operands, op->getOperands());
  complete(rule.results, op->getResults());
  return rule;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static bool hasOpenShape(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && !type.hasStaticShape();
}

std::optional<FactorRule> ruleOf(Operation *op) {
  if (llvm::any_of(op->getOperands(), hasOpenShape) ||
      llvm::any_of(op->getResults(), hasOpenShape))
    return std::nullopt;
  if (auto carried =
          op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr))
    return FactorRule::fromAttribute(carried);
  if (auto known = dyn_cast<FactorRuleInterface>(op))
    return known.factorRule();
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    return ruleOfComposite(composite);
  // What says how a value lives gives the value.
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    if (stablehlo::isAnnotationCall(call.getCallTargetName()) &&
        op->getNumResults() == 1 &&
        op->getOperandTypes() == op->getResultTypes())
      return RuleBuilder(op).addPointwise().build();
  return std::nullopt;
}

} // namespace heddle::sharding
