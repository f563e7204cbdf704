// How large an error of a program's results is.

#ifndef HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H
#define HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H

#include "heddle/Support/HostTensor.h"

#include <optional>

namespace heddle {

enum class ErrorMetric {
  /// ||result - exact|| / ||exact||.
  RelativeL2,
  /// The largest |result - exact| of an element.
  MaxAbsolute,
  /// 1 - the cosine of the angle between both.
  Cosine
};

/// By "rel-l2", "max-abs" or "cosine".
std::optional<ErrorMetric> parseErrorMetric(llvm::StringRef name);
llvm::StringRef metricName(ErrorMetric metric);

/// A number whose squares add up where errors are independent: the error
/// itself, but of `Cosine` the angle.
double toMagnitude(ErrorMetric metric, double error);
double fromMagnitude(ErrorMetric metric, double magnitude);

/// The magnitude of the worst of all results that are floats; infinite where a
/// number is not finite in one only. Shapes are the same.
double errorMagnitude(ErrorMetric metric, llvm::ArrayRef<HostTensor> results,
                      llvm::ArrayRef<HostTensor> exact);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H
