// Lets shardings go along operations until none changes.

#include "passes/Sharding/Layout.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Strategy.h"

#include "dialects/Sdy/ValueShardings.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

#include <map>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_PROPAGATESHARDINGS
#include "passes/Sharding/Passes.h.inc"

namespace {

/// Where an operation stands in the order in which shardings go along.
enum class EdgeKind {
  Return,
  Group,
  Offload,
  PassThrough,
  ForwardOnly,
  Broadcast,
  Other
};

/// Steps of propagation; each lets through what those before it do, and more.
enum class Level {
  /// Moves between memories.
  Offload,
  /// Operations that compute element by element, where values have one user.
  SingleUse,
  /// The same, however many users values have.
  PassThrough,
  /// What passes through any operation; broadcasts to what they read.
  PassThroughFactors,
  /// All factors; broadcasts to what they read.
  BroadcastBackward,
  All,
};

/// All tensors have the same dimensions, none of which is exchanged.
bool isUniform(const sharding::FactorRule &rule) {
  const sharding::TensorFactors *first = nullptr;
  for (auto *tensors : {&rule.operands, &rule.results})
    for (const sharding::TensorFactors &tensor : *tensors) {
      if (!first)
        first = &tensor;
      if (tensor != *first)
        return false;
    }
  return llvm::all_of(rule.factors, [](const sharding::Factor &factor) {
    return factor.kind == sharding::FactorKind::PassThrough;
  });
}

EdgeKind kindOf(Operation *op, const sharding::FactorRule *rule) {
  if (isa<func::ReturnOp>(op))
    return EdgeKind::Return;
  if (isa<sdy::ShardingGroupOp>(op))
    return EdgeKind::Group;
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op))
    if (call.getCallTargetName() == "MoveToHost" ||
        call.getCallTargetName() == "MoveToDevice")
      return EdgeKind::Offload;
  if (isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return EdgeKind::ForwardOnly;
  if (isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp>(op))
    return EdgeKind::Broadcast;
  bool passes = !rule || isUniform(*rule) ||
                isa<stablehlo::ReshapeOp, stablehlo::TransposeOp,
                    stablehlo::SelectOp, stablehlo::ClampOp>(op);
  return passes ? EdgeKind::PassThrough : EdgeKind::Other;
}

/// Users other than the one that asks.
bool hasOneUser(Value value) { return llvm::all_equal(value.getUsers()); }

/// The rule of a value that goes from one place to another as it is.
sharding::FactorRule identityRule(RankedTensorType type) {
  sharding::FactorRule rule;
  sharding::TensorFactors tensor;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    rule.factors.push_back({size});
    tensor.push_back({int64_t(dim)});
  }
  rule.operands.push_back(tensor);
  rule.results.push_back(tensor);
  return rule;
}

/// A place that has a sharding: a value, or a result of a function.
struct Holder {
  Value value;
  func::FuncOp function;
  unsigned index = 0;

  sdy::TensorShardingAttr get() const {
    if (value)
      return sdy::getSharding(value);
    return func::FuncOp(function).getResultAttrOfType<sdy::TensorShardingAttr>(
        index, sdy::kShardingAttr);
  }
  /// Whether there is a place for it: arguments of loops have none.
  bool set(sdy::TensorShardingAttr sharding) const {
    if (value)
      return sdy::setSharding(value, sharding);
    func::FuncOp(function).setResultAttr(index, sdy::kShardingAttr, sharding);
    return true;
  }
  RankedTensorType type() const {
    return dyn_cast<RankedTensorType>(
        value ? value.getType()
              : func::FuncOp(function).getResultTypes()[index]);
  }
};

/// What shardings go along: an operation with its rule, or a returned value.
struct Edge {
  Operation *op = nullptr;
  sharding::FactorRule rule;
  EdgeKind kind;
  SmallVector<Holder> operands, results;
};

