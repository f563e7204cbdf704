// Names of devices: "cpu", "sim:1".

#ifndef HEDDLE_DIALECTS_PLAN_DEVICENAMES_H
#define HEDDLE_DIALECTS_PLAN_DEVICENAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle::plan {

/// The kind that a device without a memory of its own has: the processor.
inline constexpr llvm::StringLiteral kCpu = "cpu";

struct DeviceName {
  /// One of `deviceKinds()`.
  llvm::StringRef kind;
  /// Which of the devices of its kind.
  unsigned ordinal = 0;

  /// "cpu", of which there is one; "sim:0".
  std::string text() const;
};

/// The kinds of devices that artifacts know.
llvm::ArrayRef<llvm::StringRef> deviceKinds();

/// Whether queues of devices of that kind read counts for the launches behind
/// them.
bool readsCounts(llvm::StringRef kind);

/// Reads "sim:1"; "sim" is "sim:0". None for what is no device.
std::optional<DeviceName> parseDeviceName(llvm::StringRef text);

} // namespace heddle::plan

#endif // HEDDLE_DIALECTS_PLAN_DEVICENAMES_H
