// What convolutions of stored integers want that contractions do not: a border
// that stands for zero, and sums of windows.

#include "passes/Dispatch/StoredWindows.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/StoredSums.h"
#include "passes/Lower/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// The number in a tensor of rank 0.
static Value numberIn(OpBuilder &b, Location loc, Value tensor) {
  if (auto constant = cast_or_null<TypedAttr>(constantOf(tensor)))
    return arith::ConstantOp::create(b, loc, constant);
  return tensor::ExtractOp::create(b, loc, tensor, ValueRange());
}

void heddle::padStored(OpBuilder &b, kernel::ConvolutionOp convolution,
                       Stored &stored) {
  Location loc = convolution.getLoc();
  RankedTensorType type = typeOf(stored.integers);
  SmallVector<int64_t> shape(type.getShape()), low(type.getRank(), 0),
      high = low, none = low;
  ArrayRef<int64_t> padding = convolution.getPadding();
  for (unsigned i = 0; i < convolution.getNumSpatialDims(); ++i) {
    low[i + 1] = padding[2 * i];
    high[i + 1] = padding[2 * i + 1];
    shape[i + 1] += low[i + 1] + high[i + 1];
  }
  Value zeroPoint = numberIn(b, loc, stored.zeroPoint.tensor);
  stored.integers = kernel::PadOp::create(
      b, loc, type.clone(shape), stored.integers, zeroPoint, low, high, none);
  convolution.setPadding(SmallVector<int64_t>(padding.size(), 0));
}

/// The sums over the windows of a tensor [N, extents..., 1] in i32.
static Value sumPoints(OpBuilder &b, Location loc,
                       kernel::ConvolutionOp convolution, Value points) {
  Type wide = b.getI32Type();
  SmallVector<int64_t> window = convolution.getKernelExtents();
  window.append({1, 1});
  Value ones = createPointwise(
      b, loc, RankedTensorType::get(window, wide), {}, {},
      [&](OpBuilder &inner, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(inner, at, inner.getI32IntegerAttr(1));
      });
  SmallVector<int64_t> shape(typeOf(convolution.getResult()).getShape());
  shape.back() = 1;
  return kernel::ConvolutionOp::create(
      b, loc, RankedTensorType::get(shape, wide), points, ones,
      convolution.getStrides(), convolution.getPadding(),
      convolution.getLhsDilation(), convolution.getRhsDilation(), /*groups=*/1,
      /*weights_packing=*/StringAttr(), /*lhs_type=*/TypeAttr(),
      /*rhs_type=*/TypeAttr(), /*accumulator=*/TypeAttr(),
      /*precision=*/ArrayAttr());
}

Value heddle::sumWindows(OpBuilder &b, Location loc, WeightPrograms &weights,
                         kernel::ConvolutionOp convolution,
                         const Stored &stored, IntegerType onesType) {
  RankedTensorType type = typeOf(stored.integers);
  unsigned channels = type.getRank() - 1;
  AffineMap all = b.getMultiDimIdentityMap(type.getRank());
  Value points =
      sumOver(b, loc, weights, stored, onesType, all, type.getShape(),
              {channels}, all.getMajorSubMap(channels), /*isRhs=*/false)
          .first;
  // [N, extents...] to [N, extents..., 1], and back.
  SmallVector<ReassociationIndices> joined(channels);
  for (unsigned i = 0; i < channels; ++i)
    joined[i].push_back(i);
  joined.back().push_back(channels);
  SmallVector<int64_t> expanded(type.getShape());
  expanded.back() = 1;
  points = tensor::ExpandShapeOp::create(b, loc, typeOf(points).clone(expanded),
                                         points, joined);
  Value sums = sumPoints(b, loc, convolution, points);
  return tensor::CollapseShapeOp::create(b, loc, sums, joined);
}
