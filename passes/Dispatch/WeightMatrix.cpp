// A weight as the matrix that a product or a sum reads.

#include "passes/Dispatch/WeightMatrix.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;

Value heddle::toMatrix(OpBuilder &b, Value value, ArrayRef<int64_t> permutation,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  bool moves = !llvm::is_sorted(permutation);
  if (moves) {
    SmallVector<int64_t> moved;
    for (int64_t dim : permutation)
      moved.push_back(type.getDimSize(dim));
    type = type.clone(moved);
    value = stablehlo::TransposeOp::create(b, value.getLoc(), type, value,
                                           permutation);
  }
  if (type.getShape() != shape)
    value = stablehlo::ReshapeOp::create(b, value.getLoc(), type.clone(shape),
                                         value);
  return value;
}
