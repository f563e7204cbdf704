// Values that cross the C interface.

#ifndef HEDDLE_RUNTIME_BORDER_H
#define HEDDLE_RUNTIME_BORDER_H

#include "runtime/LoadedProgram.h"
#include "runtime/format/SizedStructs.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

struct heddle_program {
  std::shared_ptr<heddle::runtime::LoadedProgram> program;
};

namespace heddle::runtime {

inline heddle_status toStatus(const Error &error) {
  heddle_status status;
  status.code = error.code();
  // The rest of the message is left as it is: clearing 512 bytes would be the
  // larger part of a small call.
  size_t length = std::min(error.message().size(), sizeof(status.message) - 1);
  std::memcpy(status.message, error.message().data(), length);
  status.message[length] = '\0';
  return status;
}

inline heddle_status invalid(const char *what) {
  return toStatus({HEDDLE_ARGUMENT_INVALID, what});
}

/// What is wrong where a pointer is missing.
inline constexpr char nullPointer[] = "a null pointer";

/// What is wrong where a bit of `flags` has no meaning.
inline constexpr char unknownFlag[] =
    "a flag is set that this version of heddle does not know";

/// HEDDLE_ARGUMENT_INVALID for what this version does not know.
inline Error readCallOptions(const heddle_call_options *given,
                             heddle_call_options &options) {
  if (!readOptions(given, options))
    return {HEDDLE_ARGUMENT_INVALID, badSize};
  if (options.flags & ~static_cast<uint32_t>(HEDDLE_STAGE_TENSORS))
    return {HEDDLE_ARGUMENT_INVALID, unknownFlag};
  return {};
}

/// The status that `body` returns, or that memory ran out. An exception of
/// another kind can only be one of the caller's own functions, which must not
/// unwind: it ends the process.
template <typename Body> inline heddle_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
  } catch (const std::length_error &) {
  }
  heddle_status status;
  status.code = HEDDLE_OUT_OF_MEMORY;
  std::strcpy(status.message, "memory ran out");
  return status;
}

/// Writes as much of a size-prefixed struct as the caller's version holds.
template <typename T> bool writeResult(const T &result, T *out) {
  if (!out || out->size < sizeof(size_t))
    return false;
  size_t size = out->size;
  std::memcpy(out, &result, std::min(size, sizeof(T)));
  out->size = size;
  return true;
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BORDER_H
