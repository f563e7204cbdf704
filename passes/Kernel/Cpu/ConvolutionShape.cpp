// Extents, strides and taps of a convolution, read from its root.

#include "passes/Kernel/Cpu/ConvolutionShape.h"

#include "dialects/Kernel/Packing.h"
#include "passes/Kernel/Cpu/StepProducts.h"

#include <numeric>

using namespace mlir;

namespace heddle {

LogicalResult ConvolutionShape::setTerms(kernel::ConvolutionOp op,
                                         int64_t panelColumns) {
  std::optional<StepTerms> terms =
      stepTerms(op.getWeightsPacking().value_or(""),
                kernel::filterQuads(panelColumns, groups),
                kernel::filterPairs(panelColumns, groups), op.getLhsElement(),
                op.getRhsElement());
  if (!terms)
    return success();
  perStep = terms->count;
  if (terms->areFactors && !hasOpenImages() && groupInput % perStep == 0)
    return success();
  return op.emitOpError("reads ")
         << terms->name << " of channels, and is no sum of " << terms->types
         << " over images of known sizes, whose channels are a multiple of "
         << perStep;
}

FailureOr<ConvolutionShape> ConvolutionShape::analyze(kernel::ConvolutionOp op,
                                                      int64_t panelColumns) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getType());
  ConvolutionShape shape;
  shape.images = trueExtents(input).front();
  shape.groups = op.getGroups();
  shape.groupInput = input.getShape().back() / shape.groups;
  shape.groupOutput = result.getShape().back() / shape.groups;
  shape.isPacked = op.getWeightsPacking().has_value();
  SmallVector<int64_t> kernel = op.getKernelExtents();
  SmallVector<int64_t> strides = kernel::rowMajorStrides(input.getShape());
  for (unsigned i = 0; i < op.getNumSpatialDims(); ++i) {
    SpatialDim dim;
    dim.input = input.getDimSize(i + 1);
    dim.output = result.getDimSize(i + 1);
    dim.kernel = kernel[i];
    dim.stride = op.getStrides()[i];
    dim.dilation = op.getRhsDilation()[i];
    dim.inputDilation = op.getLhsDilation()[i];
    dim.padding = op.getPadding()[2 * i];
    dim.isNeverPadded = dim.padding == 0 && op.getPadding()[2 * i + 1] == 0 &&
                        dim.inputDilation == 1;
    dim.inputStride = strides[i + 1];
    shape.spatial.push_back(dim);
  }
  auto spatialOf = [](RankedTensorType type) {
    SmallVector<Extent> all = trueExtents(type);
    return SmallVector<Extent>(ArrayRef(all).drop_front().drop_back());
  };
  shape.inputs = spatialOf(input);
  shape.outputs = spatialOf(result);
  Extent step = shape.inputChannels();
  shape.inputStrides.assign(shape.inputs.size(), 1);
  for (unsigned i = shape.inputs.size(); i-- > 0;) {
    shape.inputStrides[i] = step;
    step = step * shape.inputs[i];
  }
  if (failed(shape.setTerms(op, panelColumns)))
    return failure();
  return shape;
}

int64_t ConvolutionShape::taps() const {
  int64_t taps = 1;
  for (const SpatialDim &dim : spatial)
    taps *= dim.kernel;
  return taps;
}

int64_t ConvolutionShape::inputImage() const {
  return spatial.front().input * spatial.front().inputStride;
}

int64_t ConvolutionShape::outputRows() const {
  int64_t rows = 1;
  for (const SpatialDim &dim : ArrayRef(spatial).drop_back())
    rows *= dim.output;
  return rows;
}

int64_t columnSpacing(const SpatialDim &dim) {
  return dim.inputDilation / std::gcd(dim.inputDilation, dim.stride);
}

SmallVector<ColumnPhase> columnPhases(const SpatialDim &dim) {
  int64_t zeros = dim.inputDilation, spacing = columnSpacing(dim);
  SmallVector<ColumnPhase> phases;
  for (int64_t first = 0; first < std::min(spacing, dim.output); ++first) {
    ColumnPhase phase;
    phase.first = first;
    phase.spacing = spacing;
    phase.tapSpacing = zeros / std::gcd(zeros, dim.dilation);
    while (phase.firstTap < dim.kernel &&
           dim.position(first, phase.firstTap) % zeros != 0)
      ++phase.firstTap;
    phase.dim = dim;
    phase.dim.inputDilation = 1;
    phase.dim.output = llvm::divideCeil(dim.output - first, spacing);
    phase.dim.stride = spacing * dim.stride / zeros;
    phase.dim.dilation = phase.tapSpacing * dim.dilation / zeros;
    phase.dim.kernel =
        llvm::divideCeil(dim.kernel - phase.firstTap, phase.tapSpacing);
    phase.dim.padding = -dim.position(first, phase.firstTap) / zeros;
    phases.push_back(phase);
  }
  return phases;
}

static SmallVector<TapRun> tapsOf(const SpatialDim &dim, int64_t first,
                                  int64_t width) {
  SmallVector<TapRun> runs;
  for (int64_t tap = 0; tap < dim.kernel; ++tap) {
    SmallVector<bool> rows;
    for (int64_t column = first; column < first + width; ++column)
      rows.push_back(dim.isValid(column, tap));
    if (!llvm::is_contained(rows, true))
      continue;
    if (!runs.empty() && runs.back().high == tap && runs.back().rows == rows)
      runs.back().high = tap + 1;
    else
      runs.push_back({tap, tap + 1, rows});
  }
  return runs;
}

SmallVector<ColumnRun> splitColumns(const SpatialDim &dim, int64_t maxWidth) {
  SmallVector<ColumnRun> runs;
  RowSplit split = splitRows(dim.output, maxWidth);
  auto isSame = [](ArrayRef<TapRun> left, ArrayRef<TapRun> right) {
    return llvm::equal(left, right, [](const TapRun &a, const TapRun &b) {
      return a.low == b.low && a.high == b.high && a.rows == b.rows;
    });
  };
  int64_t first = 0;
  for (int64_t tile = 0; tile < split.count(); ++tile) {
    int64_t width = tile < split.bigCount ? split.bigRows : split.smallRows();
    SmallVector<TapRun> taps = tapsOf(dim, first, width);
    if (!runs.empty() && runs.back().width == width &&
        isSame(runs.back().taps, taps))
      ++runs.back().count;
    else
      runs.push_back({first, width, 1, taps});
    first += width;
  }
  return runs;
}

} // namespace heddle
