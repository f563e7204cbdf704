// Checks the kernels of a variant against the code images that they lie in.

#ifndef HEDDLE_RUNTIME_FORMAT_KERNELVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_KERNELVERIFIER_H

#include "runtime/format/ArtifactReader.h"

namespace heddle::format {

/// Checks the kernels of a variant whose devices are known (Devices.h), and the
/// images of `file` that they lie in.
Error verifyKernels(const Manifest &manifest, const Variant &variant,
                    Bytes file);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_KERNELVERIFIER_H
