// What an artifact asks of its host.

#ifndef HEDDLE_RUNTIME_FORMAT_CUSTOMCALLS_H
#define HEDDLE_RUNTIME_FORMAT_CUSTOMCALLS_H

#include "runtime/format/BufferPlaces.h"

namespace heddle::format {

/// The feature that an artifact with custom calls requires of its reader.
inline constexpr char customCallsFeature[] = "custom-calls";

/// Checks a kernel that is a custom call: names, types and attributes are well
/// formed, aliases are those of the kernel, there is no code.
Error verifyCustomCall(const Kernel &kernel, const Manifest &manifest);

/// Checks what a launch of it binds, part by part: sizes, alignment and use
/// are those of operands and results, an alias is one memory with its operand.
Error verifyCustomCallBindings(const CustomCall &call, const ProgramView &view,
                               const Launch &launch,
                               const std::vector<MemoryAccess> &accesses);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_CUSTOMCALLS_H
