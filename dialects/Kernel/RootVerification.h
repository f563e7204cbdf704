// What the verifiers of contractions, convolutions and attention share.

#ifndef HEDDLE_DIALECTS_KERNEL_ROOTVERIFICATION_H
#define HEDDLE_DIALECTS_KERNEL_ROOTVERIFICATION_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle::kernel {

/// Number `i` of a root's indexing maps.
inline mlir::AffineMap mapAt(mlir::ArrayAttr maps, unsigned i) {
  return llvm::cast<mlir::AffineMapAttr>(maps[i]).getValue();
}

/// An operand's element type in the model: `given`, or the tensor's own.
mlir::Type elementIn(std::optional<mlir::Type> given, mlir::Value operand);

/// What the products of a root's operands are summed in: `accumulator`, or the
/// result's own element type.
mlir::Type sumElement(std::optional<mlir::Type> accumulator,
                      mlir::Value result);

/// Each of an op's maps must read inside its tensor, over the iteration
/// extents.
mlir::LogicalResult verifyAccess(mlir::Operation *op, llvm::StringRef name,
                                 mlir::AffineMap map,
                                 llvm::ArrayRef<int64_t> extents,
                                 mlir::Type type);

/// The map of an output names each of `numDims` dimensions once, and they fill
/// the tensor.
mlir::LogicalResult verifyOutMap(mlir::Operation *op, mlir::AffineMap map,
                                 unsigned numDims,
                                 llvm::ArrayRef<int64_t> extents,
                                 mlir::Type type);

/// What tensors hold must have room for the model's type, and be another one.
mlir::LogicalResult verifyElement(mlir::Operation *op, llvm::StringRef name,
                                  std::optional<mlir::Type> given,
                                  mlir::Value operand);

/// An accumulator is a float type, and another one than the result's.
mlir::LogicalResult verifyAccumulator(mlir::Operation *op,
                                      std::optional<mlir::Type> accumulator);

/// What a product of `op` asks of its exactness: a precision for each operand,
/// or an algorithm.
mlir::LogicalResult verifyExactness(mlir::Operation *op,
                                    std::optional<mlir::ArrayAttr> precision,
                                    std::optional<mlir::Attribute> algorithm);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_ROOTVERIFICATION_H
