// Scales and zero points, and numbers in their units.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_QUANTIZATION_H
#define HEDDLE_LIB_FRONTEND_ONNX_QUANTIZATION_H

#include "NodeImporter.h"

namespace heddle::onnx {

/// What a scale and its zero point mean for a tensor.
struct Scaling {
  /// A scalar, a vector along `axis`, or a block's worth each.
  mlir::Value scale;
  /// Shaped like the scale, of the type that is stored or of a float type; null
  /// if there is none.
  mlir::Value zeroPoint;
  std::optional<int64_t> axis;
  /// Elements along `axis` that share a scale; 0 if scales are no blocks.
  int64_t block = 0;
};

/// Reads a scale for tensors of the shape. `axis` counts if it is a vector,
/// `block` if it has the tensor's rank. Nothing after a fault.
std::optional<Scaling> readScaling(NodeImporter &node, size_t scale,
                                   size_t zeroPoint, const Shape &shape,
                                   int64_t axis, int64_t block = 0);

/// clamp(round(x / scale) + zero point); without `saturates` what a float type
/// cannot hold becomes infinite or NaN.
mlir::Value quantize(Emitter &emit, mlir::Value x, Scaling scaling,
                     mlir::Type storage, bool saturates = true);

/// (x - zero point) * scale in the type `result`; of i32 if the scale is.
mlir::Value dequantize(Emitter &emit, mlir::Value x, Scaling scaling,
                       mlir::Type result);

/// The difference to the zero point in i32. A zero point that is a vector is
/// along dimension `axis`; one of the tensor's rank is broadcast.
mlir::Value centred(NodeImporter &node, size_t operand, size_t zeroPoint,
                    int64_t axis);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_QUANTIZATION_H
