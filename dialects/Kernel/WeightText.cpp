// Prints programs of weights without names and locations.

#include "dialects/Kernel/WeightText.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace heddle;

using Spell = llvm::function_ref<std::optional<std::string>(Operation *)>;

/// Values are named by where they stand among `program`.
static void print(llvm::raw_ostream &stream, ArrayRef<Operation *> program,
                  Spell spell) {
  llvm::DenseMap<Operation *, unsigned> positions;
  for (Operation *op : program) {
    positions.try_emplace(op, positions.size());
    stream << '\n' << op->getName() << ' ';
    if (std::optional<std::string> own = spell(op))
      stream << *own;
    else
      stream << op->getAttrDictionary();
    for (Value operand : op->getOperands())
      stream << ' ' << positions.at(operand.getDefiningOp());
    for (Type type : op->getResultTypes())
      stream << ' ' << type;
  }
}

std::string kernel::weightText(WeightOp weight, Spell spell) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << weight.getPacking().value_or("") << ' ' << weight.getValueType()
         << ' ' << weight.getBlockAttr();
  SmallVector<Operation *> program;
  for (Operation &op : weight.getBody().front())
    program.push_back(&op);
  print(stream, program, spell);
  return text;
}

std::string kernel::valueText(Value value) {
  llvm::SmallPtrSet<Operation *, 16> needed = {value.getDefiningOp()};
  SmallVector<Operation *> program;
  for (Operation *op = value.getDefiningOp(); op; op = op->getPrevNode()) {
    if (!needed.contains(op))
      continue;
    program.push_back(op);
    for (Value operand : op->getOperands())
      needed.insert(operand.getDefiningOp());
  }
  std::reverse(program.begin(), program.end());
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream, program, [](Operation *) { return std::nullopt; });
  return text;
}
