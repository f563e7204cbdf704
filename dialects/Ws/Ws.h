// The ws dialect: kernels of blocks of threads, as roles that hand tiles to
// each other through channels.

#ifndef HEDDLE_DIALECTS_WS_WS_H
#define HEDDLE_DIALECTS_WS_WS_H

#include "dialects/Ws/SharedLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Ws/WsDialect.h.inc"
#include "dialects/Ws/WsEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Ws/WsTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Ws/WsOps.h.inc"

#endif // HEDDLE_DIALECTS_WS_WS_H
