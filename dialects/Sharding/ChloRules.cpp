// Rules of CHLO's operations.

#include "dialects/Sharding/RuleRegistration.h"
#include "dialects/Sharding/Samples.h"

#include "dialects/Chlo/Chlo.h"

using namespace mlir;
using namespace heddle::chlo;

namespace heddle::sharding {

template <typename Op> static FactorRule pointwiseOf(Op op) {
  return RuleBuilder(op).addPointwise().build();
}

template <typename Op>
static void addPointwise(RuleRegistration &rules, unsigned operands,
                         StringRef element, StringRef resultElement = {},
                         StringRef attributes = {}) {
  rules.add<Op, pointwiseOf<Op>>(pointwiseSample(
      Op::getOperationName(), operands, element, resultElement, attributes));
}

template <typename... Ops>
static void addAlike(RuleRegistration &rules, unsigned operands,
                     StringRef element, StringRef resultElement = {}) {
  (addPointwise<Ops>(rules, operands, element, resultElement), ...);
}

/// Dimensions are counted from the last; an operand's that is 1 where the
/// result's is not is whole.
template <typename Op> static FactorRule broadcastOf(Op op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  for (auto [dim, size] : llvm::enumerate(shape)) {
    SmallVector<int64_t> dims;
    for (Value operand : op->getOperands()) {
      ArrayRef<int64_t> from = shapeOf(operand);
      int64_t at = int64_t(dim) - int64_t(shape.size() - from.size());
      dims.push_back(at >= 0 && from[at] == size ? at : -1);
    }
    builder.add(dims, {int64_t(dim)}, size);
  }
  return builder.build();
}

template <typename... Ops>
static void addBroadcast(RuleRegistration &rules, StringRef element,
                         StringRef resultElement = {},
                         StringRef attributes = {}) {
  auto one = [&](StringRef name) {
    StringRef to = resultElement.empty() ? element : resultElement;
    std::string a = ("tensor<4x1x" + element + ">").str();
    std::string b = ("tensor<6x" + element + ">").str();
    std::string r = ("tensor<4x6x" + to + ">").str();
    return sample({a, b},
                  ("%r = \"" + name + "\"(%a, %b) " + attributes + " : (" + a +
                   ", " + b + ") -> " + r)
                      .str(),
                  r);
  };
  (rules.add<Ops, broadcastOf<Ops>>(one(Ops::getOperationName())), ...);
}

static FactorRule ofConstantLike(ConstantLikeOp op) {
  return RuleBuilder(op).addPointwise().build();
}

/// The last dimension is searched as a whole.
static FactorRule ofTopK(TopKOp op) {
  RuleBuilder builder(op);
  ArrayRef<int64_t> shape = shapeOf(op.getOperand());
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isLast = dim + 1 == shape.size();
    builder.addAll(
        dim, size,
        isLast ? FactorKind::NeedReplication : FactorKind::PassThrough, isLast);
  }
  return builder.build();
}

/// Inputs and outputs have the dimension that is scanned; a piece begins with
/// what the ones before it have carried.
static FactorRule ofScan(ScanOp op) {
  RuleBuilder builder(op);
  int64_t scanned = op.getDimension();
  Value first =
      op.getInputs().empty() ? op.getOutputs().front() : op.getInputs().front();
  auto dims = [](size_t arrays, int64_t at, size_t states, int64_t stateAt) {
    SmallVector<int64_t> dims(arrays, at);
    dims.append(states, stateAt);
    return dims;
  };
  for (auto [at, size] : llvm::enumerate(shapeOf(first))) {
    int64_t dim = at;
    bool isScanned = dim == scanned;
    int64_t stateDim = isScanned ? -1 : dim - (dim > scanned);
    builder.add(
        dims(op.getInputs().size(), dim, op.getInits().size(), stateDim),
        dims(op.getOutputs().size(), dim, op.getCarries().size(), stateDim),
        size, isScanned ? FactorKind::Prefix : FactorKind::PassThrough);
  }
  return builder.build();
}

