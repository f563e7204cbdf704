// The families of instructions; each has one table of the words that start its
// instructions.

#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FAMILIES_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FAMILIES_H

#include "test/emulator/machine/Decoder.h"

namespace heddle::emulator {

struct Family {
  const Opcode *begin;
  const Opcode *end;
};

Family arithmeticFamily();
Family integerFamily();
Family wideIntegerFamily();
Family bitFamily();
Family floatFamily();
Family approximateFamily();
Family selectFamily();
Family convertFamily();
Family moveFamily();
Family controlFamily();
Family loadStoreFamily();
Family togetherFamily();
Family matrixFamily();
Family matrixMoveFamily();
Family asyncCopyFamily();
Family warpgroupFamily();
Family mbarrierFamily();
Family tensorMapFamily();

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FAMILIES_H
