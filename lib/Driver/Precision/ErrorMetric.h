// How large an error of a program's results is.

#ifndef HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H
#define HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H

#include "heddle/Support/HostTensor.h"

#include <optional>
#include <string>

namespace heddle {

enum class ErrorMetric {
  /// ||result - exact|| / ||exact||.
  RelativeL2,
  /// The largest |result - exact| of an element.
  MaxAbsolute,
  /// 1 - the cosine of the angle between both.
  Cosine,
  /// How much the distributions that rows of logits stand for differ: the mean
  /// of sum(p log(p / q)) over the rows, where p = softmax(exact) and
  /// q = softmax(result) along the last dimension; in nats.
  Divergence,
  /// The part of the rows along the last dimension whose largest element is
  /// another one. Of equal ones the first counts.
  Top1
};

/// The names of all, as "rel-l2, max-abs or cosine".
std::string metricNames();
/// By "rel-l2", "max-abs", "cosine", "kl" or "top1".
std::optional<ErrorMetric> parseErrorMetric(llvm::StringRef name);
llvm::StringRef metricName(ErrorMetric metric);

/// A number whose squares add up where errors are independent: the error
/// itself, but of `Cosine` the angle, and of `Divergence`, which is a square
/// itself as long as it is small, the root.
double toMagnitude(ErrorMetric metric, double error);
double fromMagnitude(ErrorMetric metric, double magnitude);

/// The magnitude of the worst of all results that are floats; infinite where a
/// number is not finite in one only. Shapes are the same.
double errorMagnitude(ErrorMetric metric, llvm::ArrayRef<HostTensor> results,
                      llvm::ArrayRef<HostTensor> exact);

} // namespace heddle

#endif // HEDDLE_DRIVER_PRECISION_ERRORMETRIC_H
