// Scratch memory that launches ask for.

#ifndef HEDDLE_RUNTIME_FORMAT_SCRATCH_H
#define HEDDLE_RUNTIME_FORMAT_SCRATCH_H

#include "runtime/format/ManifestTables.h"

namespace heddle::format {

/// The most bytes of scratch that a kernel of `launch` asks for, for each
/// worker of the host; 0 for kernels of other devices.
uint64_t mostScratch(const Launch &launch, const Variant &variant);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_SCRATCH_H
