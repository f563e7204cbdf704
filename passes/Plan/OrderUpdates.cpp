// Moves readers of an old value before the operation that overwrites it.

#include "passes/Plan/OrderUpdates.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;

/// What reads the storage of `value` in `block` after `update`, also by way of
/// reshapes and within loops and branches.
static llvm::SetVector<Operation *> laterReaders(Value value, Block &block,
                                                 Operation *update) {
  llvm::SetVector<Operation *> readers;
  SmallVector<Value> names = {behindReshapes(value)};
  for (unsigned i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      if (isReshape(user)) {
        names.push_back(user->getResult(0));
        continue;
      }
      Operation *top = block.findAncestorOpInBlock(*user);
      if (top && update->isBeforeInBlock(top))
        readers.insert(top);
    }
  return readers;
}

bool heddle::hasSideEffect(Operation *op, SymbolTable &symbols) {
  return op
      ->walk([&](kernel::LaunchOp launch) {
        return kernel::hasSideEffect(symbols.lookup(launch.getKernel()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// `op` and what it needs of the ops after `update`; nothing if that is the
/// update itself, if `op` ends the block, or if one of them has an effect,
/// which keeps its place.
static llvm::SetVector<Operation *> neededBy(Operation *op, Operation *update,
                                             SymbolTable &symbols) {
  llvm::SetVector<Operation *> needed;
  if (op->hasTrait<OpTrait::IsTerminator>())
    return needed;
  Block *block = op->getBlock();
  needed.insert(op);
  bool independent = true;
  for (unsigned i = 0; i < needed.size() && independent; ++i) {
    independent &= !hasSideEffect(needed[i], symbols);
    needed[i]->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *source = operand.getDefiningOp();
        Operation *top =
            source ? block->findAncestorOpInBlock(*source) : nullptr;
        if (!top || top == needed[i])
          continue;
        independent &= top != update;
        if (update->isBeforeInBlock(top))
          needed.insert(top);
      }
    });
  }
  if (!independent)
    needed.clear();
  return needed;
}

void heddle::orderUpdates(Block &block, SymbolTable &symbols) {
  SmallVector<kernel::LaunchOp> launches(block.getOps<kernel::LaunchOp>());
  for (kernel::LaunchOp update : launches) {
    auto function = symbols.lookup<func::FuncOp>(update.getKernel());
    if (!function)
      continue;
    for (auto [i, input] : llvm::enumerate(update.getInputs())) {
      if (!function.getArgAttr(i, kernel::kTiedAttrName))
        continue;
      for (Operation *reader : laterReaders(input, block, update)) {
        // It may have moved with another one.
        if (!update->isBeforeInBlock(reader))
          continue;
        SmallVector<Operation *> needed =
            neededBy(reader, update, symbols).takeVector();
        llvm::sort(needed, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
        for (Operation *op : needed)
          op->moveBefore(update);
      }
    }
  }
}
