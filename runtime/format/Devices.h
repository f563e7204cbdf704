// Which device may touch which memory.

#ifndef HEDDLE_RUNTIME_FORMAT_DEVICES_H
#define HEDDLE_RUNTIME_FORMAT_DEVICES_H

#include "runtime/format/Error.h"
#include "runtime/format/Layout.h"

namespace heddle::format {

/// The device of each variant where control flow is walked, whose memory is
/// that of the process.
constexpr uint32_t hostDevice = 0;

/// Whether a device of this kind has a memory of that space.
bool hasSpace(DeviceKind kind, MemorySpace space);

/// Whether queues of such a device read counts for the launches behind them.
bool readsCounts(DeviceKind kind);

/// "cpu" or "sim:1", as in messages and options.
std::string deviceName(const Variant &variant, uint32_t device);

/// Why this reader cannot run what `variant` says: a feature, a kind of device
/// or of code, or a version of the kernels' interface that came later, or
/// launch data that no driver uses. Empty when it can.
std::string unknownPart(const Variant &variant);

/// Checks devices and code images of a variant of which no part is unknown.
Error verifyDevices(const Manifest &manifest, const Variant &variant);

} // namespace heddle::format

#endif // HEDDLE_RUNTIME_FORMAT_DEVICES_H
