// Rules of collectives that a program has itself.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle::sharding {

template <typename Op> static FactorRule pointwiseOf(Op op) {
  return RuleBuilder(op).addPointwise().build();
}

static SmallVector<int64_t> all(size_t count, int64_t dim) {
  return SmallVector<int64_t>(count, dim);
}

/// A dimension of operands that is not of results, and one of results.
static void addApart(RuleBuilder &builder, Operation *op, int64_t operandDim,
                     int64_t resultDim) {
  size_t count = op->getNumOperands();
  if (operandDim >= 0)
    builder.add(all(count, operandDim), all(op->getNumResults(), -1),
                shapeOf(op->getOperand(0))[operandDim],
                FactorKind::NeedReplication);
  if (resultDim >= 0)
    builder.add(all(count, -1), all(op->getNumResults(), resultDim),
                shapeOf(op->getResult(0))[resultDim],
                FactorKind::NeedReplication);
}

static void addOthers(RuleBuilder &builder, Operation *op,
                      ArrayRef<int64_t> besides) {
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getOperand(0))))
    if (!llvm::is_contained(besides, int64_t(dim)))
      builder.addAll(dim, size);
}

static FactorRule ofAllGather(AllGatherOp op) {
  RuleBuilder builder(op);
  int64_t dim = op.getAllGatherDim();
  addOthers(builder, op, dim);
  addApart(builder, op, dim, dim);
  return builder.build();
}

static FactorRule ofReduceScatter(ReduceScatterOp op) {
  RuleBuilder builder(op);
  int64_t dim = op.getScatterDimension();
  addOthers(builder, op, dim);
  addApart(builder, op, dim, dim);
  return builder.build();
}

static FactorRule ofAllToAll(AllToAllOp op) {
  RuleBuilder builder(op);
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension();
  addOthers(builder, op, {split, concat});
  addApart(builder, op, split, split);
  if (concat != split)
    addApart(builder, op, concat, concat);
  return builder.build();
}

void addDistributionRules(RuleRegistration &rules) {
  constexpr StringLiteral groups =
      "replica_groups = dense<[[0]]> : tensor<1x1xi64>";
  auto collective = [&](StringRef name, StringRef attributes,
                        StringRef region) {
    return sample({"tensor<4x6xf32>"},
                  ("%r = \"stablehlo." + name + "\"(%a) " + region + "{" +
                   attributes + groups +
                   "} : (tensor<4x6xf32>) -> tensor<4x6xf32>")
                      .str(),
                  "tensor<4x6xf32>");
  };
  constexpr StringLiteral sum = R"(({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
  }) )";
  rules.add<AllReduceOp, pointwiseOf<AllReduceOp>>(
      collective("all_reduce", "", sum));
  rules.add<CollectiveBroadcastOp, pointwiseOf<CollectiveBroadcastOp>>(
      collective("collective_broadcast", "", ""));
  rules.add<CollectivePermuteOp, pointwiseOf<CollectivePermuteOp>>(
      sample({"tensor<4x6xf32>"},
             "%r = \"stablehlo.collective_permute\"(%a) {source_target_pairs "
             "= dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> "
             "tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<AllGatherOp, ofAllGather>(
      collective("all_gather", "all_gather_dim = 1 : i64, ", ""));
  rules.add<ReduceScatterOp, ofReduceScatter>(
      collective("reduce_scatter", "scatter_dimension = 1 : i64, ", sum));
  rules.add<CollectiveReduceOp, pointwiseOf<CollectiveReduceOp>>(
      collective("collective_reduce", "", sum));
  rules.add<AllToAllOp, ofAllToAll>(
      sample({"tensor<4x6x8xf32>"},
             "%r = \"stablehlo.all_to_all\"(%a) {split_dimension = 1 : i64, "
             "concat_dimension = 0 : i64, split_count = 1 : i64, "
             "replica_groups = dense<[[0]]> : tensor<1x1xi64>} : "
             "(tensor<4x6x8xf32>) -> tensor<4x6x8xf32>",
             "tensor<4x6x8xf32>"));
}

} // namespace heddle::sharding
