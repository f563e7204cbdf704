// Checks what a manifest says.

#ifndef HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H

#include "runtime/format/ArtifactReader.h"

namespace heddle::format {

/// Checks a manifest that is a well-formed FlatBuffer and stands at
/// `manifestOffset` of its file: required features, sections in bounds and in
/// order, every index, weights inside their sections without overlap, types,
/// shapes and expressions.
Error verifyManifest(const Manifest &manifest, uint64_t manifestOffset);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H
