// An operation whose types name a computed size needs the number when it is
// launched, and no operand may say so: a constant of that size has none.

#include "passes/Plan/OrderCounts.h"

#include "dialects/Size/Expression.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
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
/// The operations of one entry's block.
class CountOrder {
public:
  CountOrder(func::FuncOp entry, SymbolTable &symbols)
      : block(entry.front()), symbols(symbols), counted(countedSizes(entry)) {
    for (const CountedSize &size : counted)
      names.insert(size.symbol.getValue());
  }

  FailureOr<SmallVector<CountedSize>> run();

private:
  /// What launches within `op` are told of computed sizes.
  llvm::SetVector<StringRef> wantedBy(Operation *op);
  /// Whether all that `op` is told and reads is there.
  bool isReady(Operation *op);
  /// `op` is done, null: the entry is called. Whether sizes are known by that.
  bool pass(Operation *op);
  /// Puts behind `last`, which was done just now, what no longer waits.
  void release(Operation *last);

  Block &block;
  SymbolTable &symbols;
  SmallVector<CountedSize> counted;
  llvm::StringSet<> names, known;
  llvm::StringMap<llvm::SetVector<StringRef>> kernels;
  llvm::SetVector<StringRef> wanted;
  /// What waits for a count, or for what does.
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
  return !op->walk([&](Operation *inner) {
              for (Value operand : inner->getOperands())
                if (Operation *source = operand.getDefiningOp())
                  if (Operation *top = block.findAncestorOpInBlock(*source);
                      top && top != op && waiting.contains(top))
                    return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

bool CountOrder::pass(Operation *op) {
  bool isNew = false;
  for (const CountedSize &size : counted)
    if (size.value.getDefiningOp() == op)
      isNew |= known.insert(size.symbol.getValue()).second;
  return isNew;
}

void CountOrder::release(Operation *last) {
  for (bool changed = true; std::exchange(changed, false);)
    for (Operation *op : SmallVector<Operation *>(waiting.getArrayRef())) {
      if (!isReady(op))
        continue;
      waiting.remove(op);
      op->moveAfter(last);
      last = op;
      pass(op);
      changed = true;
    }
}

FailureOr<SmallVector<CountedSize>> CountOrder::run() {
  pass(nullptr);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    wanted.insert_range(wantedBy(&op));
    if (!isReady(&op)) {
      waiting.insert(&op);
      continue;
    }
    // What waits does so for a size, or for what does.
    if (pass(&op))
      release(&op);
  }
  if (!waiting.empty())
    return emitError(waiting.front()->getLoc(), ErrorCode::InternalError)
           << "is told a size that follows from what it computes";
  llvm::erase_if(counted, [&](const CountedSize &size) {
    return !wanted.contains(size.symbol.getValue());
  });
  return counted;
}

FailureOr<SmallVector<CountedSize>> heddle::orderCounts(func::FuncOp entry,
                                                        SymbolTable &symbols) {
  return CountOrder(entry, symbols).run();
}
