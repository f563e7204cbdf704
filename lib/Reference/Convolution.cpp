// convolution: windows of the input gathered as rows of a matrix, times the
// kernel as a matrix.

#include "Convolution.h"

#include "Matmul.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Where in the input an output position and a window position meet, per
/// dimension: -1 for padding and for the holes of lhs dilation.
static std::vector<int64_t> inputPositions(const Window &window, int64_t d,
                                           int64_t outputs, int64_t kernel,
                                           int64_t input) {
  std::vector<int64_t> positions(outputs * kernel, -1);
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t k = 0; k < kernel; ++k) {
      int64_t tap = window.reversal[d] ? kernel - 1 - k : k;
      int64_t at =
          o * window.strides[d] + tap * window.rhsDilation[d] - window.low[d];
      if (at >= 0 && at % window.lhsDilation[d] == 0 &&
          at / window.lhsDilation[d] < input)
        positions[o * kernel + k] = at / window.lhsDilation[d];
    }
  return positions;
}

template <typename T>
static LogicalResult convolve(Invocation &call, const Window &window,
                              HostTensor &result) {
  const HostTensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  auto numbers = window.numbers;
  int64_t rank = window.spatial();
  Extents lhsStrides = rowMajorStrides(lhs.shape()),
          rhsStrides = rowMajorStrides(rhs.shape()),
          outStrides = rowMajorStrides(result.shape());
  Extents input, kernel, output, inputSteps, kernelSteps, outputSteps;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t in = numbers.getInputSpatialDimensions()[d],
            tap = numbers.getKernelSpatialDimensions()[d],
            out = numbers.getOutputSpatialDimensions()[d];
    input.push_back(lhs.dim(in));
    inputSteps.push_back(lhsStrides[in]);
    kernel.push_back(rhs.dim(tap));
    kernelSteps.push_back(rhsStrides[tap]);
    output.push_back(result.dim(out));
    outputSteps.push_back(outStrides[out]);
  }
  int64_t batches = result.dim(numbers.getOutputBatchDimension());
  int64_t outFeatures = rhs.dim(numbers.getKernelOutputFeatureDimension());
  int64_t depth = rhs.dim(numbers.getKernelInputFeatureDimension());
  int64_t groups = std::max(window.featureGroups, window.batchGroups);
  int64_t perGroup = outFeatures / groups;
  int64_t taps = numElements(kernel), positions = numElements(output);
  if (result.size() == 0)
    return success();

  std::vector<std::vector<int64_t>> tables;
  for (int64_t d = 0; d < rank; ++d)
    tables.push_back(inputPositions(window, d, output[d], kernel[d], input[d]));

  // One image of one group as [spatial..., depth].
  int64_t pixels = numElements(input), inner = taps * depth;
  Extents imageShape(input), imageSteps(inputSteps);
  imageShape.push_back(depth);
  imageSteps.push_back(lhsStrides[numbers.getInputFeatureDimension()]);
  Extents pixelStrides = rowMajorStrides(input);
  std::vector<T> image(pixels * depth), weights(inner * perGroup);
  // Rows that fill about a MiB.
  int64_t block = std::clamp<int64_t>((1 << 17) / std::max<int64_t>(inner, 1),
                                      8, std::max<int64_t>(positions, 8));
  std::vector<T> rows, sums;
  char *out = result.mutableBytes().data();

  for (int64_t group = 0; group < groups; ++group) {
    Extents weightShape(kernel), weightSteps(kernelSteps);
    weightShape.append({depth, perGroup});
    int64_t feature = rhsStrides[numbers.getKernelOutputFeatureDimension()];
    weightSteps.append(
        {rhsStrides[numbers.getKernelInputFeatureDimension()], feature});
    loadBox(rhs, weightShape, group * perGroup * feature, weightSteps,
            weights.data());
    for (int64_t batch = 0; batch < batches; ++batch) {
      // Feature groups divide the input's features, batch groups its images.
      int64_t imageIndex =
          window.batchGroups > 1 ? group * batches + batch : batch;
      int64_t firstFeature = window.featureGroups > 1 ? group * depth : 0;
      loadBox(lhs, imageShape,
              imageIndex * lhsStrides[numbers.getInputBatchDimension()] +
                  firstFeature * imageSteps.back(),
              imageSteps, image.data());
      for (int64_t begin = 0; begin < positions; begin += block) {
        int64_t count = std::min(block, positions - begin);
        rows.assign(count * inner, T(0));
        IndexWalk position(output, outputSteps);
        position.seek(begin);
        for (int64_t row = 0; row < count; ++row, position.next()) {
          IndexWalk tap(kernel, Extents(rank, 0));
          for (int64_t t = 0; t < taps; ++t, tap.next()) {
            int64_t pixel = 0;
            for (int64_t d = 0; d < rank && pixel >= 0; ++d) {
              int64_t at = tables[d][position.indices()[d] * kernel[d] +
                                     tap.indices()[d]];
              pixel = at < 0 ? -1 : pixel + at * pixelStrides[d];
            }
            if (pixel >= 0)
              std::copy_n(image.data() + pixel * depth, depth,
                          rows.data() + row * inner + t * depth);
          }
        }
        sums.assign(count * perGroup, T(0));
        multiplyMatrices(call.evaluator.options.threads, count, perGroup, inner,
                         rows.data(), weights.data(), sums.data());
        position.seek(begin);
        int64_t step = outStrides[numbers.getOutputFeatureDimension()];
        int64_t base = batch * outStrides[numbers.getOutputBatchDimension()] +
                       group * perGroup * step;
        for (int64_t row = 0; row < count; ++row, position.next())
          for (int64_t f = 0; f < perGroup; ++f)
            storeSums(result.kind(), &sums[row * perGroup + f], 1,
                      out + (base + position.offset() + f * step) *
                                result.elementBytes());
      }
    }
  }
  return success();
}

