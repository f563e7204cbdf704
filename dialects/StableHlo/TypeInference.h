// Result types from operand types, and when two types agree.

#ifndef HEDDLE_DIALECTS_STABLEHLO_TYPEINFERENCE_H
#define HEDDLE_DIALECTS_STABLEHLO_TYPEINFERENCE_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/TypeRange.h"

#include <optional>

namespace heddle::stablehlo {

/// The bounds of `type`'s dimensions (`kDynamic` where there is none); empty if
/// the type has no bounds at all.
llvm::ArrayRef<int64_t> boundsOf(mlir::RankedTensorType type);

/// A tensor type with bounds where `bounds` has any: without for all
/// `kDynamic` or empty.
mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape,
                                  mlir::Type element,
                                  llvm::ArrayRef<int64_t> bounds = {});

/// Whether shapes agree in every dimension that both know, and element types
/// are equal.
bool areCompatibleTypes(mlir::Type first, mlir::Type second);
bool areCompatibleTypes(mlir::TypeRange first, mlir::TypeRange second);

/// The same of tensors whose scales and zero points may differ (the
/// specification's baseline_type), and of those that only express one type.
bool haveSameBaseline(mlir::TypeRange first, mlir::TypeRange second);
bool expressTheSame(mlir::TypeRange first, mlir::TypeRange second);

/// The shape and bounds that know all that any of `types` knows, with the
/// element type `element`; an error where they contradict each other.
llvm::FailureOr<mlir::RankedTensorType>
inferMostSpecific(std::optional<mlir::Location> location, mlir::TypeRange types,
                  mlir::Type element);

/// As `inferMostSpecific`, with the first type's element type.
llvm::LogicalResult inferSameType(std::optional<mlir::Location> location,
                                  mlir::TypeRange types,
                                  llvm::SmallVectorImpl<mlir::Type> &inferred);

/// `types` with the element types that `region` returns, where it has a
/// terminator.
llvm::LogicalResult inferReduced(std::optional<mlir::Location> location,
                                 mlir::TypeRange types, mlir::Region &region,
                                 llvm::SmallVectorImpl<mlir::Type> &inferred);

/// Result type of gather and dynamic_gather; unknown slice sizes are
/// `kDynamic`.
llvm::LogicalResult inferGather(std::optional<mlir::Location> location,
                                mlir::RankedTensorType operand,
                                mlir::RankedTensorType startIndices,
                                GatherDimensionNumbersAttr numbers,
                                llvm::ArrayRef<int64_t> sliceSizes,
                                llvm::SmallVectorImpl<mlir::Type> &inferred);

/// Shape of a dot_general's result (C12): batching dimensions, then what is
/// left of lhs, then of rhs.
llvm::SmallVector<int64_t> productShape(DotGeneralOp op);

/// A sliding window over all dimensions of a tensor.
struct Window {
  llvm::SmallVector<int64_t> sizes, strides, baseDilations, windowDilations;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;
};

/// Number of places that the window has in each dimension.
llvm::FailureOr<llvm::SmallVector<int64_t>>
slideWindow(std::optional<mlir::Location> location,
            llvm::ArrayRef<int64_t> shape, const Window &window);

/// Padding as (low, high) pairs, zeros where `padding` is null. The checked
/// form reports a padding that is not `rank` pairs.
llvm::SmallVector<std::pair<int64_t, int64_t>>
paddingPairs(mlir::DenseIntElementsAttr padding, int64_t rank);
llvm::FailureOr<llvm::SmallVector<std::pair<int64_t, int64_t>>>
checkedPadding(std::optional<mlir::Location> location,
               mlir::DenseIntElementsAttr padding, int64_t rank);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_TYPEINFERENCE_H
