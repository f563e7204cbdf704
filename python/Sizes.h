// Sizes that calls choose.

#ifndef HEDDLE_PYTHON_SIZES_H
#define HEDDLE_PYTHON_SIZES_H

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace heddle::python {

namespace nb = nanobind;

struct SizeInfo {
  std::string name;
  int64_t minimum, maximum, multiple;
  std::string source; ///< Who says it.
};

void bindSizes(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_SIZES_H
