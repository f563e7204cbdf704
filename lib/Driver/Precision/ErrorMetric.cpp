// The metrics of an error budget.

#include "ErrorMetric.h"

#include "heddle/Support/CompareTensors.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace heddle;

static constexpr std::pair<llvm::StringLiteral, ErrorMetric> metrics[] = {
    {"rel-l2", ErrorMetric::RelativeL2},
    {"max-abs", ErrorMetric::MaxAbsolute},
    {"cosine", ErrorMetric::Cosine},
    {"kl", ErrorMetric::Divergence},
    {"top1", ErrorMetric::Top1}};

std::string heddle::metricNames() {
  std::string names;
  for (auto [place, metric] : llvm::enumerate(metrics)) {
    if (place)
      names += place + 1 == std::size(metrics) ? " or " : ", ";
    names += metric.first;
  }
  return names;
}

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

double heddle::toMagnitude(ErrorMetric metric, double error) {
  switch (metric) {
  case ErrorMetric::Cosine:
    // 1 - cos(a) = 2 sin(a/2)^2, which keeps its digits for small angles.
    return 2 * std::asin(std::sqrt(std::min(1.0, std::max(0.0, error) / 2)));
  case ErrorMetric::Divergence:
    return std::sqrt(error < 0 ? 0 : error);
  default:
    return error;
  }
}

double heddle::fromMagnitude(ErrorMetric metric, double magnitude) {
  if (std::isinf(magnitude))
    return magnitude;
  switch (metric) {
  case ErrorMetric::Cosine: {
    double half = std::sin(std::min(magnitude, M_PI) / 2);
    return 2 * half * half;
  }
  case ErrorMetric::Divergence:
    return magnitude * magnitude;
  default:
    return magnitude;
  }
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

/// Calls `visit` with the first element and the length of each row along the
/// last dimension; a tensor of rank 0 is a row of one.
static void forEachRow(const HostTensor &tensor,
                       llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t length = tensor.rank() ? tensor.dim(tensor.rank() - 1) : 1;
  for (int64_t first = 0; first < tensor.size(); first += length)
    visit(first, length);
}

/// log(sum(exp(row))), without an overflow.
static double logSumExp(const HostTensor &tensor, int64_t first,
                        int64_t length) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t i = 0; i < length; ++i)
    largest = std::max(largest, tensor.floatAt(first + i));
  for (int64_t i = 0; i < length; ++i)
    sum += std::exp(tensor.floatAt(first + i) - largest);
  return largest + std::log(sum);
}

/// The mean divergence of the rows of `exact` from those of `result`; elements
/// that are -inf in both have no part in it. NaN where a row is no distribution
/// because of another element that is not finite.
static double divergence(const HostTensor &result, const HostTensor &exact) {
  double total = 0;
  int64_t rows = 0;
  forEachRow(exact, [&](int64_t first, int64_t length) {
    double sumOfExact = logSumExp(exact, first, length),
           sumOfResult = logSumExp(result, first, length);
    for (int64_t i = first; i < first + length; ++i) {
      double logP = exact.floatAt(i) - sumOfExact;
      double logQ = result.floatAt(i) - sumOfResult;
      if (double p = std::exp(logP); p != 0)
        total += p * (logP - logQ);
    }
    ++rows;
  });
  // No less than zero, but for rounding.
  return total < 0 || rows == 0 ? 0 : total / rows;
}

/// The part of the rows whose largest element is another one. NaN is the
/// largest of a row that has one: nothing is known of its order.
static double changedRows(const HostTensor &result, const HostTensor &exact) {
  int64_t changed = 0, rows = 0;
  auto largestAt = [](const HostTensor &tensor, int64_t first, int64_t length) {
    int64_t place = first;
    for (int64_t i = first; i < first + length; ++i)
      if (tensor.floatAt(i) > tensor.floatAt(place) ||
          (std::isnan(tensor.floatAt(i)) && !std::isnan(tensor.floatAt(place))))
        place = i;
    return place;
  };
  forEachRow(exact, [&](int64_t first, int64_t length) {
    changed +=
        largestAt(result, first, length) != largestAt(exact, first, length);
    ++rows;
  });
  return rows ? double(changed) / rows : 0;
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
  case ErrorMetric::Divergence:
    return distance->equal() ? 0
                             : toMagnitude(metric, divergence(result, exact));
  case ErrorMetric::Top1:
    return distance->equal() ? 0 : changedRows(result, exact);
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
