// The runtime's names of types, as the driver's.

#ifndef HEDDLE_DRIVER_PROGRAMTYPES_H
#define HEDDLE_DRIVER_PROGRAMTYPES_H

#include "heddle/Support/ElementKind.h"
#include "heddle/runtime.h"

namespace heddle {

ElementKind toKind(heddle_dtype dtype);

} // namespace heddle

#endif // HEDDLE_DRIVER_PROGRAMTYPES_H
