// A state that one device alone works on lies in its memory, so that a call
// copies none of it; so do inputs and outputs, where the caller wants that.

#include "passes/Plan/EntryHomes.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "passes/Plan/DonatedInputs.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/ValuePlaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The one device of all users, null for the cpu: also where they are several,
/// or none.
class Home {
public:
  void addUser(StringAttr user) {
    device = device && *device != user ? StringAttr() : user;
  }
  StringAttr get() const { return device.value_or(StringAttr()); }

private:
  std::optional<StringAttr> device;
};

class StatePlacer {
public:
  void look(func::FuncOp entry);
  void mark(func::FuncOp entry) const;

private:
  llvm::MapVector<StringAttr, Home> homes;
};
} // namespace

/// Those that read `value`. An entry that leaves the state `state` as it is
/// uses it nowhere.
static void addReaders(Home &home, Value value, func::FuncOp entry,
                       StringAttr state = {}) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isReshape(user)) {
      addReaders(home, user->getResult(0), entry, state);
      continue;
    }
    if (state && user == entry.front().getTerminator() &&
        stateOfResult(entry, use.getOperandNumber()) == state)
      continue;
    home.addUser(placeOf(user));
  }
}

void StatePlacer::look(func::FuncOp entry) {
  Block &body = entry.front();
  for (BlockArgument argument : entry.getArguments())
    if (StringAttr state = stateOfArgument(entry, argument.getArgNumber()))
      addReaders(homes[state], argument, entry, state);
  for (OpOperand &kept : body.getTerminator()->getOpOperands()) {
    StringAttr state = stateOfResult(entry, kept.getOperandNumber());
    if (!state)
      continue;
    Value value = behindReshapes(kept.get());
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == &body &&
        stateOfArgument(entry, argument.getArgNumber()) == state)
      continue;
    homes[state].addUser(placeOf(value.getDefiningOp()));
  }
}

static void setArgument(func::FuncOp entry, unsigned i, StringAttr home) {
  entry.removeArgAttr(i, kPlaceAttrName);
  if (home)
    entry.setArgAttr(i, kPlaceAttrName, home);
}

static void setResult(func::FuncOp entry, unsigned i, StringAttr home) {
  entry.removeResultAttr(i,
                         StringAttr::get(entry.getContext(), kPlaceAttrName));
  if (home)
    entry.setResultAttr(i, kPlaceAttrName, home);
}

void StatePlacer::mark(func::FuncOp entry) const {
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (StringAttr state = stateOfArgument(entry, i))
      setArgument(entry, i, homes.lookup(state).get());
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (StringAttr state = stateOfResult(entry, i))
      setResult(entry, i, homes.lookup(state).get());
}

/// What callers give and take. An output that takes an input's memory lies
/// where that does. The host reads what outputs count, and shapes by that.
static void placeTensors(func::FuncOp entry) {
  SmallVector<StringAttr> inputs(entry.getNumArguments());
  for (auto [i, number] : llvm::enumerate(inputNumbers(entry))) {
    Home home;
    if (number && !entry.getArgAttr(i, kShapeAttrName))
      addReaders(home, entry.getArgument(i), entry);
    inputs[i] = home.get();
  }
  Operation *end = entry.front().getTerminator();
  for (auto [i, number] : llvm::enumerate(outputNumbers(entry))) {
    if (!number)
      continue;
    Value value = behindReshapes(end->getOperand(i));
    bool isHosts = entry.getResultAttr(i, kShapeAttrName) ||
                   entry.getResultAttr(i, kExtentAttrName);
    StringAttr home = isHosts ? StringAttr() : placeOf(value.getDefiningOp());
    if (std::optional<unsigned> input = replacedInput(entry, i)) {
      if (inputs[*input] != home)
        home = {};
      inputs[*input] = home;
    }
    setResult(entry, i, home);
  }
  for (auto [i, number] : llvm::enumerate(inputNumbers(entry)))
    if (number)
      setArgument(entry, i, inputs[i]);
}

void heddle::placeEntryTensors(ModuleOp module, bool tensors) {
  StatePlacer placer;
  SmallVector<func::FuncOp> entries = kernel::entryFunctions(module);
  for (func::FuncOp entry : entries)
    placer.look(entry);
  for (func::FuncOp entry : entries) {
    placer.mark(entry);
    if (tensors)
      placeTensors(entry);
  }
}
