// Names of devices taken apart, the same for compiler and runtime.

#ifndef HEDDLE_RUNTIME_FORMAT_DEVICENAMES_H
#define HEDDLE_RUNTIME_FORMAT_DEVICENAMES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::format {

/// The parts of a device's name. Which kinds there are the reader knows.
struct DeviceNameParts {
  std::string_view kind;
  uint32_t ordinal = 0; ///< Which of the devices of its kind; 0 where none is
                        ///< said.
};

/// Takes the name apart; none where what stands behind the colon is no number
/// as it is printed.
inline std::optional<DeviceNameParts> splitDeviceName(std::string_view text) {
  size_t end = text.find(':');
  DeviceNameParts parts = {text.substr(0, end), 0};
  if (end == std::string_view::npos)
    return parts;
  std::string_view number = text.substr(end + 1);
  if (number.empty() || number.size() > 9 ||
      (number.size() > 1 && number.front() == '0'))
    return std::nullopt;
  for (char digit : number) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    parts.ordinal = parts.ordinal * 10 + static_cast<uint32_t>(digit - '0');
  }
  return parts;
}

/// Whether queues of devices of this kind read counts for the launches behind
/// them.
inline bool readsCounts(std::string_view kind) {
  return kind == "cpu" || kind == "sim";
}

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_DEVICENAMES_H
