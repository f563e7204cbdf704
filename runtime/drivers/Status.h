// Errors as drivers tell them.

#ifndef HEDDLE_RUNTIME_DRIVERS_STATUS_H
#define HEDDLE_RUNTIME_DRIVERS_STATUS_H

#include "runtime/drivers/cpu/Clock.h"
#include "runtime/format/Error.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace heddle::runtime {

using format::Error;

/// Writes an error to a caller's status; the rest of the message is left as it
/// is, because clearing it would be the larger part of a small call.
inline int32_t tell(const Error &error, heddle_status *why) {
  why->code = error.code();
  size_t length = std::min(error.message().size(), sizeof(why->message) - 1);
  std::memcpy(why->message, error.message().data(), length);
  why->message[length] = '\0';
  return why->code;
}

/// What a function that only may fail returns.
inline int32_t tellIf(const Error &error, heddle_status *why) {
  return error ? tell(error, why) : HEDDLE_OK;
}

/// What a wait returns whose deadline has passed.
inline Error passedDeadline() {
  return {HEDDLE_DEADLINE_EXCEEDED, "the call's deadline has passed"};
}
inline int32_t tellPassedDeadline(heddle_status *why) {
  return tell(passedDeadline(), why);
}

/// What a wait returns whose call was cancelled.
inline Error cancelled() {
  return {HEDDLE_CANCELLED, "the call was cancelled"};
}

/// Why not to wait any longer for a call with this flag, which may be null, and
/// deadline (0: none).
inline Error endOfWait(const int32_t *cancel, uint64_t deadlineNs) {
  if (cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED))
    return cancelled();
  if (deadlineNs && monotonicNs() >= deadlineNs)
    return passedDeadline();
  return {};
}

/// The error that a driver's function returned and told in `why`.
inline Error told(int32_t code, const heddle_status &why) {
  return code ? Error(static_cast<heddle_code>(code), why.message) : Error();
}

/// What `function` returns. A driver's function throws nothing: where the
/// standard library finds no memory, it tells so.
template <typename Function>
int32_t guarded(heddle_status *why, Function function) noexcept {
  try {
    return function();
  } catch (const std::bad_alloc &) {
    // A message of no more than a string's own room.
    return tell({HEDDLE_OUT_OF_MEMORY, "no memory"}, why);
  }
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_STATUS_H