LogicalResult reference::applyConvolution(Invocation &call,
                                          const Window &window) {
  const HostTensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  auto numbers = window.numbers;
  int64_t features = lhs.dim(numbers.getInputFeatureDimension());
  int64_t images = lhs.dim(numbers.getInputBatchDimension());
  int64_t outFeatures = rhs.dim(numbers.getKernelOutputFeatureDimension());
  int64_t depth = rhs.dim(numbers.getKernelInputFeatureDimension());
  if (features != depth * window.featureGroups ||
      images % window.batchGroups != 0 ||
      outFeatures % window.featureGroups != 0 ||
      outFeatures % window.batchGroups != 0)
    return call.error() << "has features or groups that do not agree";
  Extents shape(lhs.rank(), 0);
  shape[numbers.getOutputBatchDimension()] = images / window.batchGroups;
  shape[numbers.getOutputFeatureDimension()] = outFeatures;
  for (int64_t d = 0; d < window.spatial(); ++d) {
    int64_t in = lhs.dim(numbers.getInputSpatialDimensions()[d]);
    int64_t taps = rhs.dim(numbers.getKernelSpatialDimensions()[d]);
    int64_t dilated = in == 0 ? 0 : (in - 1) * window.lhsDilation[d] + 1;
    int64_t padded = dilated + window.low[d] + window.high[d];
    int64_t reach = taps == 0 ? 0 : (taps - 1) * window.rhsDilation[d] + 1;
    shape[numbers.getOutputSpatialDimensions()[d]] =
        padded <= 0 || reach > padded
            ? 0
            : (padded - reach) / window.strides[d] + 1;
  }
  FailureOr<HostTensor> result = call.allocate(shape);
  if (failed(result))
    return failure();
  ElementKind sums = window.sums.value_or(result->kind());
  if (failed(withSumType(sums, [&](auto sum) {
        return convolve<decltype(sum)>(call, window, *result);
      })))
    return failure();
  return call.give(std::move(*result));
}

template <typename OpTy> static Window makeWindow(OpTy op) {
  Window window;
  window.numbers = op.getDimensionNumbers();
  llvm::append_range(window.strides, op.getWindowStridesOrDefault());
  llvm::append_range(window.lhsDilation, op.getLhsDilationOrDefault());
  llvm::append_range(window.rhsDilation, op.getRhsDilationOrDefault());
  llvm::append_range(window.reversal, op.getWindowReversalOrDefault());
  window.featureGroups = op.getFeatureGroupCount();
  window.batchGroups = op.getBatchGroupCount();
  return window;
}

static LogicalResult convolution(Invocation &call,
                                 stablehlo::ConvolutionOp op) {
  Window window = makeWindow(op);
  for (auto [low, high] : op.getPaddingOrDefault()) {
    window.low.push_back(low);
    window.high.push_back(high);
  }
  return applyConvolution(call, window);
}

static LogicalResult dynamicConv(Invocation &call,
                                 stablehlo::DynamicConvOp op) {
  Window window = makeWindow(op);
  const HostTensor &padding = call.tensor(2);
  for (int64_t d = 0; d < window.spatial(); ++d) {
    window.low.push_back(padding.intAt(2 * d));
    window.high.push_back(padding.intAt(2 * d + 1));
  }
  return applyConvolution(call, window);
}

void reference::addConvolutions(Registry &registry) {
  using namespace stablehlo;
  registry.add<ConvolutionOp, convolution>();
  registry.add<DynamicConvOp, dynamicConv>();
}
