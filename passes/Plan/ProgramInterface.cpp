// Gives storages to what a program shares with its caller: inputs, outputs,
// sizes that the call chooses, states.

#include "passes/Plan/PlanBuilder.h"

#include "dialects/Kernel/EntryFunctions.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryTypes.h"
#include "passes/Plan/DonatedInputs.h"
#include "passes/Plan/EntryTensors.h"
#include "passes/Plan/SymbolSizes.h"
#include "passes/Plan/ValuePlaces.h"

using namespace mlir;
using namespace heddle;

/// The name that the model gives an argument or a result.
static StringRef nameOf(DictionaryAttr attributes) {
  auto name =
      attributes ? attributes.getAs<StringAttr>("heddle.name") : StringAttr();
  return name ? name.getValue() : StringRef();
}

unsigned PlanBuilder::addOutput(unsigned result, unsigned number) {
  StringRef given = nameOf(main.getResultAttrDict(result));
  unsigned storage = addStorage(
      plan::BufferKind::Output, number, main.getResultTypes()[result],
      given.empty() ? "out" + std::to_string(result) : given.str(),
      deviceOf(placeOfResult(main, result)));
  if (!tree.storages[storage].bytes)
    tree.storages[storage].bytes = chosenBytes(
        main.getResultAttrOfType<size::ExtentsAttr>(result, kShapeAttrName),
        declaredResultType(main, result), sizes);
  return storage;
}

unsigned PlanBuilder::addInput(BlockArgument argument, unsigned number) {
  unsigned i = argument.getArgNumber();
  StringRef given = nameOf(main.getArgAttrDict(i));
  unsigned storage =
      addStorage(plan::BufferKind::Input, number, argument.getType(),
                 given.empty() ? "arg" + std::to_string(i) : given.str(),
                 deviceOf(placeOfArgument(main, i)));
  auto shape = main.getArgAttrOfType<size::ExtentsAttr>(i, kShapeAttrName);
  // Tensors of true extents are to kernels what they are to callers.
  if (!shape || tree.storages[storage].bytes)
    return storage;
  tree.storages[storage].bytes =
      chosenBytes(shape, declaredArgumentType(main, i), sizes);
  unsigned largest = addStorage(argument.getType());
  resize(argument.getLoc(), storage, largest);
  return largest;
}

/// What is read from a state and what it keeps are one storage.
void PlanBuilder::addStates() {
  llvm::DenseMap<StringAttr, unsigned> known;
  auto storageOf = [&](StringAttr name, Type type, StringAttr place) {
    auto [entry, isNew] = known.try_emplace(name, tree.storages.size());
    if (isNew)
      addStorage(plan::BufferKind::State, states.at(name), type, name,
                 deviceOf(place));
    return entry->second;
  };
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (StringAttr name = stateOfArgument(main, i))
      storages[argument] =
          storageOf(name, argument.getType(), placeOfArgument(main, i));
  }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (StringAttr name = stateOfResult(main, i)) {
      outputs[i] = storageOf(name, type, placeOfResult(main, i));
      tree.storages[*outputs[i]].changed = true;
    }
}

/// An output that replaces an input is one storage with it.
void PlanBuilder::addInputs() {
  outputs.resize(main.getNumResults());
  addStates();
  SmallVector<std::optional<unsigned>> numbers = inputNumbers(main);
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (numbers[i]) {
      storages[argument] = addInput(argument, *numbers[i]);
      continue;
    }
    auto symbol = main.getArgAttrOfType<StringAttr>(i, kExtentAttrName);
    // Sizes of launches are no values in memory.
    if (!symbol ||
        llvm::all_of(argument.getUsers(), llvm::IsaPred<kernel::SizeOp>))
      continue;
    storages[argument] = addStorage(argument.getType());
    Command command{Command::Kind::Extent, argument.getLoc()};
    command.writes = {storages[argument]};
    command.symbol = symbol;
    add(std::move(command));
  }
  for (auto [i, number] : llvm::enumerate(outputNumbers(main)))
    if (std::optional<unsigned> input = replacedInput(main, i)) {
      outputs[i] = addOutput(i, *number);
      storages[main.getArgument(*input)] = *outputs[i];
    }
}

void PlanBuilder::returnResults(func::ReturnOp op) {
  for (auto [i, number] : llvm::enumerate(outputNumbers(main)))
    if (!outputs[i])
      outputs[i] = addOutput(i, *number);
  SmallVector<unsigned> sources, targets;
  for (auto [operand, output] : llvm::zip_equal(op.getOperands(), outputs)) {
    unsigned source = storageOf(operand);
    // A view of another shape has as many bytes, which may be written
    // otherwise: w, and twice half of w. Limits of counts may differ.
    auto isExact = [&](Type type) {
      return areMostAtLargestCounts(
          size::extentsOf(cast<RankedTensorType>(type)), sizes);
    };
    if (tree.storages[*output].bytes && tree.storages[source].bytes &&
        isExact(behindReshapes(operand).getType()) &&
        isExact(operand.getType()))
      tree.storages[*output].bytes = tree.storages[source].bytes;
    if (tree.storages[*output].bytes != tree.storages[source].bytes) {
      resize(op.getLoc(), source, *output);
      continue;
    }
    sources.push_back(source);
    targets.push_back(*output);
  }
  copyAll(op.getLoc(), sources, targets);
}
