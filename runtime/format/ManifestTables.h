// What the tables of a manifest say: their strings and lists, ends of ranges,
// bytes of tensors.

#ifndef HEDDLE_RUNTIME_FORMAT_MANIFESTTABLES_H
#define HEDDLE_RUNTIME_FORMAT_MANIFESTTABLES_H

#include "runtime/format/ArtifactReader.h"

#include <string>
#include <vector>

namespace heddle::format {

inline constexpr const char *flushFeature = "flush-subnormals";
/// Of an artifact with entries that take something for granted of sizes.
inline constexpr const char *assumptionsFeature = "size-assumptions";
/// Of an artifact whose program is run by several ranks together.
inline constexpr const char *ranksFeature = "ranks";

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

/// A list of names, such as that of the features which a reader needs.
using NameList = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

/// Whether the list of features has this one.
bool needs(const NameList *features, const char *feature);

/// What a verifier says of a manifest that contradicts itself.
Error invalidManifest(const std::string &what);

/// The least value that a symbol may have: a multiple within its bounds. The
/// multiple has been checked to be positive.
int64_t leastValue(const Symbol &symbol);

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

/// Bytes of a row-major tensor; negative when an extent is, or when the product
/// is beyond maximumBytes.
int64_t denseBytes(DataType type, const int64_t *shape, size_t rank);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_MANIFESTTABLES_H
