// The sdy dialect: meshes of devices, and how tensors lie over them.

#ifndef HEDDLE_DIALECTS_SDY_SDY_H
#define HEDDLE_DIALECTS_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "dialects/Sdy/SdyDialect.h.inc"
#include "dialects/Sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Sdy/SdyAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/Sdy/SdyCollectiveOps.h.inc"

namespace heddle::sdy {

/// The names under which operations and arguments carry what is said of them.
inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kEdgesAttr = "sdy.propagation_edges";
inline constexpr llvm::StringLiteral kArgumentEdgesAttr =
    "sdy.block_arg_propagation_edges";
inline constexpr llvm::StringLiteral kResultEdgesAttr =
    "sdy.result_propagation_edges";

/// The mesh that a sharding names, looked up from an operation of the module.
MeshAttr lookupMesh(mlir::Attribute meshOrRef, mlir::Operation *from);

} // namespace heddle::sdy

#endif // HEDDLE_DIALECTS_SDY_SDY_H
