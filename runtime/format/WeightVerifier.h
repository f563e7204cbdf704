// Checks the weights of a manifest.

#ifndef HEDDLE_RUNTIME_FORMAT_WEIGHTVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_WEIGHTVERIFIER_H

#include "runtime/format/ArtifactReader.h"

namespace heddle::format {

/// Checks each weight: that it lies in a section of weights, behind the one
/// before, with the bytes of its type or layout, and that its scales and zero
/// points exist, one for each block. The sections have been checked.
Error verifyWeights(const Manifest &manifest);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_WEIGHTVERIFIER_H
