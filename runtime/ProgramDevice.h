// A device as a program uses it.

#ifndef HEDDLE_RUNTIME_PROGRAMDEVICE_H
#define HEDDLE_RUNTIME_PROGRAMDEVICE_H

#include "runtime/drivers/Drivers.h"
#include "runtime/format/Layout.h"

namespace heddle::runtime {

/// An open device with the code of a variant, loaded for it.
class ProgramDevice {
public:
  ProgramDevice() = default;
  ~ProgramDevice();
  ProgramDevice(const ProgramDevice &) = delete;
  ProgramDevice &operator=(const ProgramDevice &) = delete;

  Error open(const heddle_driver &driver, uint32_t number);
  /// `code` is that of image `image` of the variant.
  Error loadCode(const heddle_driver_code &code, const format::Variant &variant,
                 uint32_t image);

  const std::shared_ptr<Device> &device() const { return opened; }
  const heddle_driver_image *image() const { return loaded; }
  /// By their numbers in the variant; null for those of other images.
  const std::vector<const heddle_driver_kernel *> &kernels() const {
    return found;
  }

private:
  std::shared_ptr<Device> opened;
  heddle_driver_image *loaded = nullptr;
  std::vector<const heddle_driver_kernel *> found;
};

/// All devices of a variant, by their numbers there: the first is the host.
using ProgramDevices = std::vector<std::unique_ptr<ProgramDevice>>;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PROGRAMDEVICE_H
