// Barriers in shared memory, as instructions and asynchronous copies use them.

#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONS_MBARRIER_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONS_MBARRIER_H

#include "test/emulator/machine/Async.h"
#include "test/emulator/machine/Decoder.h"

namespace heddle::emulator {

/// The barrier at a shared address; a fault and null where none was made.
MBarrier *findBarrier(Warp &warp, Space space, uint64_t address, unsigned lane);
/// Bytes of a copy have come.
void completeBytes(Launch &launch, MBarrier &barrier, uint32_t bytes);

/// cp.async.bulk: Bulk.cpp.
bool decodeBulk(Decoder &decoder);

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONS_MBARRIER_H
