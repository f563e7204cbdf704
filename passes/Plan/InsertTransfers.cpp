// A kernel reads what lies in its device's memory. A value goes to each device
// that reads it once, by way of the process's memory; control flow, results of
// the program and all that has no place of its own is there. States lie where
// they are worked on.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/LoadLaunches.h"
#include "dialects/Plan/DeviceNames.h"
#include "passes/Plan/EntryHomes.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/Passes.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_INSERTTRANSFERS
#include "passes/Plan/Passes.h.inc"

namespace {
class TransferInserter {
public:
  LogicalResult run(Block &block);
  /// Erases reshapes of which only copies are left.
  void finish();

private:
  StringAttr homeOf(Value value);
  Value bring(Value value, StringAttr device, Operation *user);
  void bringAll(Operation *op, StringAttr device);
  void bringResults(func::ReturnOp op);
  Value reshape(Operation *op, StringAttr device, Operation *user);

  llvm::DenseMap<std::pair<Value, StringAttr>, Value> brought;
  SmallVector<Operation *> reshapes;
};
} // namespace

/// Where a value is made; null is the process's memory.
StringAttr TransferInserter::homeOf(Value value) {
  value = behindReshapes(value);
  Operation *op = value.getDefiningOp();
  if (auto launch = dyn_cast_or_null<kernel::LaunchOp>(op))
    return placeOf(launch);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto entry = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      return placeOfArgument(entry, argument.getArgNumber());
  if (auto transfer = dyn_cast_or_null<kernel::TransferOp>(op))
    return transfer.getDeviceAttr().getValue() == plan::kCpu
               ? StringAttr()
               : transfer.getDeviceAttr();
  return {};
}

/// The op of `value`'s block that `user` is, or is within.
static Operation *ancestorOf(Operation *user, Value value) {
  return value.getParentBlock()->findAncestorOpInBlock(*user);
}

/// A reshape costs nothing where its operand is.
Value TransferInserter::reshape(Operation *op, StringAttr device,
                                Operation *user) {
  Value source = bring(op->getOperand(0), device, user);
  OpBuilder builder(ancestorOf(user, op->getResult(0)));
  // Before the first that needs it, and not before its source.
  Operation *copy = builder.clone(*op);
  copy->setOperand(0, source);
  return copy->getResult(0);
}

/// `value` in the memory of `device`, for `user`; all users come in the order
/// of the program, so that the first decides where the transfer stands. From a
/// device back to the process it goes at once, to make room.
Value TransferInserter::bring(Value value, StringAttr device, Operation *user) {
  StringAttr home = homeOf(value);
  if (home == device)
    return value;
  auto known = brought.find({value, device});
  if (known != brought.end())
    return known->second;
  Value result;
  if (isReshape(value.getDefiningOp())) {
    result = reshape(value.getDefiningOp(), device, user);
  } else {
    Value source = home && device ? bring(value, {}, user) : value;
    OpBuilder builder(ancestorOf(user, value));
    if (home && !device)
      builder.setInsertionPointAfterValue(value);
    StringAttr target = device ? device : builder.getStringAttr(plan::kCpu);
    result = kernel::TransferOp::create(builder, value.getLoc(),
                                        value.getType(), source, target);
  }
  brought[{value, device}] = result;
  return result;
}

void TransferInserter::bringAll(Operation *op, StringAttr device) {
  // Sizes lie nowhere: a launch is given their values.
  for (OpOperand &operand : op->getOpOperands())
    if (!operand.get().getType().isIndex())
      operand.set(bring(operand.get(), device, op));
}

/// To the caller, and to where states lie.
void TransferInserter::bringResults(func::ReturnOp op) {
  auto entry = cast<func::FuncOp>(op->getParentOp());
  for (OpOperand &result : op->getOpOperands())
    result.set(bring(result.get(),
                     placeOfResult(entry, result.getOperandNumber()), op));
}

LogicalResult TransferInserter::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isReshape(&op)) {
      reshapes.push_back(&op);
      continue;
    }
    // The program `init` brings weights to where they are laid out.
    if (isa<kernel::TransferOp>(op) || op.hasAttr(kernel::kAtLoadAttrName))
      continue;
    if (auto results = dyn_cast<func::ReturnOp>(op)) {
      bringResults(results);
      continue;
    }
    StringAttr device;
    if (auto launch = dyn_cast<kernel::LaunchOp>(op)) {
      device = placeOf(launch);
      std::optional<plan::DeviceName> name =
          device ? plan::parseDeviceName(device) : std::nullopt;
      if (device && (!name || name->text() != device.getValue() ||
                     name->kind == plan::kCpu))
        return op.emitError() << "is placed on " << device
                              << ", which is the name of no device";
    }
    bringAll(&op, device);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(run(inner)))
          return failure();
  }
  return success();
}

void TransferInserter::finish() {
  for (Operation *op : llvm::reverse(reshapes))
    if (op->use_empty())
      op->erase();
}

namespace {
struct InsertTransfers : impl::InsertTransfersBase<InsertTransfers> {
  using InsertTransfersBase::InsertTransfersBase;

  void runOnOperation() override {
    bool placed = false;
    getOperation().walk(
        [&](kernel::LaunchOp launch) { placed |= placeOf(launch) != nullptr; });
    if (!placed)
      return;
    placeEntryTensors(getOperation(), tensors);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kernel::kEntryAttrName) || function.isExternal())
        continue;
      TransferInserter inserter;
      if (failed(inserter.run(function.front())))
        return signalPassFailure();
      inserter.finish();
    }
  }
};
} // namespace
} // namespace heddle
