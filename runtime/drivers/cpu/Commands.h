// Copies and fills by the host's threads.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_COMMANDS_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_COMMANDS_H

#include "runtime/drivers/driver.h"
#include "runtime/format/kernel_abi.h"

namespace heddle::runtime {

/// A kernel that this processor runs.
struct CpuKernel {
  heddle_kernel code;
  uint64_t scratch; ///< Bytes for each worker.
  bool flushesSubnormals;
};

/// Runs tiles [begin, end) of a kernel.
inline void runTiles(heddle_kernel code, void *const *buffers,
                     const int64_t *integers,
                     const heddle_driver_worker &worker, int64_t begin,
                     int64_t end) {
  heddle_kernel_args args = {};
  args.buffers = buffers;
  args.integers = integers;
  args.scratch = worker.scratch;
  args.worker = worker.number;
  args.tile_begin = begin;
  args.tile_end = end;
  args.version = HEDDLE_KERNEL_ABI_VERSION;
  code(&args);
}

/// Repeats the pattern over bytes [begin, end) of `target`; both are multiples
/// of its size.
void fillBytes(char *target, uint64_t pattern, unsigned patternBytes,
               int64_t begin, int64_t end);

/// heddle_driver.run of the CPU.
void runOnThisThread(const heddle_driver_command *command,
                     const heddle_driver_worker *worker, int64_t begin,
                     int64_t end);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_COMMANDS_H
