// Buffers and numbers of a launch as values of the LLVM dialect.

#include "Numbers.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace heddle::codegen {

Value makeBuffer(OpBuilder &builder, Location loc, Value pointer,
                 MemRefType type, const LLVMTypeConverter &converter) {
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, pointer);
  descriptor.setAlignedPtr(builder, loc, pointer);
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setConstantStride(builder, loc, 0, 1);
  return UnrealizedConversionCastOp::create(builder, loc, type,
                                            Value(descriptor))
      .getResult(0);
}

Value fromInteger(OpBuilder &builder, Location loc, Value integer, Type type) {
  if (type.isIndex())
    return UnrealizedConversionCastOp::create(builder, loc, type, integer)
        .getResult(0);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < 64)
    integer = LLVM::TruncOp::create(builder, loc, builder.getIntegerType(width),
                                    integer);
  return type == integer.getType()
             ? integer
             : LLVM::BitcastOp::create(builder, loc, type, integer);
}

} // namespace heddle::codegen
