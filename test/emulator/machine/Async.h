// What warps and blocks keep of work that ends later.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H
#define HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H

#include "test/emulator/machine/Cta.h"

namespace heddle::emulator {

struct WarpAsync {};

struct CtaAsync {};

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_ASYNC_H
