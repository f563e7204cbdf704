// Reads and prints names of devices.

#include "dialects/Plan/DeviceNames.h"

#include "runtime/format/DeviceNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace heddle::plan;

std::string DeviceName::text() const {
  return kind == kCpu ? kind.str() : kind.str() + ":" + std::to_string(ordinal);
}

llvm::ArrayRef<llvm::StringRef> heddle::plan::deviceKinds() {
  static constexpr llvm::StringRef kinds[] = {kCpu, "cuda", "hip", "sim"};
  return kinds;
}

bool heddle::plan::readsCounts(llvm::StringRef kind) {
  return format::readsCounts(std::string_view(kind));
}

std::optional<DeviceName> heddle::plan::parseDeviceName(llvm::StringRef text) {
  std::optional<format::DeviceNameParts> parts = format::splitDeviceName(text);
  if (!parts)
    return std::nullopt;
  const auto *known = llvm::find(deviceKinds(), llvm::StringRef(parts->kind));
  if (known == deviceKinds().end() || (*known == kCpu && parts->ordinal != 0))
    return std::nullopt;
  return DeviceName{*known, parts->ordinal};
}
