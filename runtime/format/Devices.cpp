// Names of devices, the spaces they have, and variants that this reader cannot
// know.

#include "runtime/format/Devices.h"

#include "runtime/format/Counts.h"
#include "runtime/format/CustomCalls.h"
#include "runtime/format/DeviceNames.h"
#include "runtime/format/ManifestTables.h"
#include "runtime/format/kernel_abi.h"

namespace heddle::format {

/// Also bounds what verifying a plan with many queues can cost.
static constexpr uint32_t maximumDevices = 64;

bool hasSpace(DeviceKind kind, MemorySpace space) {
  return (kind == DeviceKind::cpu) == (space == MemorySpace::host);
}

bool readsCounts(DeviceKind kind) {
  return readsCounts(EnumNameDeviceKind(kind));
}

std::string deviceName(const Variant &variant, uint32_t device) {
  const Device &known = *variant.devices()->Get(device);
  std::string kind = EnumNameDeviceKind(known.kind());
  return device == hostDevice ? kind
                              : kind + ":" + std::to_string(known.ordinal());
}

/// What a launch on a grid asks for that no driver here gives it.
static std::string unknownLaunch(const Kernel &kernel) {
  const GpuLaunch *launch = kernel.launch_as_GpuLaunch();
  if (launch && length(launch->cluster()))
    return "launches in clusters of blocks";
  if (launch && launch->scratch())
    return "scratch for a launch on a grid";
  return {};
}

std::string unknownPart(const Variant &variant) {
  for (uint32_t i = 0; i < length(variant.required_features()); ++i)
    if (std::string name = text(variant.required_features()->Get(i));
        name != customCallsFeature && name != deviceCountsFeature)
      return "'" + name + "'";
  if (variant.abi() != HEDDLE_KERNEL_ABI_VERSION)
    return "kernels of ABI version " + std::to_string(variant.abi());
  auto unknownDevice = [](DeviceKind kind) {
    return "device kind " + std::to_string(unsigned(kind));
  };
  for (uint32_t i = 0; i < length(variant.devices()); ++i)
    if (variant.devices()->Get(i)->kind() > DeviceKind::MAX)
      return unknownDevice(variant.devices()->Get(i)->kind());
  for (uint32_t i = 0; i < length(variant.images()); ++i) {
    const Image &image = *variant.images()->Get(i);
    if (image.device() > DeviceKind::MAX)
      return unknownDevice(image.device());
    if (image.format() > CodeFormat::MAX)
      return "code format " + std::to_string(unsigned(image.format()));
  }
  for (uint32_t i = 0; i < length(variant.kernels()); ++i)
    if (std::string what = unknownLaunch(*variant.kernels()->Get(i));
        !what.empty())
      return what;
  return {};
}

Error verifyDevices(const Manifest &manifest, const Variant &variant) {
  auto invalid = [&](const std::string &what) -> Error {
    return {HEDDLE_MANIFEST_INVALID,
            "variant '" + text(variant.name()) + "' " + what};
  };
  uint32_t devices = length(variant.devices());
  if (!devices || variant.devices()->Get(0)->kind() != DeviceKind::cpu)
    return invalid("does not begin its devices with a cpu");
  if (devices > maximumDevices)
    return invalid("has more than " + std::to_string(maximumDevices) +
                   " devices");
  for (uint32_t i = 1; i < devices; ++i) {
    const Device &device = *variant.devices()->Get(i);
    if (device.kind() == DeviceKind::cpu)
      return invalid("has a second cpu");
    for (uint32_t j = 0; j < i; ++j)
      if (variant.devices()->Get(j)->kind() == device.kind() &&
          variant.devices()->Get(j)->ordinal() == device.ordinal())
        return invalid("has the device " + deviceName(variant, i) + " twice");
  }
  if (!length(variant.images()) ||
      variant.images()->Get(0)->device() != DeviceKind::cpu)
    return invalid("does not begin its code with that for the cpu");
  for (uint32_t i = 0; i < length(variant.images()); ++i) {
    const Image &image = *variant.images()->Get(i);
    if (image.section() >= length(manifest.sections()) ||
        manifest.sections()->Get(image.section())->kind() != SectionKind::code)
      return invalid("has an image that is no code");
    bool runsElf =
        image.device() == DeviceKind::cpu || image.device() == DeviceKind::sim;
    if (runsElf != (image.format() == CodeFormat::elf))
      return invalid("has code of the format '" +
                     std::string(EnumNameCodeFormat(image.format())) +
                     "' for a device of kind '" +
                     EnumNameDeviceKind(image.device()) + "'");
    for (uint32_t j = 0; j < i; ++j)
      if (variant.images()->Get(j)->device() == image.device() &&
          variant.images()->Get(j)->format() == image.format())
        return invalid("has two images for one kind of device");
  }
  return {};
}

} // namespace heddle::format
