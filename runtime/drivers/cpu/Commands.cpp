// Copies and fills, a piece at a time, by any worker.

#include "runtime/drivers/cpu/Commands.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::runtime;

void runtime::fillBytes(char *target, uint64_t pattern, unsigned patternBytes,
                        int64_t begin, int64_t end) {
  char repeated[64];
  for (unsigned i = 0; i < sizeof(repeated); i += patternBytes)
    std::memcpy(repeated + i, &pattern, patternBytes);
  for (int64_t at = begin; at < end; at += int64_t(sizeof(repeated)))
    std::memcpy(target + at, repeated,
                std::min<size_t>(sizeof(repeated), size_t(end - at)));
}

void runtime::runOnThisThread(const heddle_driver_command *command,
                              const heddle_driver_worker *worker, int64_t begin,
                              int64_t end) {
  if (command->kind == HEDDLE_COMMAND_LAUNCH) {
    runTiles(reinterpret_cast<const CpuKernel *>(command->kernel)->code,
             command->buffers, command->integers, *worker, begin, end);
    return;
  }
  auto *target = static_cast<char *>(command->buffers[0]);
  if (command->kind == HEDDLE_COMMAND_FILL)
    fillBytes(target, command->pattern, command->pattern_bytes, begin, end);
  else if (end > begin)
    std::memcpy(target + begin,
                static_cast<const char *>(command->buffers[1]) + begin,
                size_t(end - begin));
}
