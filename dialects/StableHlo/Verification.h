// Checks that several operations' verifiers share. Numbers C1, C2, ... in the
// verifiers are those of the constraints in the specification.

#ifndef HEDDLE_DIALECTS_STABLEHLO_VERIFICATION_H
#define HEDDLE_DIALECTS_STABLEHLO_VERIFICATION_H

#include "dialects/StableHlo/TypeInference.h"

namespace heddle::stablehlo {

/// That `dims` are dimensions of a tensor of `rank`, each at most once.
llvm::LogicalResult verifyDims(std::optional<mlir::Location> location,
                               llvm::StringRef name,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);

/// That `dims` ascend.
llvm::LogicalResult verifySorted(std::optional<mlir::Location> location,
                                 llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims);

/// Whether two sizes may be equal when running.
bool sizesAgree(int64_t first, int64_t second);

/// That `region` combines scalars: it takes an accumulator and an element for
/// each of `types` (all accumulators first) and returns the accumulators. Their
/// element types may be wider than those of `types`.
llvm::LogicalResult verifyReducer(mlir::Operation *op, mlir::Region &region,
                                  mlir::TypeRange types);

/// That there is one scalar of the input's element type for each input.
llvm::LogicalResult verifyInitValues(mlir::Operation *op,
                                     mlir::TypeRange inputs,
                                     mlir::TypeRange initValues);

/// That `written` agrees with what was computed from the operands.
llvm::LogicalResult verifyResultType(mlir::Operation *op, mlir::Type computed,
                                     mlir::Type written);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_VERIFICATION_H
