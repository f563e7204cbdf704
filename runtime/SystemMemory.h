// How much memory this process can still have.

#ifndef HEDDLE_RUNTIME_SYSTEMMEMORY_H
#define HEDDLE_RUNTIME_SYSTEMMEMORY_H

#include <cstdint>

namespace heddle::runtime {

/// Bytes that could be touched now before the system, or a control group that
/// the process is in, would have to end somebody for them: what is free or
/// holds copies of files, and room for swapping. UINT64_MAX where nothing
/// tells. A moment later it may be another number.
///
/// `root` stands in front of "/proc" and "/sys", for tests.
uint64_t availableMemory(const char *root = "");

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SYSTEMMEMORY_H
