// Reading images between their elements, at places that the model computes.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_SAMPLING_H
#define HEDDLE_LIB_FRONTEND_ONNX_SAMPLING_H

#include "Emitter.h"

namespace heddle::onnx {

/// What counts as an image's element outside of it.
enum class Border { Zeros, Edge, ReflectCentres, ReflectEdges };

/// A place along one dimension as taps: whole positions with weights.
struct Taps {
  llvm::SmallVector<mlir::Value> places;
  /// Null for a weight of one.
  llvm::SmallVector<mlir::Value> weights;
};

/// The image's dimensions, [.., channels, spatial...], and which of several
/// images is read: that of the same batch, or what `which` says, [batch].
struct Image {
  mlir::Value value;
  mlir::Value which = {};
};

/// A place with the same taps inside the image that is not far from it, so that
/// whole positions fit integers.
mlir::Value nearImage(Emitter &emit, mlir::Value place, int64_t extent,
                      Border border);

/// Taps of places, [batch, count], that `nearImage` gave.
Taps nearestTap(Emitter &emit, mlir::Value place);
Taps linearTaps(Emitter &emit, mlir::Value place);
/// Keys' kernel with a = -3/4, as Resize has it by default.
Taps cubicTaps(Emitter &emit, mlir::Value place);

/// The weighted values at all combinations of taps, one set for each spatial
/// dimension: their sum, or their maximum; [batch, channels, count].
mlir::Value readTaps(Emitter &emit, const Image &image,
                     llvm::ArrayRef<Taps> taps, Border border,
                     Combine how = Combine::Add);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_SAMPLING_H
