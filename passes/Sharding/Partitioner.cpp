// Makes of a function on whole tensors the program of one device: values,
// operations that have a rule, and those that need whole tensors.

#include "passes/Sharding/Partitioner.h"

#include "dialects/Sdy/ValueShardings.h"
#include "dialects/Sharding/LocalOperation.h"
#include "passes/Graph/NeutralElement.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void Partitioner::setPart(Value value, Value local, Layout layout) {
  parts[value] = {local, dyn_cast<RankedTensorType>(value.getType()),
                  std::move(layout)};
}

Value Partitioner::moved(const Part &part, const Layout &to, Location loc) {
  if (!part.whole || part.layout == to)
    return part.value;
  return reshard(collectives, part.value, part.whole, part.layout, to, mesh,
                 loc);
}

void Partitioner::setResult(Value value, Value local, Layout layout,
                            Location loc) {
  setPart(value, local, std::move(layout));
  if (std::optional<Layout> wanted = namedLayout(value))
    setPart(value, moved(partOf(value), *wanted, loc), *wanted);
}

Value Partitioner::wholeOf(Value value, Location loc) {
  return moved(partOf(value), Layout::whole(rankOf(value.getType())), loc);
}

Type Partitioner::localType(Type type, const Layout &layout) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? partType(tensor, layout, mesh) : type;
}

std::optional<Layout> Partitioner::namedLayout(Value value) {
  sdy::TensorShardingAttr sharding = sdy::getSharding(value);
  if (!sharding || !isa<RankedTensorType>(value.getType()))
    return std::nullopt;
  Layout layout = layoutOf(sharding, rankOf(value.getType()), mesh);
  // What has no padding is cut evenly or not at all.
  auto type = cast<RankedTensorType>(value.getType());
  if (!canPad(type.getElementType()))
    for (auto [axes, size] : llvm::zip_equal(layout.dims, type.getShape()))
      if (size % sdy::partCount(axes, mesh) != 0)
        axes.clear();
  return layout;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

/// Operations that speak of the devices of the program themselves.
static bool isCollective(Operation *op) {
  return isa<stablehlo::AllGatherOp, stablehlo::AllReduceOp,
             stablehlo::ReduceScatterOp, stablehlo::AllToAllOp,
             stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp,
             stablehlo::CollectivePermuteOp, stablehlo::PartitionIdOp,
             stablehlo::ReplicaIdOp>(op);
}

/// Operations whose effect every device would have once more.
static bool actsOutside(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getHasSideEffect();
  return isa<stablehlo::InfeedOp, stablehlo::OutfeedOp, stablehlo::SendOp,
             stablehlo::RecvOp>(op);
}

LogicalResult Partitioner::visit(Operation *op) {
  if (actsOutside(op))
    return op->emitError("has an effect that each of the devices of a mesh "
                         "would have; programs with it are not partitioned");
  // What nobody asks for is not computed.
  if (isCollective(op) && isPure(op) && op->use_empty())
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::DataFlowEdgeOp,
            sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp,
            sdy::AllGatherOp, sdy::AllSliceOp, sdy::AllToAllOp,
            sdy::CollectivePermuteOp>([&](auto) { return visitMove(op); })
      .Case([&](sdy::ShardingGroupOp) { return success(); })
      .Case([&](sdy::ConstantOp constant) { return visitConstant(constant); })
      .Case([&](sdy::AllReduceOp reduce) { return visitAllReduce(reduce); })
      .Case([&](sdy::ReduceScatterOp scatter) {
        return visitReduceScatter(scatter);
      })
      .Case([&](func::CallOp call) { return visitCall(call); })
      .Case([&](stablehlo::CompositeOp composite) {
        return visitComposite(composite);
      })
      .Case([&](stablehlo::WhileOp loop) { return visitWhile(loop); })
      .Case<stablehlo::IfOp, stablehlo::CaseOp>(
          [&](auto) { return visitBranches(op); })
      .Case(
          [&](sdy::ManualComputationOp manual) { return visitManual(manual); })
      .Case([&](sdy::NamedComputationOp named) { return visitNamed(named); })
      .Default([&](Operation *) -> LogicalResult {
        if (op->getDialect() && isa<sdy::SdyDialect>(op->getDialect()))
          return op->emitError("is not partitioned yet");
        if (isCollective(op))
          return visitWhole(op);
        std::optional<sharding::FactorRule> rule = sharding::ruleOf(op);
        return rule ? visitByRule(op, *rule) : visitWhole(op);
      });
}

/// Copies an operation with operands in place of its own, and types in place of
/// its results'. Values from outside that its regions use are to be mapped.
static Operation *cloneWith(OpBuilder &builder, Operation *op,
                            ArrayRef<Value> operands, ArrayRef<Type> types,
                            IRMapping &mapping) {
  Operation *local = builder.clone(*op, mapping);
  local->setOperands(operands);
  for (auto [result, type] : llvm::zip_equal(local->getResults(), types))
    result.setType(type);
  local->removeAttr(sdy::kShardingAttr);
  local->removeAttr(sdy::kShardingRuleAttr);
  local->removeAttr(sdy::kEdgesAttr);
  sharding::followLocalShapes(local);
  return local;
}

LogicalResult Partitioner::visitWhole(Operation *op) {
  bool speaksOfDevices = op->walk([](Operation *inner) {
                             return isCollective(inner)
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           }).wasInterrupted();
  if (speaksOfDevices && manualDepth == 0)
    return op->emitError(
        "speaks of devices outside of a computation by hand; a program that is "
        "partitioned speaks of whole tensors");
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(wholeOf(operand, loc));
  IRMapping mapping;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, wholeOf(value, loc));
  Operation *local = cloneWith(builder, op, operands,
                               llvm::to_vector(op->getResultTypes()), mapping);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), local->getResults()))
    setResult(result, value, Layout::whole(rankOf(result.getType())), loc);
  return success();
}

