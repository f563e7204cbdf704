// Reads, prints and orders versions of StableHLO.

#include "dialects/Vhlo/Version.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::vhlo {

std::optional<Version> Version::parse(StringRef text) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, '.');
  Version version;
  uint32_t *fields[] = {&version.major, &version.minor, &version.patch};
  if (parts.size() < 2 || parts.size() > 3)
    return std::nullopt;
  for (auto [part, field] : zip(parts, fields))
    if (part.getAsInteger(10, *field))
      return std::nullopt;
  return version;
}

std::string Version::str() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

int64_t bytecodeVersionOf(Version version) {
  if (version < Version{0, 10, 0})
    return 0;
  if (version < Version{0, 12, 0})
    return 1;
  if (version < Version{0, 14, 0})
    return 3;
  return version < Version{0, 15, 0} ? 4 : 6;
}

StringRef producerOf(StringRef bytes) {
  if (!bytes.consume_front("ML\xEFR") || bytes.empty())
    return {};
  // A variable-length integer: the number of zeros below the lowest one is the
  // number of further bytes.
  unsigned char first = bytes.front();
  size_t length = first == 0 ? 9 : countr_zero(unsigned(first)) + 1;
  bytes = bytes.drop_front(std::min(length, bytes.size()));
  size_t end = bytes.find('\0');
  return end == StringRef::npos ? StringRef() : bytes.take_front(end);
}

} // namespace heddle::vhlo
