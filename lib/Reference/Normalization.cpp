// Batch normalization: inference, training, gradient. Sums in double.

#include "Evaluator.h"

#include "dialects/StableHlo/StableHlo.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

namespace {
/// Splits linear indices by the feature dimension.
struct Features {
  int64_t count, inner, perFeature;
  Features(const HostTensor &operand, int64_t dimension)
      : count(operand.dim(dimension)),
        inner(rowMajorStrides(operand.shape())[dimension]),
        perFeature(count ? operand.size() / count : 0) {}
  int64_t of(int64_t index) const { return index / inner % count; }
};
} // namespace

static std::vector<double> values(const HostTensor &tensor) {
  std::vector<double> result(tensor.size());
  if (!result.empty())
    loadElements(tensor.kind(), tensor.element(0), result.size(),
                 result.data());
  return result;
}

static LogicalResult giveValues(Invocation &call, ArrayRef<int64_t> shape,
                                ArrayRef<double> computed) {
  FailureOr<HostTensor> result = call.allocate(shape, call.results.size());
  if (failed(result))
    return failure();
  if (!computed.empty())
    storeElements(result->kind(), computed.data(), computed.size(),
                  result->mutableBytes().data());
  return call.give(std::move(*result));
}

/// False, with an error, where a per-feature operand has another length or the
/// feature index is out of range.
static bool fits(Invocation &call, int64_t feature, unsigned first,
                 unsigned last) {
  const HostTensor &operand = call.tensor(0);
  bool good = feature >= 0 && feature < operand.rank();
  for (unsigned i = first; good && i <= last; ++i)
    good = call.tensor(i).size() == operand.dim(feature);
  if (!good)
    call.error() << "has operands that do not fit its feature dimension";
  return good;
}

static LogicalResult inference(Invocation &call,
                               stablehlo::BatchNormInferenceOp op) {
  if (!fits(call, op.getFeatureIndex(), 1, 4))
    return failure();
  const HostTensor &operand = call.tensor(0);
  Features features(operand, op.getFeatureIndex());
  std::vector<double> x = values(operand), scale = values(call.tensor(1)),
                      offset = values(call.tensor(2)),
                      mean = values(call.tensor(3)),
                      variance = values(call.tensor(4));
  double epsilon = op.getEpsilon().convertToFloat();
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] +
           offset[f];
  }
  return giveValues(call, operand.shape(), x);
}

static LogicalResult training(Invocation &call,
                              stablehlo::BatchNormTrainingOp op) {
  if (!fits(call, op.getFeatureIndex(), 1, 2))
    return failure();
  const HostTensor &operand = call.tensor(0);
  Features features(operand, op.getFeatureIndex());
  std::vector<double> x = values(operand), scale = values(call.tensor(1)),
                      offset = values(call.tensor(2));
  std::vector<double> mean(features.count), variance(features.count);
  for (size_t i = 0; i < x.size(); ++i)
    mean[features.of(i)] += x[i];
  for (double &m : mean)
    m /= features.perFeature;
  for (size_t i = 0; i < x.size(); ++i) {
    double centred = x[i] - mean[features.of(i)];
    variance[features.of(i)] += centred * centred;
  }
  for (double &v : variance)
    v /= features.perFeature;
  double epsilon = op.getEpsilon().convertToFloat();
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    x[i] = (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) * scale[f] +
           offset[f];
  }
  if (failed(giveValues(call, operand.shape(), x)) ||
      failed(giveValues(call, {features.count}, mean)))
    return failure();
  return giveValues(call, {features.count}, variance);
}

/// With c = x - mean, s = 1 / sqrt(variance + epsilon), n elements per feature:
/// d scale = sum(g c s), d offset = sum(g),
/// d x = scale s (g - (sum(g) + c s² sum(g c)) / n).
static LogicalResult gradient(Invocation &call, stablehlo::BatchNormGradOp op) {
  if (!fits(call, op.getFeatureIndex(), 1, 3) ||
      call.tensor(4).size() != call.tensor(0).size())
    return failure();
  const HostTensor &operand = call.tensor(0);
  Features features(operand, op.getFeatureIndex());
  std::vector<double> x = values(operand), scale = values(call.tensor(1)),
                      mean = values(call.tensor(2)),
                      variance = values(call.tensor(3)),
                      g = values(call.tensor(4));
  double epsilon = op.getEpsilon().convertToFloat();
  std::vector<double> sum(features.count), weighted(features.count);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    sum[f] += g[i];
    weighted[f] += g[i] * (x[i] - mean[f]);
  }
  std::vector<double> gradScale(features.count), gradX(x.size());
  for (int64_t f = 0; f < features.count; ++f)
    gradScale[f] = weighted[f] / std::sqrt(variance[f] + epsilon);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = features.of(i);
    double s2 = 1 / (variance[f] + epsilon);
    gradX[i] = scale[f] * std::sqrt(s2) *
               (g[i] - (sum[f] + (x[i] - mean[f]) * s2 * weighted[f]) /
                           double(features.perFeature));
  }
  if (failed(giveValues(call, operand.shape(), gradX)) ||
      failed(giveValues(call, {features.count}, gradScale)))
    return failure();
  return giveValues(call, {features.count}, sum);
}

void reference::addNormalization(Registry &registry) {
  using namespace stablehlo;
  registry.add<BatchNormInferenceOp, inference>();
  registry.add<BatchNormTrainingOp, training>();
  registry.add<BatchNormGradOp, gradient>();
}
