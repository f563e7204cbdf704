// Element types of tensors: names, sizes, and their numbers in DLPack.

#ifndef HEDDLE_RUNTIME_FORMAT_DATATYPES_H
#define HEDDLE_RUNTIME_FORMAT_DATATYPES_H

#include "runtime/format/artifact_generated.h"

namespace heddle::format {

/// Bytes of one element outside packed weights (sub-byte types take one); 0
/// for a number that is no type.
unsigned elementBytes(DataType type);

/// Bits of one element where several share a word.
unsigned elementBits(DataType type);

/// As in IR: "f32", "ui8"; "?" for a number that is no type.
const char *dataTypeName(DataType type);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_DATATYPES_H
