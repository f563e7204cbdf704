// Kernels in perf and gdb.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_DEBUGSYMBOLS_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_DEBUGSYMBOLS_H

#include "runtime/drivers/cpu/CodeImage.h"
#include "runtime/format/Layout.h"

namespace heddle::runtime {

/// Appends the kernels to /tmp/perf-<pid>.map, where perf looks for them. What
/// cannot be written is left out: names are a help, not a need.
void writePerfMap(const CodeImage &image, const format::Variant &variant);

/// Tells gdb's JIT interface where the kernels are. The result is for
/// unregisterFromGdb, which also takes null.
void *registerWithGdb(const CodeImage &image, const format::Variant &variant);
void unregisterFromGdb(void *registration);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_DEBUGSYMBOLS_H
