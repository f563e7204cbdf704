// Evaluates a box of a tensor program: only what is asked for is computed.

#ifndef HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H
#define HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H

#include "dialects/Prec/Prec.h"
#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace heddle {

/// A range of points along each dimension.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;

  int64_t elements() const;
  static Box whole(llvm::ArrayRef<int64_t> shape);
};

/// Bytes of an element as weights store it.
int64_t elementBytes(mlir::Type type);

class BoxEvaluator {
public:
  /// Writes the points of `box` of `value`, row-major and dense, to `out`.
  mlir::LogicalResult evaluate(mlir::Value value, const Box &box, char *out);

private:
  mlir::LogicalResult copyConstant(stablehlo::ConstantOp op, const Box &box,
                                   char *out);
  mlir::LogicalResult transpose(stablehlo::TransposeOp op, const Box &box,
                                char *out);
  mlir::LogicalResult slice(stablehlo::SliceOp op, const Box &box, char *out);
  mlir::LogicalResult reverse(stablehlo::ReverseOp op, const Box &box,
                              char *out);
  mlir::LogicalResult broadcast(stablehlo::BroadcastInDimOp op, const Box &box,
                                char *out);
  mlir::LogicalResult concatenate(stablehlo::ConcatenateOp op, const Box &box,
                                  char *out);
  mlir::LogicalResult pad(stablehlo::PadOp op, const Box &box, char *out);
  mlir::LogicalResult iota(stablehlo::IotaOp op, const Box &box, char *out);
  mlir::LogicalResult reshape(stablehlo::ReshapeOp op, const Box &box,
                              char *out);
  mlir::LogicalResult dequantize(prec::DequantizeOp op, const Box &box,
                                 char *out);
  mlir::LogicalResult quantize(prec::QuantizeOp op, const Box &box, char *out);
  mlir::LogicalResult elementwise(mlir::Operation *op, const Box &box,
                                  char *out);
  /// `count` elements of `value` from position `start` in row-major order.
  mlir::LogicalResult range(mlir::Value value, int64_t start, int64_t count,
                            char *out);

  /// Bytes of constants that the IR does not hold as they are stored.
  llvm::DenseMap<mlir::Operation *, std::vector<char>> unpacked;
};

/// Copies a box between two dense arrays: `sizes` points, with `strides` in
/// elements of each side.
void copyStrided(llvm::ArrayRef<int64_t> sizes, const char *from,
                 llvm::ArrayRef<int64_t> fromStrides, char *to,
                 llvm::ArrayRef<int64_t> toStrides, int64_t bytes);

/// Applies an elementwise op to `count` elements; false if the packer does not
/// know the op or its types. A null input stands for one element, at
/// `scalars`.
bool applyElementwise(mlir::Operation *op, llvm::ArrayRef<const char *> inputs,
                      llvm::ArrayRef<bool> isScalar, int64_t count, char *out);

/// Writes `value` as an element of `type`.
void storeNumber(mlir::Type type, double value, char *out);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_PACKER_BOXEVALUATOR_H
