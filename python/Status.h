// A status of the C interface as an exception of the package's.

#ifndef HEDDLE_PYTHON_STATUS_H
#define HEDDLE_PYTHON_STATUS_H

#include "heddle/runtime.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace heddle::python {

namespace nb = nanobind;

[[noreturn]] void raise(int32_t code, const char *message,
                        nb::object cause = {});

/// Raises what is no success.
void check(const heddle_status &status);

/// CLOCK_MONOTONIC in so many seconds; 0, which is no deadline, without.
uint64_t deadlineAfter(std::optional<double> seconds);

void bindErrors(nb::module_ &module);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_STATUS_H