//===----------------------------------------------------------------------===//
// Operations that have a rule
//===----------------------------------------------------------------------===//

bool Partitioner::canCut(Operation *op, const sharding::FactorRule &rule,
                         int64_t factor) {
  if (!sharding::needsMoreThanPieces(op, rule, factor).empty() &&
      !movesPlaces(op, rule, factor))
    return false;
  sharding::FactorKind kind = rule.factors[factor].kind;
  // The factors of a dimension have all of its elements, or parts of them are
  // no parts of the dimension.
  auto isCovered = [&](Value value, const sharding::TensorFactors &tensor) {
    for (auto [dim, factors] : llvm::enumerate(tensor)) {
      if (!llvm::is_contained(factors, factor))
        continue;
      int64_t product = 1;
      for (int64_t one : factors)
        product *= rule.factors[one].size;
      if (product != sharding::shapeOf(value)[dim])
        return false;
    }
    return true;
  };
  for (auto [value, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
    if (!isCovered(value, tensor))
      return false;
  for (auto [value, tensor] : llvm::zip_equal(op->getResults(), rule.results)) {
    if (!isCovered(value, tensor))
      return false;
    if (sharding::hasFactor(tensor, factor) !=
        (kind == sharding::FactorKind::PassThrough))
      return false;
  }
  return kind == sharding::FactorKind::PassThrough || joinsBy(op).has_value();
}

Operation *Partitioner::cloneOnParts(Operation *op,
                                     const sharding::FactorRule &rule,
                                     const OperationCut &cut) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (auto [operand, tensor] :
       llvm::zip_equal(op->getOperands(), rule.operands))
    operands.push_back(moved(partOf(operand), cut.layoutOf(tensor), loc));
  SmallVector<Type> types;
  for (auto [type, tensor] :
       llvm::zip_equal(op->getResultTypes(), rule.results))
    types.push_back(localType(type, cut.layoutOf(tensor)));
  IRMapping mapping;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, wholeOf(value, loc));
  return cloneWith(builder, op, operands, types, mapping);
}

LogicalResult Partitioner::visitByRule(Operation *op,
                                       const sharding::FactorRule &rule) {
  if (rule.operands.size() != op->getNumOperands() ||
      rule.results.size() != op->getNumResults())
    return visitWhole(op);
  SmallVector<TensorPlace> operands, results;
  SmallVector<std::optional<Layout>> wanted;
  for (Value operand : op->getOperands())
    operands.push_back({partOf(operand).whole, partOf(operand).layout});
  for (Value result : op->getResults()) {
    wanted.push_back(namedLayout(result));
    results.push_back({});
    if (wanted.back())
      results.back() = {cast<RankedTensorType>(result.getType()),
                        *wanted.back()};
  }
  OperationCut cut(op, rule, mesh);
  cut.choose(operands, results,
             [&](int64_t factor) { return canCut(op, rule, factor); });
  Operation *local = cloneOnParts(op, rule, cut);

  Axes termAxes;
  for (auto [index, factor] : llvm::enumerate(rule.factors))
    if (factor.kind == sharding::FactorKind::Reduction)
      llvm::append_range(termAxes, cut.axesOf(index));
  if (!termAxes.empty())
    prepareTerms(op, local, rule, cut, termAxes);
  if (auto select = dyn_cast<stablehlo::TorchIndexSelectOp>(op))
    fillIndices(select, local, rule, cut);
  builder.setInsertionPointAfter(local);
  SmallVector<Value> values(local->getResults());
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op);
      gather && !termAxes.empty())
    values[0] = gatherTerms(gather, local, cut.layoutOf(rule.operands[0]));
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    movePlaces(scatter, local, cut.layoutOf(rule.operands[0]));
  Axes left = leftToUsers(op);
  llvm::erase_if(termAxes,
                 [&](sdy::AxisRefAttr axis) { return overlap(left, axis); });
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Part part = {values[index], dyn_cast<RankedTensorType>(result.getType()),
                 cut.layoutOf(rule.results[index])};
    if (!termAxes.empty())
      part =
          joinTerms(op, std::move(part), *joinsBy(op), termAxes, wanted[index]);
    setResult(result, part.value, part.layout, op->getLoc());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

LogicalResult Partitioner::visitMove(Operation *op) {
  Part part = partOf(op->getOperand(0));
  setResult(op->getResult(0), part.value, part.layout, op->getLoc());
  return success();
}

LogicalResult Partitioner::visitConstant(sdy::ConstantOp op) {
  Value whole =
      stablehlo::ConstantOp::create(builder, op.getLoc(), op.getValue());
  setResult(op.getOutput(), whole,
            Layout::whole(rankOf(op.getOutput().getType())), op.getLoc());
  return success();
}

} // namespace heddle
