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
bool cpuHas(std::string_view feature);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_FEATURES_H
