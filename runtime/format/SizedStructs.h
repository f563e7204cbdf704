// Structs of any version.
//
// Structs of the C interfaces, of the runtime's and the compiler's, begin with
// their size, so that a caller may have been built with an earlier version of
// them, or with a later one.

#ifndef HEDDLE_RUNTIME_FORMAT_SIZEDSTRUCTS_H
#define HEDDLE_RUNTIME_FORMAT_SIZEDSTRUCTS_H

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace heddle {

/// Reads such a struct, or the defaults where `given` is null: what the
/// caller's lacks is zero, what ours lacks must be.
template <typename T> bool readOptions(const T *given, T &options) {
  if (!given) {
    options = {};
    options.size = sizeof(T);
    return true;
  }
  size_t size = given->size;
  if (size == sizeof(T)) {
    options = *given;
    return true;
  }
  if (size < sizeof(size_t))
    return false;
  options = {};
  const char *bytes = reinterpret_cast<const char *>(given);
  std::memcpy(&options, given, std::min(size, sizeof(T)));
  options.size = sizeof(T);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i])
      return false;
  return true;
}

inline constexpr char badSize[] =
    "a struct's size is not set (use HEDDLE_INIT), or an option is set that "
    "this version of heddle does not know";

} // namespace heddle

#endif // HEDDLE_RUNTIME_FORMAT_SIZEDSTRUCTS_H
