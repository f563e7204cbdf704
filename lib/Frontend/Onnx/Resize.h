// What Resize does with one dimension: its sizes, and where the elements of the
// result come from.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_RESIZE_H
#define HEDDLE_LIB_FRONTEND_ONNX_RESIZE_H

#include "Emitter.h"

#include <optional>
#include <vector>

namespace heddle::onnx::resizing {

/// What the node's attributes say, the same for all dimensions.
struct Method {
  llvm::StringRef mode, coordinates, nearest;
  double cubicA = -0.75;
  bool antialias = false, excludeOutside = false;
};

/// Sizes of one dimension that calls choose; the scale is their quotient unless
/// the node gives one.
struct OpenSizes {
  Extent from, to;
  std::optional<double> scale;
};

/// One dimension's sizes, and the part of it that tf_crop_and_resize takes.
struct Axis {
  int64_t dimension, from, to;
  double scale, roiStart = 0, roiEnd = 1;
  /// How many elements each becomes, where calls choose `from` and that is the
  /// same number at all sizes; else 0.
  int64_t times = 0;
  /// Where calls choose a size, and `times` does not say enough.
  std::optional<OpenSizes> open = std::nullopt;
};

/// For each position of the result the places that it is a weighted sum of.
struct Taps {
  int64_t count = 0;
  /// [position][tap], clamped to the dimension.
  std::vector<int64_t> places;
  std::vector<double> weights;
  /// Positions that lie outside of the input and get the extrapolation value.
  std::vector<bool> isOutside;
};

/// Of known sizes.
Taps computeTaps(const Method &method, const Axis &axis);

/// Each element along a dimension that calls choose becomes `axis.times`.
mlir::Value resizeChosen(Emitter &emit, const Method &method, const Axis &axis,
                         mlir::Value x);

/// What becomes of a dimension; where positions lie outside of the input is
/// null if none can.
struct OpenResult {
  mlir::Value value, isOutside;
};

/// From any size to any other, which calls choose; a fault if they are computed
/// with antialiasing.
OpenResult resizeOpen(Emitter &emit, const Method &method, const Axis &axis,
                      mlir::Value x);

/// Whether `resizeChosen` can write out the places of all elements.
bool canWriteOut(const Method &method, const Axis &axis, const Extent &from);

} // namespace heddle::onnx::resizing

#endif // HEDDLE_LIB_FRONTEND_ONNX_RESIZE_H
