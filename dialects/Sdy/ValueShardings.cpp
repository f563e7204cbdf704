// Where the sharding of a value stands, which its owner decides.

#include "dialects/Sdy/ValueShardings.h"

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::sdy {

std::optional<int64_t> rankOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return std::nullopt;
  return shaped.getRank();
}

//===----------------------------------------------------------------------===//
// Manual axes
//===----------------------------------------------------------------------===//

static bool isManual(AxisRefAttr axis, ManualAxesAttr manual) {
  return llvm::is_contained(manual.getAxes(), axis.getName());
}

static SmallVector<AxisRefAttr> freeOf(ArrayRef<AxisRefAttr> axes,
                                       ManualAxesAttr manual) {
  return llvm::filter_to_vector(
      axes, [&](AxisRefAttr axis) { return !isManual(axis, manual); });
}

TensorShardingAttr withoutManualAxes(TensorShardingAttr sharding,
                                     ManualAxesAttr manual) {
  MLIRContext *context = sharding.getContext();
  auto dims = llvm::map_to_vector(
      sharding.getDimShardings(), [&](DimensionShardingAttr dim) {
        SmallVector<AxisRefAttr> axes = freeOf(dim.getAxes(), manual);
        // A closed dimension without axes has no priority.
        bool keeps = !axes.empty() || !dim.getIsClosed();
        return DimensionShardingAttr::get(context, axes, dim.getIsClosed(),
                                          keeps ? dim.getPriority()
                                                : std::nullopt);
      });
  return TensorShardingAttr::get(context, sharding.getMeshOrRef(), dims,
                                 freeOf(sharding.getReplicatedAxes(), manual),
                                 freeOf(sharding.getUnreducedAxes(), manual),
                                 sharding.getReduction());
}

TensorShardingAttr withManualAxes(TensorShardingAttr sharding,
                                  TensorShardingAttr before,
                                  ManualAxesAttr manual) {
  MLIRContext *context = sharding.getContext();
  SmallVector<DimensionShardingAttr> dims;
  for (auto [dim, old] :
       llvm::zip_equal(sharding.getDimShardings(), before.getDimShardings())) {
    auto axes = llvm::filter_to_vector(old.getAxes(), [&](AxisRefAttr axis) {
      return isManual(axis, manual);
    });
    llvm::append_range(axes, dim.getAxes());
    dims.push_back(DimensionShardingAttr::get(context, axes, dim.getIsClosed(),
                                              old.getPriority()));
  }
  // Of the others, propagation changes nothing.
  return TensorShardingAttr::get(
      context, sharding.getMeshOrRef(), dims, before.getReplicatedAxes(),
      before.getUnreducedAxes(), before.getReduction());
}

//===----------------------------------------------------------------------===//
// Shardings of values
//===----------------------------------------------------------------------===//

static TensorShardingAttr entryOf(TensorShardingPerValueAttr shardings,
                                  unsigned index) {
  if (!shardings || index >= shardings.size())
    return {};
  return shardings.getShardings()[index];
}

static TensorShardingAttr ofArgument(BlockArgument argument) {
  Operation *owner = argument.getOwner()->getParentOp();
  if (!argument.getOwner()->isEntryBlock())
    return {};
  unsigned index = argument.getArgNumber();
  return llvm::TypeSwitch<Operation *, TensorShardingAttr>(owner)
      .Case([&](FunctionOpInterface function) {
        return function.getArgAttrOfType<TensorShardingAttr>(index,
                                                             kShardingAttr);
      })
      .Case([&](ManualComputationOp manual) -> TensorShardingAttr {
        TensorShardingAttr sharding = entryOf(manual.getInShardings(), index);
        if (!sharding)
          return {};
        return withoutManualAxes(sharding, manual.getManualAxes());
      })
      .Case([&](NamedComputationOp named) {
        return named.getInShardings() ? entryOf(*named.getInShardings(), index)
                                      : TensorShardingAttr();
      })
      .Case([&](stablehlo::WhileOp loop) {
        return getSharding(loop->getResult(index));
      })
      .Default(TensorShardingAttr());
}