/// What may go along an edge in a step where values with several users wait.
sdy::Direction singleUse(const Edge &edge, bool isForwardOnly) {
  auto allSingle = [](ArrayRef<Holder> holders) {
    return llvm::all_of(holders, [](const Holder &holder) {
      return !holder.value || !holder.type() || holder.type().getRank() == 0 ||
             hasOneUser(holder.value);
    });
  };
  bool forward = allSingle(edge.results);
  bool backward = !isForwardOnly && allSingle(edge.operands);
  if (forward && backward)
    return sdy::Direction::Both;
  if (forward)
    return sdy::Direction::Forward;
  return backward ? sdy::Direction::Backward : sdy::Direction::None;
}

sdy::Direction directionAt(const Edge &edge, sharding::FactorKind kind,
                           Level level) {
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(edge.op))
    return barrier.getAllowedDirection();
  if (edge.kind == EdgeKind::Return || edge.kind == EdgeKind::Group ||
      level == Level::All)
    return sdy::Direction::Both;
  if (edge.kind == EdgeKind::Offload)
    return sdy::Direction::Both;
  if (level == Level::Offload)
    return sdy::Direction::None;
  bool isPlain =
      edge.kind == EdgeKind::PassThrough || edge.kind == EdgeKind::ForwardOnly;
  bool isForwardOnly = edge.kind == EdgeKind::ForwardOnly;
  if (level == Level::SingleUse)
    return isPlain ? singleUse(edge, isForwardOnly) : sdy::Direction::None;
  if (level == Level::PassThrough) {
    if (isForwardOnly)
      return sdy::Direction::Forward;
    return isPlain ? sdy::Direction::Both : sdy::Direction::None;
  }
  if (edge.kind == EdgeKind::Broadcast)
    return sdy::Direction::Backward;
  if (level == Level::PassThroughFactors &&
      kind != sharding::FactorKind::PassThrough)
    return isPlain ? sdy::Direction::Both : sdy::Direction::None;
  return sdy::Direction::Both;
}

/// Whether parts of one axis are parts of one division of it: each ends where
/// the next one can begin.
bool areOfOneDivision(sdy::TensorShardingAttr sharding, sdy::MeshAttr mesh) {
  SmallVector<sdy::AxisRefAttr> parts;
  sharding.forEachAxis([&](sdy::AxisRefAttr axis) { parts.push_back(axis); });
  for (sdy::AxisRefAttr a : parts)
    for (sdy::AxisRefAttr b : parts)
      if (a != b && a.getName() == b.getName() &&
          a.getPreSize() <= b.getPreSize() &&
          b.getPreSize() % a.nextPreSize(mesh) != 0)
        return false;
  return true;
}

/// Whether a sharding cuts at least as far as the one before. Shardings only
/// grow, or propagation would not end.
bool goesOn(sdy::TensorShardingAttr before, sdy::TensorShardingAttr sharding,
            sdy::MeshAttr mesh) {
  if (!areOfOneDivision(sharding, mesh))
    return false;
  if (!before)
    return true;
  for (auto [old, dim] :
       llvm::zip_equal(before.getDimShardings(), sharding.getDimShardings()))
    if (commonPrefix(old.getAxes(), dim.getAxes(), mesh) != old.getAxes())
      return false;
  return true;
}

/// Whether a tensor can be cut so: elements that have no padding evenly only.
bool canBeCut(RankedTensorType type, sdy::TensorShardingAttr sharding,
              sdy::MeshAttr mesh) {
  if (!type || canPad(type.getElementType()))
    return true;
  for (auto [size, dim] :
       llvm::zip_equal(type.getShape(), sharding.getDimShardings()))
    if (size % dim.shardCount(mesh) != 0)
      return false;
  return true;
}

struct PropagateShardings : impl::PropagateShardingsBase<PropagateShardings> {
  using PropagateShardingsBase::PropagateShardingsBase;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    edges.clear();
    groups.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        collect(function);
    if (failed(checkSupported()) || failed(checkGroups(/*isDone=*/false)))
      return signalPassFailure();
    Level first = byOperation ? Level::Offload : Level::All;
    for (int level = int(first); level <= int(Level::All); ++level)
      for (bool changed = true; changed;) {
        changed = false;
        for (Edge &edge : edges)
          changed |= propagate(edge, Level(level));
      }
    if (failed(checkGroups(/*isDone=*/true)))
      signalPassFailure();
  }

