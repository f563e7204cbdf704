// What the verifiers of contractions, convolutions and attention share, and
// what those that have limits say of them.

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

/// How far dimension `dim` of `root` runs; null if to its end.
template <typename Root> mlir::Value findLimit(Root root, unsigned dim) {
  for (auto [number, limit] :
       llvm::zip_equal(root.getLimited(), root.getLimits()))
    if (number == static_cast<int64_t>(dim))
      return limit;
  return {};
}

/// Gives `root` these limits in place of those that it has.
template <typename Root>
void replaceLimits(Root root,
                   llvm::ArrayRef<std::pair<unsigned, mlir::Value>> limits) {
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<mlir::Value> values;
  for (auto [dim, limit] : limits) {
    dims.push_back(dim);
    values.push_back(limit);
  }
  root.getLimitsMutable().assign(values);
  root.setLimited(dims);
}

/// There is one of `numLimits` for each of the dimensions `limited`, which are
/// below `end` and in ascending order: `wanted` says so in the message.
mlir::LogicalResult verifyLimits(mlir::Operation *op, size_t numLimits,
                                 llvm::ArrayRef<int64_t> limited, int64_t end,
                                 llvm::StringRef wanted);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_ROOTVERIFICATION_H
