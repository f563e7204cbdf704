// An attribute says which arguments and results are states; the others keep
// their order.

#include "passes/Plan/EntryTensors.h"

#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/EntryStates.h"
#include "heddle/Support/EntryTypes.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace heddle;

StringAttr heddle::stateOfArgument(func::FuncOp entry, unsigned argument) {
  return entry.getArgAttrOfType<StringAttr>(argument, kStateAttrName);
}

StringAttr heddle::stateOfResult(func::FuncOp entry, unsigned result) {
  return entry.getResultAttrOfType<StringAttr>(result, kStateAttrName);
}

StringAttr heddle::placeOfArgument(func::FuncOp entry, unsigned argument) {
  return entry.getArgAttrOfType<StringAttr>(argument, kPlaceAttrName);
}

StringAttr heddle::placeOfResult(func::FuncOp entry, unsigned result) {
  return entry.getResultAttrOfType<StringAttr>(result, kPlaceAttrName);
}

SmallVector<std::optional<unsigned>> heddle::inputNumbers(func::FuncOp entry) {
  SmallVector<std::optional<unsigned>> numbers(entry.getNumArguments());
  unsigned next = 0;
  for (unsigned i = 0; i < numbers.size(); ++i)
    if (!stateOfArgument(entry, i) && !entry.getArgAttr(i, kExtentAttrName))
      numbers[i] = next++;
  return numbers;
}

SmallVector<std::optional<unsigned>> heddle::outputNumbers(func::FuncOp entry) {
  SmallVector<std::optional<unsigned>> numbers(entry.getNumResults());
  unsigned next = 0;
  for (unsigned i = 0; i < numbers.size(); ++i)
    if (!stateOfResult(entry, i))
      numbers[i] = next++;
  return numbers;
}

SmallVector<size::Expression> heddle::shapeForCallers(DictionaryAttr attributes,
                                                      RankedTensorType type) {
  auto shape = attributes ? attributes.getAs<size::ExtentsAttr>(kShapeAttrName)
                          : size::ExtentsAttr();
  if (!shape)
    return size::extentsOf(type);
  return SmallVector<size::Expression>(shape.getExtents());
}

SmallVector<EntryState> heddle::statesOf(ArrayRef<func::FuncOp> entries) {
  SmallVector<EntryState> states;
  llvm::SmallPtrSet<const void *, 8> known;
  auto add = [&](StringAttr name, Type type, Type declared, StringAttr place) {
    if (name && known.insert(name.getAsOpaquePointer()).second)
      states.push_back({name, type, declared, place});
  };
  for (func::FuncOp entry : entries) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      add(stateOfArgument(entry, i), entry.getArgumentTypes()[i],
          declaredArgumentType(entry, i), placeOfArgument(entry, i));
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      add(stateOfResult(entry, i), entry.getResultTypes()[i],
          declaredResultType(entry, i), placeOfResult(entry, i));
  }
  return states;
}
