// What a sharding rule must fulfil for the operation that carries it.

#include "dialects/Sdy/ShardingText.h"
#include "dialects/Sdy/ShardingVerification.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle::sdy {

static LogicalResult verifyMapping(TensorMappingAttr mapping, Type type,
                                   OpShardingRuleAttr rule,
                                   llvm::BitVector &used, EmitError emitError) {
  auto tensor = dyn_cast<ShapedType>(type);
  // A token has no dimensions.
  int64_t rank = tensor && tensor.hasRank() ? tensor.getRank() : 0;
  if (tensor && (!tensor.hasRank() || !tensor.hasStaticShape()))
    return emitError() << "is " << type << "; a known shape is wanted";
  if (int64_t(mapping.getDims().size()) != rank)
    return emitError() << "has rank " << rank << ", but the rule maps "
                       << mapping.getDims().size() << " dimensions";
  llvm::BitVector here(rule.factorCount());
  for (auto [index, dim] : llvm::enumerate(mapping.getDims())) {
    if (dim.getFactors().empty())
      return emitError() << "dimension " << index << " has no factor";
    for (int64_t factor : dim.getFactors()) {
      if (factor < 0 || factor >= int64_t(rule.factorCount()))
        return emitError() << "dimension " << index << " has factor "
                           << factorName(factor) << ", which has no size";
      if (dim.getFactors().size() > 1 && rule.getFactorSizes()[factor] == 1)
        return emitError() << "dimension " << index << " has factor "
                           << factorName(factor)
                           << " of size 1 beside others: leave it away";
      if (here.test(factor))
        return emitError() << "has factor " << factorName(factor) << " twice";
      here.set(factor);
    }
  }
  used |= here;
  return success();
}

static LogicalResult verifyMappings(ArrayRef<TensorMappingAttr> mappings,
                                    TypeRange types, OpShardingRuleAttr rule,
                                    llvm::BitVector &used, Operation *op,
                                    StringRef what) {
  if (mappings.size() != types.size())
    return op->emitOpError() << "has " << types.size() << ' ' << what
                             << "s, but the rule maps " << mappings.size();
  for (auto [index, mapping, type] : llvm::enumerate(mappings, types))
    if (failed(verifyMapping(mapping, type, rule, used, [&, i = index] {
          return op->emitOpError() << what << ' ' << i << ' ';
        })))
      return failure();
  return success();
}

static LogicalResult verifySpecial(ArrayRef<int64_t> factors, StringRef what,
                                   OpShardingRuleAttr rule, Operation *op) {
  for (auto [index, factor] : llvm::enumerate(factors)) {
    if (factor < 0 || factor >= int64_t(rule.factorCount()))
      return op->emitOpError() << "the rule has factor " << factorName(factor)
                               << " under " << what << ", but no size of it";
    if (index > 0 && factors[index - 1] >= factor)
      return op->emitOpError()
             << "the rule's factors under " << what
             << " must be in order and each once: " << factorName(factor)
             << " stands after " << factorName(factors[index - 1]);
  }
  return success();
}

LogicalResult verifyRule(OpShardingRuleAttr rule, Operation *op) {
  llvm::BitVector inOperands(rule.factorCount()), inResults(inOperands);
  if (failed(verifyMappings(rule.getOperandMappings(), op->getOperandTypes(),
                            rule, inOperands, op, "operand")) ||
      failed(verifyMappings(rule.getResultMappings(), op->getResultTypes(),
                            rule, inResults, op, "result")))
    return failure();
  for (auto [factor, size] : llvm::enumerate(rule.getFactorSizes()))
    if (!inOperands.test(factor) && !inResults.test(factor))
      return op->emitOpError()
             << "the rule has factor " << factorName(factor) << " of size "
             << size << ", which no dimension uses";
  if (failed(
          verifySpecial(rule.getReductionFactors(), "reduction", rule, op)) ||
      failed(verifySpecial(rule.getNeedReplicationFactors(), "need_replication",
                           rule, op)) ||
      failed(verifySpecial(rule.getPermutationFactors(), "permutation", rule,
                           op)) ||
      failed(verifySpecial(rule.getBlockedPropagationFactors(),
                           "blocked_propagation", rule, op)))
    return failure();
  llvm::BitVector kinds(rule.factorCount());
  for (ArrayRef<int64_t> factors :
       {rule.getReductionFactors(), rule.getNeedReplicationFactors(),
        rule.getPermutationFactors()})
    for (int64_t factor : factors) {
      if (kinds.test(factor))
        return op->emitOpError()
               << "the rule has factor " << factorName(factor)
               << " under two of reduction, need_replication, permutation";
      kinds.set(factor);
    }
  for (int64_t factor : rule.getReductionFactors())
    if (inResults.test(factor))
      return op->emitOpError() << "the rule reduces factor "
                               << factorName(factor) << ", which results have";
  return success();
}

} // namespace heddle::sdy
