// Collectives of a program for one device become what they mean there.
//
// This has to come before constants are folded: the number of a replica is a
// constant only where there is one replica. What needs more devices is refused
// here, operation by operation, so that all of them are named.

#include "dialects/StableHlo/ReplicaGroups.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/PartTypes.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_FOLDCOLLECTIVES
#include "passes/Graph/Passes.h.inc"

namespace {

using namespace stablehlo;

InFlightDiagnostic refuse(Operation *op) {
  return emitError(op->getLoc(), ErrorCode::StableHloOperator)
         << "'" << op->getName().getStringRef() << "' ";
}

/// The remedy for what needs several devices.
constexpr StringLiteral kOneDevice =
    "one device is compiled for: export the program without sharding, or "
    "interpret it with `heddle test --interpret`";

/// Devices that the module says it is written for.
int64_t devicesOf(ModuleOp module) {
  int64_t count = 1;
  for (StringRef name : {"mhlo.num_replicas", "mhlo.num_partitions"})
    if (auto number = module->getAttrOfType<IntegerAttr>(name))
      count *= number.getInt();
  return count;
}

/// Whether every group holds device 0 alone, or there are no groups; refused
/// otherwise.
LogicalResult checkGroups(Operation *op, int64_t devices) {
  FailureOr<ProcessGroups> groups =
      readReplicaGroups(op->getAttr("replica_groups"));
  if (failed(groups))
    return refuse(op) << "has groups over a mesh whose axes are not written "
                         "out; it cannot be told how many devices it needs";
  int64_t largest = -1, size = 0;
  for (auto &group : *groups) {
    size = std::max<int64_t>(size, group.size());
    for (int64_t id : group)
      largest = std::max(largest, id);
  }
  if (size > 1 || largest > 0)
    return refuse(op) << "needs " << std::max(largest + 1, size)
                      << " devices: a group holds " << size
                      << ", the largest number is " << largest << "; "
                      << kOneDevice;
  // Without groups, all devices are one.
  if (largest < 0 && devices > 1)
    return refuse(op) << "joins all of the program's " << devices
                      << " devices; " << kOneDevice;
  return success();
}

/// The operands stand for the results, in the results' types: a region may have
/// widened the elements.
void forward(Operation *op) {
  OpBuilder builder(op);
  for (auto [operand, result] :
       llvm::zip(op->getOperands(), op->getResults())) {
    Value value = operand;
    if (value.getType() != result.getType())
      value = ConvertOp::create(builder, op->getLoc(), result.getType(), value);
    result.replaceAllUsesWith(value);
  }
  op->erase();
}

void replaceByZeros(Operation *op) {
  OpBuilder builder(op);
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    result.replaceAllUsesWith(createZero(builder, op->getLoc(), type));
  }
  op->erase();
}

struct FoldCollectives : impl::FoldCollectivesBase<FoldCollectives> {
  using FoldCollectivesBase::FoldCollectivesBase;

  void runOnOperation() override {
    devices = devicesOf(getOperation());
    isPartitioned = getOperation()->hasAttr(kRanksAttrName);
    SmallVector<Operation *> found;
    // Regions before the operations that hold them.
    getOperation().walk([&](Operation *op) {
      if (isa<StableHloDialect>(op->getDialect()))
        found.push_back(op);
    });
    bool allFolded = true;
    for (Operation *op : found)
      allFolded &= succeeded(fold(op));
    for (Operation *op : replaced)
      op->erase();
    replaced.clear();
    if (!allFolded)
      signalPassFailure();
  }

private:
  LogicalResult fold(Operation *op) {
    if (isPartitioned && isDistributed(op)) {
      // There is one replica. The lowering makes commands of the others, or
      // refuses them by name.
      if (isa<ReplicaIdOp>(op))
        replaceByZeros(op);
      return success();
    }
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<ReplicaIdOp, PartitionIdOp>([&](auto id) -> LogicalResult {
          if (devices > 1)
            return refuse(op) << "asks which of " << devices
                              << " devices it runs on; " << kOneDevice;
          replaceByZeros(op);
          return success();
        })
        // A root that is computed can only be the device itself.
        .Case<AllGatherOp, AllReduceOp, ReduceScatterOp, CollectiveReduceOp,
              CollectiveBroadcastOp>(
            [&](auto collective) -> LogicalResult { return foldIdentity(op); })
        .Case([&](AllToAllOp collective) -> LogicalResult {
          // One part, that stays.
          if (collective.getSplitCount() != 1)
            return refuse(op) << "exchanges " << collective.getSplitCount()
                              << " parts with as many devices; " << kOneDevice;
          return foldIdentity(op);
        })
        .Case([&](CollectivePermuteOp permute) -> LogicalResult {
          return foldPermute(permute);
        })
        .Case([&](AsyncStartOp start) -> LogicalResult {
          return foldAsync(start);
        })
        .Case<SendOp, RecvOp>([&](auto transfer) -> LogicalResult {
          return refuse(op)
                 << "uses channel " << transfer.getChannelHandle().getHandle()
                 << (transfer.getIsHostTransfer() ? " to the host"
                                                  : " to another device")
                 << ", which a compiled program does not have";
        })
        .Case([&](InfeedOp) -> LogicalResult {
          return refuse(op) << "takes values from the host while the program "
                               "runs; make them arguments";
        })
        .Case([&](OutfeedOp) -> LogicalResult {
          return refuse(op) << "gives values to the host while the program "
                               "runs; make them results";
        })
        .Default([](Operation *) -> LogicalResult { return success(); });
  }

  LogicalResult foldIdentity(Operation *op) {
    if (failed(checkGroups(op, devices)))
      return failure();
    forward(op);
    return success();
  }

  LogicalResult foldPermute(CollectivePermuteOp op) {
    bool toItself = false;
    for (APInt id : op.getSourceTargetPairs().getValues<APInt>()) {
      if (!id.isZero())
        return refuse(op) << "names device " << id.getSExtValue()
                          << "; it is number 0, and " << kOneDevice;
      toItself = true;
    }
    if (toItself)
      forward(op);
    else
      replaceByZeros(op);
    return success();
  }

  /// What runs beside the program may run before it goes on.
  LogicalResult foldAsync(AsyncStartOp op) {
    for (Operation *user : op.getResult().getUsers())
      if (!isa<AsyncDoneOp>(user))
        return refuse(op) << "begins what '" << user->getName().getStringRef()
                          << "' hands on; only async_done may take it";
    OpBuilder builder(op);
    Block &body = op.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), op.getInputs());
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, mapping);
    for (Operation *done : op.getResult().getUsers()) {
      for (auto [result, value] :
           llvm::zip(done->getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      replaced.push_back(done);
    }
    replaced.push_back(op);
    return success();
  }

  int64_t devices = 1;
  /// It is for several ranks, as its collectives are.
  bool isPartitioned = false;
  /// Users before what they use. They go at the end, because the walk is yet
  /// to come by some of them.
  SmallVector<Operation *> replaced;
};

} // namespace
} // namespace heddle
