// What quantized types must fulfil, alone and where an operation moves the axis
// of their scales. Numbers C1, C2, ... are the specification's.

#ifndef HEDDLE_DIALECTS_STABLEHLO_QUANTIZEDTYPES_H
#define HEDDLE_DIALECTS_STABLEHLO_QUANTIZEDTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace heddle::stablehlo {

/// That the quantized types of an operation's operands and results fit their
/// tensors: zero points in the range of what is stored, and one scale for each
/// position of the axis along which there are several.
llvm::LogicalResult verifyQuantizedTypes(mlir::Operation *op);

template <typename ConcreteType>
class ChecksQuantizedTypes
    : public mlir::OpTrait::TraitBase<ConcreteType, ChecksQuantizedTypes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyQuantizedTypes(op);
  }
};

/// The type that a quantized element type expresses, or `element` itself.
mlir::Type expressedType(mlir::Type element);

/// What lies in memory for an element of a quantized type: its stored integer,
/// unsigned where the type says so. Otherwise `element` itself.
mlir::Type storedType(mlir::Type element);

/// Whether element types are equal up to scales and zero points: the
/// specification's baseline_element_type.
bool haveSameBaselineElement(mlir::Type first, mlir::Type second);

/// That broadcast_in_dim along `dims` keeps the element type, and takes the
/// axis of its scales along (C1, C6).
llvm::LogicalResult verifyBroadcastElements(mlir::Operation *op,
                                            mlir::RankedTensorType from,
                                            mlir::RankedTensorType to,
                                            llvm::ArrayRef<int64_t> dims);

/// That reshape keeps the element type, and the axis of its scales with all
/// that lies around it (C1, C3).
llvm::LogicalResult verifyReshapedElements(mlir::Operation *op,
                                           mlir::RankedTensorType from,
                                           mlir::RankedTensorType to);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_QUANTIZEDTYPES_H
