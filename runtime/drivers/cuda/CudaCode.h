// Images of code for CUDA's devices, and which devices run them.

#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACODE_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACODE_H

#include "runtime/drivers/driver.h"

namespace heddle::runtime {

// As driver.h says of the entries of these names.
int32_t runsCudaCode(uint32_t number, const char *architecture,
                     heddle_status *why);
int32_t loadCudaImage(heddle_driver_device *device,
                      const heddle_driver_code *code, heddle_driver_image **out,
                      heddle_status *why);
void unloadCudaImage(heddle_driver_image *image);
int32_t findCudaKernel(heddle_driver_image *image,
                       const heddle_driver_kernel_info *info,
                       const heddle_driver_kernel **out, heddle_status *why);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDACODE_H
