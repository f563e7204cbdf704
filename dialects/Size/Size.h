// The size dialect: sizes that each call chooses, as expressions over symbols.

#ifndef HEDDLE_DIALECTS_SIZE_SIZE_H
#define HEDDLE_DIALECTS_SIZE_SIZE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Size/SizeDialect.h.inc"
#include "dialects/Size/SizeEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Size/SizeAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Size/SizeOps.h.inc"

#endif // HEDDLE_DIALECTS_SIZE_SIZE_H
