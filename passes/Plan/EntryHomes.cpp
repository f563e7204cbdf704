// A state that one device alone works on lies in its memory, so that a call
// copies none of it.

#include "passes/Plan/StateHomes.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntryStates.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

namespace {
class StatePlacer {
public:
  void look(func::FuncOp entry);
  void mark(func::FuncOp entry) const;

private:
  /// Null: the cpu.
  void addUser(StringAttr state, StringAttr device) {
    auto [known, isNew] = homes.try_emplace(state, device);
    if (!isNew && known->second != device)
      known->second = {};
  }
  void addReaders(StringAttr state, Value value, Block &body);

  llvm::MapVector<StringAttr, StringAttr> homes;
};
} // namespace

void StatePlacer::addReaders(StringAttr state, Value value, Block &body) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isReshape(user)) {
      addReaders(state, user->getResult(0), body);
      continue;
    }
    // An entry that leaves a state as it is uses it nowhere.
    auto entry = cast<func::FuncOp>(body.getParentOp());
    if (user == body.getTerminator() &&
        stateOfResult(entry, use.getOperandNumber()) == state)
      continue;
    addUser(state, placeOf(user));
  }
}

void StatePlacer::look(func::FuncOp entry) {
  Block &body = entry.front();
  for (BlockArgument argument : entry.getArguments())
    if (StringAttr state = stateOfArgument(entry, argument.getArgNumber()))
      addReaders(state, argument, body);
  for (OpOperand &kept : body.getTerminator()->getOpOperands()) {
    StringAttr state = stateOfResult(entry, kept.getOperandNumber());
    if (!state)
      continue;
    Value value = behindReshapes(kept.get());
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body &&
        stateOfArgument(entry, argument.getArgNumber()) == state)
      continue;
    addUser(state, placeOf(value.getDefiningOp()));
  }
}

void StatePlacer::mark(func::FuncOp entry) const {
  StringAttr name = StringAttr::get(entry.getContext(), kStatePlaceAttrName);
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (StringAttr state = stateOfArgument(entry, i)) {
      entry.removeArgAttr(i, name);
      if (StringAttr home = homes.lookup(state))
        entry.setArgAttr(i, name, home);
    }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (StringAttr state = stateOfResult(entry, i)) {
      entry.removeResultAttr(i, name);
      if (StringAttr home = homes.lookup(state))
        entry.setResultAttr(i, name, home);
    }
}

void heddle::placeStates(ModuleOp module) {
  StatePlacer placer;
  SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
  for (func::FuncOp entry : entries)
    placer.look(entry);
  for (func::FuncOp entry : entries)
    placer.mark(entry);
}
