// Prints the program of a weight without names and locations.

#include "dialects/Kernel/WeightText.h"

using namespace mlir;
using namespace heddle;

std::string kernel::weightText(
    WeightOp weight,
    llvm::function_ref<std::optional<std::string>(Operation *)> spell) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << weight.getPacking().value_or("") << ' ' << weight.getValueType()
         << ' ' << weight.getBlockAttr();
  // Values are named by where they stand.
  llvm::DenseMap<Operation *, unsigned> positions;
  for (Operation &op : weight.getBody().front()) {
    positions.try_emplace(&op, positions.size());
    stream << '\n' << op.getName() << ' ';
    if (std::optional<std::string> own = spell(&op))
      stream << *own;
    else
      stream << op.getAttrDictionary();
    for (Value operand : op.getOperands())
      stream << ' ' << positions.at(operand.getDefiningOp());
    for (Type type : op.getResultTypes())
      stream << ' ' << type;
  }
  return text;
}
