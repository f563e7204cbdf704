// The plan dialect.

#ifndef HEDDLE_DIALECTS_PLAN_PLAN_H
#define HEDDLE_DIALECTS_PLAN_PLAN_H

#include "dialects/Size/Expression.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/Plan/PlanDialect.h.inc"
#include "dialects/Plan/PlanEnums.h.inc"
#include "dialects/Plan/PlanInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Plan/PlanTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

namespace heddle::plan {

/// Every buffer of the arena starts at a multiple of this.
inline constexpr int64_t kBufferAlignment = 64;

} // namespace heddle::plan

#endif // HEDDLE_DIALECTS_PLAN_PLAN_H
