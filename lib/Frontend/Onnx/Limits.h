// What the ONNX reader and the importer bound alike.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_LIMITS_H
#define HEDDLE_LIB_FRONTEND_ONNX_LIMITS_H

#include <cstddef>

namespace heddle::onnx {

/// More dimensions than any operator means, and as many as an artifact's
/// manifest describes.
constexpr size_t kMaxRank = 64;

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_LIMITS_H