private:
  /// What users say that nothing heeds yet.
  LogicalResult checkSupported() {
    for (const Edge &edge : edges)
      for (auto *holders : {&edge.operands, &edge.results})
        for (const Holder &holder : *holders)
          if (sdy::TensorShardingAttr sharding = holder.get())
            for (sdy::DimensionShardingAttr dim : sharding.getDimShardings())
              if (dim.getPriority().value_or(0) > 0)
                return edge.op->emitError(
                    "priorities of users are not heeded by propagation yet");
    return success();
  }

  void addIdentity(Operation *op, Holder from, Holder to) {
    RankedTensorType type = to.type();
    if (!type || !type.hasStaticShape())
      return;
    Edge &edge = edges.emplace_back();
    edge.op = op;
    edge.kind = kindOf(op, nullptr);
    edge.rule = identityRule(type);
    edge.operands.push_back(from);
    edge.results.push_back(to);
  }

  /// What flows into the results of an operation with regions lies as they do:
  /// what a loop begins with and what each round gives, what branches give.
  bool collectFlow(Operation *op) {
    if (!isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
             stablehlo::OptimizationBarrierOp>(op))
      return false;
    for (OpResult result : op->getResults()) {
      unsigned index = result.getResultNumber();
      auto flow = [&](Value from) {
        addIdentity(op, {from, {}, 0}, {result, {}, 0});
      };
      if (isa<stablehlo::WhileOp, stablehlo::OptimizationBarrierOp>(op))
        flow(op->getOperand(index));
      for (Region &region : op->getRegions())
        // The condition of a loop gives no part of its state.
        if (Operation *end = region.front().getTerminator();
            end->getNumOperands() == op->getNumResults() &&
            end->getOperand(index).getType() == result.getType() &&
            !(isa<stablehlo::WhileOp>(op) && region.getRegionNumber() == 0))
          flow(end->getOperand(index));
    }
    return true;
  }

  /// A member of a group lies as the first one does.
  void collectMember(sdy::ShardingGroupOp op) {
    auto [found, isFirst] = groups.insert({op.getGroupId(), op});
    if (!isFirst)
      addIdentity(op, {found->second.getInput(), {}, 0},
                  {op.getInput(), {}, 0});
  }

  /// All members must have one shape; where shardings of users keep them from
  /// lying alike, that is an error.
  LogicalResult checkGroups(bool isDone) {
    WalkResult walked = getOperation().walk([&](sdy::ShardingGroupOp op) {
      sdy::ShardingGroupOp first = groups.find(op.getGroupId())->second;
      Value a = first.getInput(), b = op.getInput();
      auto refuse = [&](const Twine &why) {
        op.emitError(why).attachNote(first.getLoc())
            << "the first of the group is here";
        return WalkResult::interrupt();
      };
      if (sharding::shapeOf(a) != sharding::shapeOf(b))
        return refuse("is in a group of tensors of another shape");
      if (isDone && dimensionsOf(a) != dimensionsOf(b))
        return refuse("does not lie as the others of its group, because of "
                      "what is said of one of them");
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  /// The axes of each dimension of a value.
  SmallVector<Axes> dimensionsOf(Value value) {
    SmallVector<Axes> dims(sharding::shapeOf(value).size());
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      for (auto [axes, dim] : llvm::zip_equal(dims, sharding.getDimShardings()))
        axes = Axes(dim.getAxes());
    return dims;
  }

  void collect(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (auto member = dyn_cast<sdy::ShardingGroupOp>(op))
        return collectMember(member);
      if (collectFlow(op))
        return;
      if (isa<func::ReturnOp>(op)) {
        for (auto [index, operand] : llvm::enumerate(op->getOperands()))
          addIdentity(op, {operand, {}, 0}, {{}, function, unsigned(index)});
        return;
      }
      if (isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp>(op))
        return addIdentity(op, {op->getOperand(0), {}, 0},
                           {op->getResult(0), {}, 0});
      std::optional<sharding::FactorRule> rule = sharding::ruleOf(op);
      if (!rule || op->getNumOperands() == 0)
        return;
      Edge &edge = edges.emplace_back();
      edge.op = op;
      edge.kind = kindOf(op, &*rule);
      edge.rule = std::move(*rule);
      for (Value operand : op->getOperands())
        edge.operands.push_back({operand, {}, 0});
      for (Value result : op->getResults())
        edge.results.push_back({result, {}, 0});
    });
  }

  /// The mesh that all shardings of an edge are over; null if there is none, or
  /// two. A mesh without axes is any.
  Attribute meshOf(const Edge &edge) {
    Attribute found;
    for (auto *holders : {&edge.operands, &edge.results})
      for (const Holder &holder : *holders) {
        sdy::TensorShardingAttr sharding = holder.get();
        if (!sharding)
          continue;
        sdy::MeshAttr mesh = sharding.meshOf(*symbols);
        if (!mesh || mesh.isSingleDevice())
          return {};
        if (mesh.getAxes().empty())
          continue;
        if (found && found != sharding.getMeshOrRef())
          return {};
        found = sharding.getMeshOrRef();
      }
    return found;
  }

  bool propagate(Edge &edge, Level level) {
    Attribute meshOrRef = meshOf(edge);
    if (!meshOrRef)
      return false;
    sdy::MeshAttr mesh = sdy::lookupMesh(meshOrRef, getOperation());
    OperationProjection projection;
    TensorSizes sizes;
    auto projectAll =
        [&](ArrayRef<Holder> holders, ArrayRef<sharding::TensorFactors> tensors,
            SmallVector<TensorProjection> &to, SmallVector<int64_t> &size) {
          for (auto [holder, tensor] : llvm::zip_equal(holders, tensors)) {
            to.push_back(
                project(tensor, holder.get(), edge.rule, mesh, !conservative));
            size.push_back(holder.type() ? holder.type().getNumElements() : 0);
          }
        };
    projectAll(edge.operands, edge.rule.operands, projection.operands,
               sizes.operands);
    projectAll(edge.results, edge.rule.results, projection.results,
               sizes.results);
    sizes.isElementwise = isUniform(edge.rule);
    auto direction = [&](int64_t factor) {
      const sharding::Factor &one = edge.rule.factors[factor];
      bool isKept = one.isBlocked ||
                    (conservative && one.kind == sharding::FactorKind::Halo);
      return isKept ? sdy::Direction::None : directionAt(edge, one.kind, level);
    };
    bool changed = propagateBasic(projection, edge.rule, mesh, direction);
    if (strategy == "basic-and-aggressive")
      changed |=
          propagateAggressive(projection, edge.rule, mesh, sizes, direction);
    if (!changed)
      return false;
    bool wrote = false;
    auto writeAll = [&](StringRef what, ArrayRef<Holder> holders,
                        ArrayRef<sharding::TensorFactors> tensors,
                        ArrayRef<TensorProjection> from) {
      for (auto [index, holder, tensor, one] :
           llvm::enumerate(holders, tensors, from)) {
        sdy::TensorShardingAttr old = holder.get();
        sdy::TensorShardingAttr sharding =
            toSharding(one, tensor, old, meshOrRef, edge.rule, mesh);
        bool isNew = old ? old.getDimShardings() != sharding.getDimShardings()
                         : !sharding.isFullyOpen();
        if (!isNew || !goesOn(old, sharding, mesh) ||
            !canBeCut(holder.type(), sharding, mesh))
          continue;
        if (!holder.set(sharding) || holder.get() == old)
          continue;
        if (explain)
          edge.op->emitRemark()
              << "sets " << what << ' ' << (holder.value ? index : holder.index)
              << " to " << sharding;
        wrote = true;
      }
    };
    writeAll("operand", edge.operands, edge.rule.operands, projection.operands);
    writeAll("result", edge.results, edge.rule.results, projection.results);
    return wrote;
  }

  std::optional<SymbolTable> symbols;
  std::vector<Edge> edges;
  /// The first member of each group.
  std::map<int64_t, sdy::ShardingGroupOp> groups;
};

} // namespace
} // namespace heddle
