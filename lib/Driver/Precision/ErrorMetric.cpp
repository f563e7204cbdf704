// The metrics of an error budget.

#include "ErrorMetric.h"

#include "heddle/Support/CompareTensors.h"

#include <cmath>
#include <limits>

using namespace heddle;

static constexpr std::pair<llvm::StringLiteral, ErrorMetric> metrics[] = {
    {"rel-l2", ErrorMetric::RelativeL2},
    {"max-abs", ErrorMetric::MaxAbsolute},
    {"cosine", ErrorMetric::Cosine}};

std::optional<ErrorMetric> heddle::parseErrorMetric(llvm::StringRef name) {
  for (auto [known, metric] : metrics)
    if (known == name)
      return metric;
  return std::nullopt;
}

llvm::StringRef heddle::metricName(ErrorMetric metric) {
  for (auto [name, known] : metrics)
    if (known == metric)
      return name;
  return "";
}

// 1 - cos(a) = 2 sin(a/2)^2, which keeps its digits for small angles.
double heddle::toMagnitude(ErrorMetric metric, double error) {
  if (metric != ErrorMetric::Cosine)
    return error;
  return 2 * std::asin(std::sqrt(std::min(1.0, std::max(0.0, error) / 2)));
}

double heddle::fromMagnitude(ErrorMetric metric, double magnitude) {
  if (metric != ErrorMetric::Cosine || std::isinf(magnitude))
    return magnitude;
  double half = std::sin(std::min(magnitude, M_PI) / 2);
  return 2 * half * half;
}

/// ||numbers||, in f64.
static double norm(const HostTensor &tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    sum += tensor.floatAt(i) * tensor.floatAt(i);
  return std::sqrt(sum);
}

/// The angle between two tensors as vectors: 2 asin(||a/||a|| - b/||b||||/2).
/// To or from zero it is a right one.
static double angle(const HostTensor &a, const HostTensor &b) {
  double normA = norm(a), normB = norm(b);
  if (normA == 0 || normB == 0)
    return normA == normB ? 0 : M_PI / 2;
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    double difference = a.floatAt(i) / normA - b.floatAt(i) / normB;
    sum += difference * difference;
  }
  return 2 * std::asin(std::min(1.0, std::sqrt(sum) / 2));
}

static double magnitudeOf(ErrorMetric metric, const HostTensor &result,
                          const HostTensor &exact) {
  llvm::Expected<TensorDistance> distance = compareTensors(result, exact);
  if (!distance) {
    llvm::consumeError(distance.takeError());
    return std::numeric_limits<double>::infinity();
  }
  if (distance->nonFiniteMismatches)
    return std::numeric_limits<double>::infinity();
  switch (metric) {
  case ErrorMetric::RelativeL2:
    return distance->relativeL2;
  case ErrorMetric::MaxAbsolute:
    return distance->maxAbsolute;
  case ErrorMetric::Cosine:
    // Where both are infinite or NaN at the same places no angle is defined,
    // and equal tensors have none.
    return distance->equal() ? 0 : angle(result, exact);
  }
  return std::numeric_limits<double>::infinity();
}

double heddle::errorMagnitude(ErrorMetric metric,
                              llvm::ArrayRef<HostTensor> results,
                              llvm::ArrayRef<HostTensor> exact) {
  double worst = 0;
  for (auto [result, wanted] : llvm::zip_equal(results, exact)) {
    if (elementClass(result.kind()) != ElementClass::Float)
      continue;
    double found = magnitudeOf(metric, result, wanted);
    // Where squares are beyond f64 nothing is known of the error.
    worst = std::max(worst, std::isnan(found)
                                ? std::numeric_limits<double>::infinity()
                                : found);
  }
  return worst;
}
