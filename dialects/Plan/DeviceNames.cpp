#include "dialects/Plan/DeviceNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle::plan;

std::string DeviceName::text() const {
  return kind == kCpu ? kind.str() : kind.str() + ":" + std::to_string(ordinal);
}

llvm::ArrayRef<llvm::StringRef> heddle::plan::deviceKinds() {
  static constexpr llvm::StringRef kinds[] = {kCpu, "cuda", "hip", "sim"};
  return kinds;
}

std::optional<DeviceName> heddle::plan::parseDeviceName(llvm::StringRef text) {
  auto [kind, number] = text.split(':');
  DeviceName name;
  const auto *known = llvm::find(deviceKinds(), kind);
  if (known == deviceKinds().end())
    return std::nullopt;
  name.kind = *known;
  bool hasNumber = kind.size() != text.size();
  if (hasNumber && (number.getAsInteger(10, name.ordinal) ||
                    (number.size() > 1 && number.front() == '0')))
    return std::nullopt;
  if (name.kind == kCpu && name.ordinal != 0)
    return std::nullopt;
  return name;
}
