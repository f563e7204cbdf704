// Code for this processor, as drivers see it.
//
// Entries of the drivers' table that every device shares which runs the code of
// this processor.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_CPUIMAGE_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_CPUIMAGE_H

#include "runtime/drivers/cpu/CodeImage.h"
#include "runtime/drivers/cpu/Commands.h"

#include <deque>
#include <mutex>

namespace heddle::runtime {

/// What a heddle_driver_image of such a device is; its kernels are CpuKernel.
struct CpuImage {
  CodeImage code;
  bool flushesSubnormals;
  std::mutex mutex;
  std::deque<CpuKernel> kernels;
};

int32_t loadCpuImage(heddle_driver_device *device,
                     const heddle_driver_code *code, heddle_driver_image **out,
                     heddle_status *why);
void unloadCpuImage(heddle_driver_image *image);
int32_t findCpuKernel(heddle_driver_image *image,
                      const heddle_driver_kernel_info *info,
                      const heddle_driver_kernel **out, heddle_status *why);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_CPUIMAGE_H
