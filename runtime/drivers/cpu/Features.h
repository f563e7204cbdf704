// What this processor can do.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_FEATURES_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_FEATURES_H

#include <string>
#include <string_view>

namespace heddle::runtime {

/// "x86-64" or "aarch64": what this library was built for.
const char *hostArchitecture();

/// Whether processor and operating system have a feature, by feature bits,
/// never by model. Names as in /proc/cpuinfo or as in LLVM; `_`, `.` and `-` do
/// not count. A name nobody knows is a feature nobody has.
///
/// To ask for matrix registers (amx-tile and what multiplies them) asks the
/// system to keep these for all threads of the process. It refuses where a
/// thread's alternate signal stack is too small for them: then the process has
/// no such feature, until it is asked for again.
bool cpuHas(std::string_view feature);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_FEATURES_H
