// The host as a device.

#ifndef HEDDLE_RUNTIME_DRIVERS_CPU_CPUDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_CPU_CPUDRIVER_H

#include "runtime/drivers/cpu/CodeImage.h"
#include "runtime/drivers/driver.h"

namespace heddle::runtime {

extern const heddle_driver cpuDriver;

/// Where an image of the CPU's driver lies, for perf and gdb.
const CodeImage &codeImage(const heddle_driver_image *image);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_CPU_CPUDRIVER_H
