// The window attributes that convolutions and pools share.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_WINDOWS_H
#define HEDDLE_LIB_FRONTEND_ONNX_WINDOWS_H

#include "NodeImporter.h"

namespace heddle::onnx {

/// Reads kernel_shape, strides, dilations, pads and auto_pad of a node whose
/// input 0 is [N, C, spatial...]. `kernel` is the window where kernel_shape is
/// left out. With ceil_mode the padding at the end grows until the last,
/// incomplete window fits; windows that would begin in that padding do not
/// count. Nothing after a fault.
std::optional<Window> readWindow(NodeImporter &node, Extents kernel,
                                 bool ceilMode = false);

/// The same for ConvTranspose, whose pads are cut from the result: those that
/// convolve an input dilated by the strides.
std::optional<Window> readTransposedWindow(NodeImporter &node, Extents kernel);

/// The convolution of a Conv node, its bias added; nothing after an error.
/// Convolution.cpp.
std::optional<mlir::Value> convolve(NodeImporter &node);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_WINDOWS_H
