// Finds the family of an instruction by its first word.

#include "test/emulator/instructions/Families.h"

#include <map>

namespace heddle::emulator {

const Opcode *findOpcode(std::string_view name) {
  static const std::map<std::string_view, const Opcode *> kTable = [] {
    std::map<std::string_view, const Opcode *> table;
    for (Family family :
         {arithmeticFamily(), integerFamily(), wideIntegerFamily(), bitFamily(),
          floatFamily(), approximateFamily(), selectFamily(), convertFamily(),
          moveFamily(), controlFamily(), loadStoreFamily(), togetherFamily(),
          matrixFamily(), matrixMoveFamily(), asyncCopyFamily(),
          warpgroupFamily(), mbarrierFamily(), tensorMapFamily()})
      for (const Opcode *opcode = family.begin; opcode != family.end; ++opcode)
        table.emplace(opcode->name, opcode);
    return table;
  }();
  auto found = kTable.find(name);
  return found == kTable.end() ? nullptr : found->second;
}

} // namespace heddle::emulator
