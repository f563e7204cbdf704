// The other direction of VHLO's encoding, and the data of tensors.

#ifndef HEDDLE_DIALECTS_VHLO_BYTECODEWRITING_H
#define HEDDLE_DIALECTS_VHLO_BYTECODEWRITING_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace heddle::vhlo {

/// A tensor with these bytes, which hold booleans one to a bit or, as older
/// writers did, one to a byte; null if they do not fit the type.
mlir::DenseElementsAttr tensorFromBlob(mlir::RankedTensorType type,
                                       llvm::ArrayRef<char> blob);

/// Writes the attribute by this code. All parts of it must have one.
mlir::LogicalResult writeVersioned(unsigned code, mlir::Attribute attribute,
                                   mlir::DialectBytecodeWriter &writer);
mlir::LogicalResult writeVersioned(mlir::Type type,
                                   mlir::DialectBytecodeWriter &writer);

} // namespace heddle::vhlo

#endif // HEDDLE_DIALECTS_VHLO_BYTECODEWRITING_H
