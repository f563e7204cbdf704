// What a command may use, and how it dies when it may not go on.

#ifndef HEDDLE_DRIVER_LIMITS_H
#define HEDDLE_DRIVER_LIMITS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace heddle {

/// Bounds the process: `memoryBytes` of memory of its own (mapped files do not
/// count) and `seconds` of time; 0 is no bound. Passing one prints its error
/// and ends the process with exit code 6: allocations fail anywhere in LLVM and
/// a pass cannot be interrupted, so there is no way back. Unfinished artifacts
/// have no name and vanish. Sets the handlers, too, that end the process so
/// where the system refuses a thread: the terminate handler, for the standard
/// library's exception, and LLVM's handler of fatal errors.
void setLimits(uint64_t memoryBytes, double seconds, bool json);

/// Turns a crash into error HDL-0901, exit code 70 and a file that says how to
/// provoke it again.
void setCrashReport(int argc, const char *const *argv, bool json);

/// The stage that the crash report names; nothing in a process that makes no
/// such reports, where any thread may call it.
void setCrashStage(llvm::StringRef stage);

/// "512M", "2GiB", "1.5G" in bytes (powers of 1024).
std::optional<uint64_t> parseBytes(llvm::StringRef text);

} // namespace heddle

#endif // HEDDLE_DRIVER_LIMITS_H
