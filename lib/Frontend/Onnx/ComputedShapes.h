// Operators whose shapes, ranges or positions the program computes: their
// results are bounded tensors of a true size.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_COMPUTEDSHAPES_H
#define HEDDLE_LIB_FRONTEND_ONNX_COMPUTEDSHAPES_H

#include "NodeImporter.h"

namespace heddle::onnx {

/// Whether an operand holds sizes that follow from data: neither known nor from
/// sizes that calls choose.
bool isComputed(NodeImporter &node, size_t i);

/// How large a result is depends on the data, within a branch or loop.
llvm::LogicalResult refuseWithin(NodeImporter &node);

/// The sizes that the operand `i` holds; those that the program computes,
/// called NODE.`what`, NODE.`what`1 .., are in ranges that options give.
/// Nothing after a fault, or where sizes may not be computed.
std::optional<Shape> computedSizes(NodeImporter &node, size_t i,
                                   llvm::StringRef what);

/// With an element behind the last one, if there may be none: a gather always
/// finds one.
mlir::Value neverEmpty(Emitter &emit, mlir::Value value, int64_t axis);

/// Operators whose operands hold such sizes.
llvm::LogicalResult expandToComputed(NodeImporter &node);
llvm::LogicalResult reshapeToComputed(NodeImporter &node, bool allowZero);
llvm::LogicalResult rangeOfComputed(NodeImporter &node);
/// A slice along `axes` by `steps`, where these are known.
llvm::LogicalResult sliceAtComputed(NodeImporter &node, Extents axes,
                                    Extents steps);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_COMPUTEDSHAPES_H
