// A weight as the matrix that a product or a sum reads.

#ifndef HEDDLE_PASSES_DISPATCH_WEIGHTMATRIX_H
#define HEDDLE_PASSES_DISPATCH_WEIGHTMATRIX_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// `value`, of a weight's program, transposed and then reshaped to `shape`.
mlir::Value toMatrix(mlir::OpBuilder &b, mlir::Value value,
                     llvm::ArrayRef<int64_t> permutation,
                     llvm::ArrayRef<int64_t> shape);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_WEIGHTMATRIX_H
