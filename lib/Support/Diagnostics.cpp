// Codes, exit codes and help of errors, and how a message carries its code.

#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlir;
using namespace heddle;

ArrayRef<ErrorInfo> heddle::allErrors() {
  static constexpr ErrorInfo table[] = {
#define HEDDLE_ERROR(name, number, exit, meaning, help)                        \
  {ErrorCode(number), ExitCode::exit, meaning, help},
#include "heddle/Support/ErrorCodes.def"
  };
  return table;
}

static const ErrorInfo *findError(unsigned number) {
  ArrayRef<ErrorInfo> table = allErrors();
  const auto *row =
      llvm::lower_bound(table, number, [](const ErrorInfo &info, unsigned n) {
        return unsigned(info.code) < n;
      });
  if (row == table.end() || unsigned(row->code) != number)
    return nullptr;
  return row;
}

const ErrorInfo &heddle::errorInfo(ErrorCode code) {
  return *findError(unsigned(code));
}

std::string heddle::errorName(ErrorCode code) {
  std::string name;
  llvm::raw_string_ostream(name) << llvm::format("HDL-%04u", unsigned(code));
  return name;
}

std::optional<ErrorCode> heddle::parseErrorName(StringRef name) {
  name.consume_front_insensitive("HDL-");
  unsigned number;
  if (name.getAsInteger(10, number))
    return std::nullopt;
  if (const ErrorInfo *info = findError(number))
    return info->code;
  return std::nullopt;
}

InFlightDiagnostic heddle::emitError(Location loc, ErrorCode code) {
  return mlir::emitError(loc) << "[" << errorName(code) << "] ";
}

std::optional<ErrorCode> heddle::takeErrorCode(std::string &message) {
  size_t begin = message.find("[HDL-");
  // Behind anything but an op error's own words, the code is part of a
  // quotation.
  if (begin == std::string::npos ||
      (begin != 0 && !StringRef(message).take_front(begin).ends_with(" op ")))
    return std::nullopt;
  size_t end = message.find(']', begin);
  if (end == std::string::npos)
    return std::nullopt;
  std::optional<ErrorCode> code =
      parseErrorName(StringRef(message).slice(begin + 1, end));
  if (!code)
    return std::nullopt;
  bool blank = end + 1 < message.size() && message[end + 1] == ' ';
  message.erase(begin, end + 1 + blank - begin);
  return code;
}
