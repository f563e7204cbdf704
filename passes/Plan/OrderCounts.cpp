// An operation whose types name a computed size needs the number when it is
// launched, and no operand may say so: a constant of that size has none.

#include "passes/Plan/OrderCounts.h"

#include "dialects/Size/Expression.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Plan/OrderUpdates.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

llvm::SetVector<StringRef> heddle::symbolsOf(func::FuncOp kernel) {
  llvm::SetVector<StringRef> names;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](size::SymbolAttr symbol) { names.insert(symbol.getName()); });
  kernel->walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  return names;
}

SmallVector<CountedSize> heddle::countedSizes(func::FuncOp entry) {
  SmallVector<CountedSize> counted;
  for (OpOperand &result : entry.front().getTerminator()->getOpOperands())
    if (auto symbol = entry.getResultAttrOfType<StringAttr>(
            result.getOperandNumber(), kExtentAttrName))
      counted.push_back({symbol, result.get()});
  return counted;
}

bool heddle::hasCount(kernel::LaunchOp launch, func::FuncOp kernel) {
  auto entry = launch->getParentOfType<func::FuncOp>();
  SmallVector<CountedSize> sizes = countedSizes(entry);
  if (sizes.empty())
    return false;
  llvm::SetVector<StringRef> named = symbolsOf(kernel);
  return llvm::any_of(sizes, [&](const CountedSize &size) {
    return named.contains(size.symbol.getValue()) ||
           behindReshapes(size.value).getDefiningOp() == launch;
  });
}

namespace {
/// The operations of one entry's block, in an order in which each is told what
/// it wants.
class CountOrder {
public:
  CountOrder(func::FuncOp entry, SymbolTable &symbols)
      : block(entry.front()), symbols(symbols), counted(countedSizes(entry)) {
    for (const CountedSize &size : counted)
      names.insert(size.symbol.getValue());
    for (Operation &op : block)
      if (hasSideEffect(&op, symbols))
        effects.insert(&op);
  }

  FailureOr<SmallVector<CountedSize>> run();

private:
  /// What launches within `op` are told of computed sizes.
  llvm::SetVector<StringRef> wantedBy(Operation *op);
  /// Whether all that `op` is told and reads is there, and nothing waits that
  /// it may not overtake.
  bool isReady(Operation *op);
  /// The values that `op` overwrites, where their readers come first.
  SmallVector<Value> updatedBy(Operation *op);
  /// Whether `op` has to stay behind what waits, is before it in the program,
  /// and gives it nothing.
  bool staysBehind(Operation *op);
  /// `op` is done, null: the entry is called. Whether sizes are known by that.
  bool pass(Operation *op);
  /// Puts next what no longer waits.
  void release();
  /// Finds the order; fails where operations wait for each other in a circle.
  /// With `keepsUpdates` what overwrites a value stays behind its readers.
  LogicalResult find(bool keepsUpdates);

  Block &block;
  SymbolTable &symbols;
  SmallVector<CountedSize> counted;
  llvm::StringSet<> names, known;
  llvm::StringMap<llvm::SetVector<StringRef>> kernels;
  llvm::SmallPtrSet<Operation *, 8> effects; ///< What has one.
  bool updatesWait = false;
  SmallVector<Operation *> order;
  /// What waits for a count, or for what does; as it stands in the program.
  llvm::SetVector<Operation *> waiting;
};
} // namespace

llvm::SetVector<StringRef> CountOrder::wantedBy(Operation *op) {
  llvm::SetVector<StringRef> all;
  op->walk([&](kernel::LaunchOp launch) {
    auto [found, isNew] = kernels.try_emplace(launch.getKernel());
    if (isNew)
      if (auto function = symbols.lookup<func::FuncOp>(launch.getKernel()))
        for (StringRef name : symbolsOf(function))
          if (names.contains(name))
            found->second.insert(name);
    all.insert_range(found->second);
  });
  return all;
}

bool CountOrder::isReady(Operation *op) {
  for (StringRef name : wantedBy(op))
    if (!known.contains(name))
      return false;
  if (staysBehind(op))
    return false;
  return !op->walk([&](Operation *inner) {
              for (Value operand : inner->getOperands())
                if (Operation *source = operand.getDefiningOp())
                  if (Operation *top = block.findAncestorOpInBlock(*source);
                      top && top != op && waiting.contains(top))
                    return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

/// Whether `op` or what is within it reads `value`, also by way of reshapes.
static bool reads(Operation *op, Value value) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(),
                            [&](Value operand) {
                              return behindReshapes(operand) == value;
                            })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<Value> CountOrder::updatedBy(Operation *op) {
  SmallVector<Value> updated;
  auto update = dyn_cast<kernel::LaunchOp>(op);
  auto function = update && updatesWait
                      ? symbols.lookup<func::FuncOp>(update.getKernel())
                      : func::FuncOp();
  if (function)
    for (auto [i, input] : llvm::enumerate(update.getInputs()))
      if (function.getArgAttr(i, kernel::kTiedAttrName))
        updated.push_back(behindReshapes(input));
  return updated;
}

/// Effects keep the model's order. What overwrites a value comes behind its
/// readers, or they would need a copy of it.
bool CountOrder::staysBehind(Operation *op) {
  bool hasEffect = effects.contains(op);
  SmallVector<Value> updated = updatedBy(op);
  if (!hasEffect && updated.empty())
    return false;
  for (Operation *other : waiting) {
    if (other == op)
      break;
    if ((hasEffect && effects.contains(other)) ||
        llvm::any_of(updated, [&](Value value) { return reads(other, value); }))
      return true;
  }
  return false;
}

bool CountOrder::pass(Operation *op) {
  if (op)
    order.push_back(op);
  bool isNew = false;
  for (const CountedSize &size : counted)
    if (size.value.getDefiningOp() == op)
      isNew |= known.insert(size.symbol.getValue()).second;
  return isNew;
}

void CountOrder::release() {
  for (bool changed = true; std::exchange(changed, false);)
    for (Operation *op : SmallVector<Operation *>(waiting.getArrayRef())) {
      if (!isReady(op))
        continue;
      waiting.remove(op);
      pass(op);
      changed = true;
    }
}

LogicalResult CountOrder::find(bool keepsUpdates) {
  updatesWait = keepsUpdates;
  known.clear();
  order.clear();
  waiting.clear();
  pass(nullptr);
  for (Operation &op : block) {
    if (!isReady(&op))
      waiting.insert(&op);
    // What waits does so for a size, or for what does.
    else if (pass(&op))
      release();
  }
  return success(waiting.empty());
}

FailureOr<SmallVector<CountedSize>> CountOrder::run() {
  if (counted.empty())
    return counted;
  llvm::SetVector<StringRef> wanted;
  for (Operation &op : block)
    wanted.insert_range(wantedBy(&op));
  // A count that follows from what overwrites the value leaves its readers a
  // copy.
  if (failed(find(/*keepsUpdates=*/true)) &&
      failed(find(/*keepsUpdates=*/false)))
    return emitError(waiting.front()->getLoc(), ErrorCode::InternalError)
           << "is told a size that follows from what it computes, or from an "
              "effect behind it";
  for (Operation *op : order)
    op->moveBefore(&block, block.end());
  llvm::erase_if(counted, [&](const CountedSize &size) {
    return !wanted.contains(size.symbol.getValue());
  });
  return counted;
}

FailureOr<SmallVector<CountedSize>> heddle::orderCounts(func::FuncOp entry,
                                                        SymbolTable &symbols) {
  return CountOrder(entry, symbols).run();
}