TensorShardingAttr getSharding(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument);
  auto result = cast<OpResult>(value);
  unsigned index = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, TensorShardingAttr>(result.getOwner())
      .Case<ShardingConstraintOp, ReshardOp>(
          [](auto op) { return op.getSharding(); })
      .Case([](DataFlowEdgeOp op) {
        return op.getSharding().value_or(TensorShardingAttr());
      })
      .Case<AllGatherOp, AllSliceOp, AllToAllOp, CollectivePermuteOp,
            AllReduceOp, ReduceScatterOp, ShardedToUnreducedOp,
            ReplicatedToUnreducedOp>(
          [](auto op) { return op.getOutSharding(); })
      .Case([&](ManualComputationOp op) {
        return entryOf(op.getOutShardings(), index);
      })
      .Case([&](NamedComputationOp op) {
        return op.getOutShardings() ? entryOf(*op.getOutShardings(), index)
                                    : TensorShardingAttr();
      })
      .Default([&](Operation *op) {
        return entryOf(
            op->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttr),
            index);
      });
}

//===----------------------------------------------------------------------===//
// Changing them
//===----------------------------------------------------------------------===//

/// `shardings` with one of them replaced; others that are not known yet are
/// open on the same mesh.
static TensorShardingPerValueAttr replaced(TensorShardingPerValueAttr shardings,
                                           TypeRange types, unsigned index,
                                           TensorShardingAttr sharding) {
  MLIRContext *context = sharding.getContext();
  SmallVector<TensorShardingAttr> list;
  if (shardings && shardings.size() == types.size())
    list.append(shardings.getShardings().begin(),
                shardings.getShardings().end());
  else
    for (Type type : types)
      list.push_back(TensorShardingAttr::fullyOpen(
          context, rankOf(type).value_or(0), sharding.getMeshOrRef()));
  list[index] = sharding;
  return TensorShardingPerValueAttr::get(context, list);
}

static bool setArgument(BlockArgument argument, TensorShardingAttr sharding) {
  Operation *owner = argument.getOwner()->getParentOp();
  if (!argument.getOwner()->isEntryBlock())
    return false;
  unsigned index = argument.getArgNumber();
  if (auto function = dyn_cast<FunctionOpInterface>(owner)) {
    function.setArgAttr(index, kShardingAttr, sharding);
    return true;
  }
  if (auto manual = dyn_cast<ManualComputationOp>(owner)) {
    TensorShardingAttr whole =
        withManualAxes(sharding, entryOf(manual.getInShardings(), index),
                       manual.getManualAxes());
    manual.setInShardingsAttr(replaced(manual.getInShardings(),
                                       manual.getOperandTypes(), index, whole));
    return true;
  }
  if (auto loop = dyn_cast<stablehlo::WhileOp>(owner))
    return setSharding(loop->getResult(index), sharding);
  if (auto named = dyn_cast<NamedComputationOp>(owner)) {
    named.setInShardingsAttr(
        replaced(named.getInShardings().value_or(TensorShardingPerValueAttr()),
                 named.getOperandTypes(), index, sharding));
    return true;
  }
  return false;
}

bool setSharding(Value value, TensorShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return setArgument(argument, sharding);
  auto result = cast<OpResult>(value);
  unsigned index = result.getResultNumber();
  llvm::TypeSwitch<Operation *>(result.getOwner())
      .Case<ShardingConstraintOp, ReshardOp>(
          [&](auto op) { op.setShardingAttr(sharding); })
      .Case([&](DataFlowEdgeOp op) { op.setShardingAttr(sharding); })
      .Case<AllGatherOp, AllSliceOp, AllToAllOp, CollectivePermuteOp,
            AllReduceOp, ReduceScatterOp, ShardedToUnreducedOp,
            ReplicatedToUnreducedOp>(
          [&](auto op) { op.setOutShardingAttr(sharding); })
      .Case([&](ManualComputationOp op) {
        op.setOutShardingsAttr(replaced(op.getOutShardings(),
                                        op.getResultTypes(), index, sharding));
      })
      .Case([&](NamedComputationOp op) {
        op.setOutShardingsAttr(replaced(
            op.getOutShardings().value_or(TensorShardingPerValueAttr()),
            op.getResultTypes(), index, sharding));
      })
      .Default([&](Operation *op) {
        op->setAttr(kShardingAttr,
                    replaced(op->getAttrOfType<TensorShardingPerValueAttr>(
                                 kShardingAttr),
                             op->getResultTypes(), index, sharding));
      });
  return true;
}

} // namespace heddle::sdy
