// Processes that work on numbered tasks: one that dies costs its task alone.

#ifndef HEDDLE_LIB_TESTING_TESTWORKERS_H
#define HEDDLE_LIB_TESTING_TESTWORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// Calls `work(i)` for every i below `count` in up to `jobs` processes forked
/// from this one, and `done(i, answer)` here, in the order in which they end.
/// A process that dies, or takes longer than `seconds` for a task (0: no
/// bound), is replaced; `died(i, why)` is called for the task.
void runInProcesses(size_t count, unsigned jobs, double seconds,
                    llvm::function_ref<std::string(size_t)> work,
                    llvm::function_ref<void(size_t, llvm::StringRef)> done,
                    llvm::function_ref<void(size_t, std::string)> died);

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_TESTWORKERS_H
