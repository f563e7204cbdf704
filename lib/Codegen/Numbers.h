// What a lowered kernel finds among its arguments, as values of the LLVM
// dialect.

#ifndef HEDDLE_LIB_CODEGEN_NUMBERS_H
#define HEDDLE_LIB_CODEGEN_NUMBERS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Builders.h"

namespace heddle::codegen {

/// A `memref<?xT>` that starts at `pointer`. Its size is never asked for.
mlir::Value makeBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value pointer, mlir::MemRefType type,
                       const mlir::LLVMTypeConverter &converter);

/// The number of `type` in the low bits of a launch's integer; all of them are
/// a size.
mlir::Value fromInteger(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value integer, mlir::Type type);

} // namespace heddle::codegen

#endif // HEDDLE_LIB_CODEGEN_NUMBERS_H
