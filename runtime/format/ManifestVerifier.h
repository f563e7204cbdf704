// Checks what a manifest says.

#ifndef HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H
#define HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H

#include "runtime/format/ArtifactReader.h"

#include <vector>

namespace heddle::format {

inline constexpr const char *flushFeature = "flush-subnormals";
/// Of an artifact with entries that take something for granted of sizes.
inline constexpr const char *assumptionsFeature = "size-assumptions";

/// Checks a manifest that is a well-formed FlatBuffer and stands at
/// `manifestOffset` of its file: required features, sections in bounds and in
/// order, every index, weights inside their sections without overlap, types,
/// shapes and expressions.
Error verifyManifest(const Manifest &manifest, uint64_t manifestOffset);

/// Checks the kernels of a variant whose devices are known (Devices.h), and the
/// images of `file` that they lie in.
Error verifyKernels(const Manifest &manifest, const Variant &variant,
                    Bytes file);

/// The least value of each symbol: what static checks of a dynamic entry use.
std::vector<int64_t> leastSymbols(const Manifest &manifest);

/// The largest value of each symbol.
std::vector<int64_t> largestSymbols(const Manifest &manifest);

/// From the least to the greatest value of each expression of the manifest's
/// table, as far as the ends of the symbols' ranges say it: a difference is
/// greatest where one symbol is and the other is least. What would be negative
/// is 0: no call has that. Empty where the table has no values at all.
struct ValueRange {
  int64_t least, greatest;
};
std::vector<ValueRange> expressionRanges(const Manifest &manifest);

/// How many extents the inputs of an entry have together.
uint64_t extentCount(const Entry &entry);

/// The bytes of each state's memory; negative when there is no proper number.
std::vector<int64_t> stateBytes(const Manifest &manifest);

/// The bytes of a tensor when the manifest's expressions have these values;
/// negative when an extent is, or when the product is beyond maximumBytes.
int64_t tensorBytes(const Tensor &tensor, const std::vector<int64_t> &values);

/// Absent strings are empty ones.
inline std::string text(const flatbuffers::String *string) {
  return string ? string->str() : std::string();
}
/// Absent vectors are empty ones.
template <typename T> uint32_t length(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// Whether elements of 8 bytes stand where they can be read: the one thing that
/// the FlatBuffers verifier leaves out.
template <typename T> bool isAligned(const flatbuffers::Vector<T> *vector) {
  return !vector || reinterpret_cast<uintptr_t>(vector->Data()) % 8 == 0;
}

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MANIFESTVERIFIER_H
