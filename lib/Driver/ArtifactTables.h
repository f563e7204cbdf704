// Reading the tables of an artifact, whose parts may be absent.

#ifndef HEDDLE_LIB_DRIVER_ARTIFACTTABLES_H
#define HEDDLE_LIB_DRIVER_ARTIFACTTABLES_H

#include "runtime/format/ArtifactReader.h"
#include "runtime/format/Expressions.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace heddle {

inline llvm::StringRef text(const flatbuffers::String *string) {
  return string ? llvm::StringRef(string->c_str(), string->size())
                : llvm::StringRef();
}

template <typename T> size_t count(const flatbuffers::Vector<T> *list) {
  return list ? list->size() : 0;
}

/// The elements of a list that may be absent.
template <typename T> auto items(const flatbuffers::Vector<T> *list) {
  std::vector<typename flatbuffers::Vector<T>::return_type> result;
  result.reserve(count(list));
  for (uint32_t i = 0; i < count(list); ++i)
    result.push_back(list->Get(i));
  return result;
}

/// The weights that a buffer is on any rank; none of one that is no weight.
inline std::vector<uint32_t> weightsOf(const format::Buffer &buffer) {
  if (buffer.kind() != format::BufferKind::weight)
    return {};
  std::vector<uint32_t> weights = items(buffer.weights());
  weights.push_back(buffer.index());
  return weights;
}

/// The first variant that the reader knows; there is one.
uint32_t firstKnown(const format::ArtifactReader &artifact);

/// Values of an expression table, symbols at their largest.
std::vector<int64_t> tableValues(const format::Manifest &manifest,
                                 const format::ExpressionTable *table);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_ARTIFACTTABLES_H
