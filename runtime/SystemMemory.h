// How much memory this process can still have.

#ifndef HEDDLE_RUNTIME_SYSTEMMEMORY_H
#define HEDDLE_RUNTIME_SYSTEMMEMORY_H

#include "runtime/format/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::runtime {

using format::Error;

/// Bytes that could be touched now before the system, or a control group that
/// the process is in, would have to end somebody for them: what is free or
/// holds copies of files, and room for swapping. UINT64_MAX where nothing
/// tells. A moment later it may be another number.
///
/// `root` stands in front of "/proc" and "/sys", for tests.
uint64_t availableMemory(const char *root = "");

/// HEDDLE_OUT_OF_MEMORY where `what` wants more than is available: the system
/// maps more than there is, and ends a process that touches it. What is touched
/// in less time than asking takes is not asked for.
Error checkMemory(uint64_t bytes, const char *what);

/// That there are no `bytes` for `what`, and why.
Error noMemory(const char *what, uint64_t bytes, const std::string &why);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_SYSTEMMEMORY_H
