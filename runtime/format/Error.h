// Failure as a value: a status code and a message.

#ifndef HEDDLE_RUNTIME_FORMAT_ERROR_H
#define HEDDLE_RUNTIME_FORMAT_ERROR_H

#include "heddle/runtime.h"

#include <string>
#include <utility>

namespace heddle::format {

/// A code of `heddle_code` and a sentence for the user. True when something
/// went wrong:
///   if (Error error = writer.append(data, bytes))
///     return error;
class [[nodiscard]] Error {
public:
  Error() = default;
  Error(heddle_code code, std::string message)
      : errorCode(code), text(std::move(message)) {}

  explicit operator bool() const { return errorCode != HEDDLE_OK; }
  heddle_code code() const { return errorCode; }
  const std::string &message() const { return text; }

private:
  heddle_code errorCode = HEDDLE_OK;
  std::string text;
};

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_ERROR_H