/// Products of groups of rows whose lengths are data: [m, k] x [g, k, n] with g
/// lengths. Columns pass through, what is summed is reduced, rows are ragged.
static FactorRule ofRaggedDot(RaggedDotOp op) {
  RuleBuilder builder(op);
  auto numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsSum = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsSum = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> ragged = numbers.getLhsRaggedDimensions();
  ArrayRef<int64_t> groups = numbers.getRhsGroupDimensions();
  // A ragged dimension that is summed or a batch leaves a group's dimension in
  // front of the result, or none: nothing of these is cut.
  bool isPlain = groups.size() == 1 && ragged.size() == 1 &&
                 !llvm::is_contained(lhsSum, ragged.front()) &&
                 !llvm::is_contained(lhsBatch, ragged.front());
  if (!isPlain)
    return builder.build(FactorKind::NeedReplication);
  int64_t at = 0;
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    builder.add({l, r, -1}, {at++}, lhs[l]);
  for (int64_t dim = 0; dim < int64_t(lhs.size()); ++dim)
    if (!llvm::is_contained(lhsBatch, dim) && !llvm::is_contained(lhsSum, dim))
      builder.add({dim, -1, -1}, {at++}, lhs[dim],
                  dim == ragged.front() ? FactorKind::Ragged
                                        : FactorKind::PassThrough);
  for (int64_t dim = 0; dim < int64_t(rhs.size()); ++dim)
    if (!llvm::is_contained(rhsBatch, dim) &&
        !llvm::is_contained(rhsSum, dim) && !llvm::is_contained(groups, dim))
      builder.add({-1, dim, -1}, {at++}, rhs[dim]);
  for (auto [l, r] : llvm::zip_equal(lhsSum, rhsSum))
    builder.add({l, r, -1}, {-1}, lhs[l], FactorKind::Reduction);
  return builder.build(FactorKind::NeedReplication);
}

void addChloRules(RuleRegistration &rules) {
  addAlike<BesselI1eOp, AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp,
           CoshOp, DigammaOp, ErfOp, ErfInvOp, ErfcOp, LgammaOp, SinhOp,
           SquareOp, TanOp>(rules, 1, "f32");
  addAlike<NextAfterOp, PolygammaOp, ZetaOp>(rules, 2, "f32");
  addAlike<IsInfOp, IsNegInfOp, IsPosInfOp>(rules, 1, "f32", "i1");
  addAlike<ConjOp>(rules, 1, "complex<f32>");
  addAlike<MulhiOp>(rules, 2, "i32");
  addBroadcast<BroadcastAddOp, BroadcastAtan2Op, BroadcastDivideOp,
               BroadcastMaximumOp, BroadcastMinimumOp, BroadcastMultiplyOp,
               BroadcastNextAfterOp, BroadcastPolygammaOp, BroadcastPowerOp,
               BroadcastRemainderOp, BroadcastSubtractOp, BroadcastZetaOp>(
      rules, "f32");
  addBroadcast<BroadcastAndOp, BroadcastOrOp, BroadcastShiftLeftOp,
               BroadcastShiftRightArithmeticOp, BroadcastShiftRightLogicalOp,
               BroadcastXorOp>(rules, "i32");
  addBroadcast<BroadcastComplexOp>(rules, "f32", "complex<f32>");
  addBroadcast<BroadcastCompareOp>(
      rules, "f32", "i1",
      "{comparison_direction = #chlo<comparison_direction LT>}");
  rules.add<BroadcastSelectOp, broadcastOf<BroadcastSelectOp>>(
      sample({"tensor<4x1xi1>", "tensor<6xf32>", "tensor<4x6xf32>"},
             "%r = \"chlo.broadcast_select\"(%a, %b, %c) : (tensor<4x1xi1>, "
             "tensor<6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<ConstantLikeOp, ofConstantLike>(
      sample({"tensor<4x6xf32>"},
             "%r = \"chlo.constant_like\"(%a) {value = 2.5 : f32} : "
             "(tensor<4x6xf32>) -> tensor<4x6xf32>",
             "tensor<4x6xf32>"));
  rules.add<TopKOp, ofTopK>(
      sample({"tensor<4x6xf32>"},
             "%r, %i = \"chlo.top_k\"(%a) {k = 2 : i64} : (tensor<4x6xf32>) -> "
             "(tensor<4x2xf32>, tensor<4x2xi32>)",
             "tensor<4x2xf32>"));
  rules.add<ScanOp, ofScan>(sample({"tensor<6xi32>", "tensor<i32>"},
                                   R"(%r, %c = "chlo.scan"(%a, %b) ({
    ^bb0(%x: tensor<i32>, %s: tensor<i32>):
      %t = stablehlo.add %x, %s : tensor<i32>
      stablehlo.return %t, %t : tensor<i32>, tensor<i32>
  }) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}
      : (tensor<6xi32>, tensor<i32>) -> (tensor<6xi32>, tensor<i32>))",
                                   "tensor<6xi32>"));
  rules.add<RaggedDotOp, ofRaggedDot>(
      sample({"tensor<6x4xf32>", "tensor<2x4x6xf32>"},
             R"(%g = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %r = "chlo.ragged_dot"(%a, %b, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
    lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}
      : (tensor<6x4xf32>, tensor<2x4x6xf32>, tensor<2xi32>) -> tensor<6x6xf32>)",
             "tensor<6x6xf32>"));
}

} // namespace heddle::sharding
