// The driver of simulated devices.

#ifndef HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H
#define HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H

#include "runtime/drivers/driver.h"

namespace heddle::runtime {

extern const heddle_driver simDriver;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DRIVERS_SIM_SIMDRIVER_H
