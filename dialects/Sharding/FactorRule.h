// How the dimensions of operands and results of an operation belong together.
//
// A factor is a size that dimensions have in common: where it is cut over some
// devices, all dimensions that have it are. A dimension may have several, from
// the major to the minor one.

#ifndef HEDDLE_DIALECTS_SHARDING_FACTORRULE_H
#define HEDDLE_DIALECTS_SHARDING_FACTORRULE_H

#include "dialects/Sdy/Sdy.h"

#include "mlir/IR/Operation.h"

namespace heddle::sharding {

/// What it takes to compute on pieces of a factor.
enum class FactorKind {
  /// Nothing: pieces of operands give pieces of results.
  PassThrough,
  /// Each piece gives a term; results are the terms joined.
  Reduction,
  /// The whole: pieces must be gathered first.
  NeedReplication,
  /// Pieces go to other devices, as where an order is reversed.
  Permutation,
  /// Neighbours lend what lies next to their border, as for a window.
  Halo,
  /// A piece needs what all before it have come to, as a running sum does.
  Prefix,
  /// Pieces of groups whose sizes are data.
  Ragged,
};

/// `pass_through`, `need_replication` and so on.
llvm::StringRef nameOf(FactorKind kind);

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  /// Propagation does not go along it.
  bool isBlocked = false;
};

/// The factors of each dimension of a tensor.
using TensorFactors = llvm::SmallVector<llvm::SmallVector<int64_t, 2>>;

struct FactorRule {
  llvm::SmallVector<Factor> factors;
  llvm::SmallVector<TensorFactors> operands, results;
  bool isCustom = false;

  sdy::OpShardingRuleAttr toAttribute(mlir::MLIRContext *context) const;
  static FactorRule fromAttribute(sdy::OpShardingRuleAttr attribute);
};

/// Makes a rule factor by factor.
class RuleBuilder {
public:
  /// Without factors yet.
  explicit RuleBuilder(mlir::Operation *op);

  /// A factor of the named dimensions: one for each operand and each result,
  /// -1 where a value does not have it. Behind other factors of a dimension,
  /// it is minor to them.
  RuleBuilder &add(llvm::ArrayRef<int64_t> operandDims,
                   llvm::ArrayRef<int64_t> resultDims, int64_t size,
                   FactorKind kind = FactorKind::PassThrough,
                   bool isBlocked = false);

  /// A factor of the same dimension of all operands and results.
  RuleBuilder &addAll(int64_t dim, int64_t size,
                      FactorKind kind = FactorKind::PassThrough,
                      bool isBlocked = false);

  /// A factor of each dimension of the result, shared by operands of its rank;
  /// those of rank 0 have none.
  RuleBuilder &addPointwise();

  /// Dimensions that have no factor get one of their own, of this kind.
  FactorRule build(FactorKind others = FactorKind::PassThrough);

private:
  mlir::Operation *op;
  FactorRule rule;
};

/// The rule of an operation: what it carries under `sdy.sharding_rule`, else
/// what its interface says, else, for composites, what follows from the body.
/// Nothing where none is known or a shape is open.
std::optional<FactorRule> ruleOf(mlir::Operation *op);

/// The shape of a tensor; empty for anything else.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);

} // namespace heddle::sharding

#include "dialects/Sharding/FactorRuleInterface.h.inc"

#endif // HEDDLE_DIALECTS_SHARDING_FACTORRULE_H
