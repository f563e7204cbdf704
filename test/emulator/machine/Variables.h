// Variables of modules in the device's memory.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_VARIABLES_H
#define HEDDLE_TEST_EMULATOR_MACHINE_VARIABLES_H

#include "test/emulator/machine/Fault.h"
#include "test/emulator/machine/Memory.h"
#include "test/emulator/machine/Program.h"

namespace heddle::emulator {

/// Gives global and constant variables their places and first values.
Fault placeVariables(LoadedModule &loaded, Memory &memory);
void releaseVariables(LoadedModule &loaded, Memory &memory);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_VARIABLES_H
