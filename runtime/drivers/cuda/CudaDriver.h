// The driver of NVIDIA's devices.

#ifndef HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H

#include "runtime/drivers/driver.h"

namespace heddle::runtime {

extern const heddle_driver cudaDriver;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CUDA_CUDADRIVER_H
