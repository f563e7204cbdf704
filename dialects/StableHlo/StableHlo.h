// The StableHLO dialect: attributes, types and operations.

#ifndef HEDDLE_DIALECTS_STABLEHLO_STABLEHLO_H
#define HEDDLE_DIALECTS_STABLEHLO_STABLEHLO_H

#include "dialects/StableHlo/QuantizedTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHlo/StableHloDialect.h.inc"
#include "dialects/StableHlo/StableHloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHlo/StableHloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHlo/StableHloAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloControlOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloShapeOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloIndexingOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloContractionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloReductionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDynamicOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloDistributionOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloRandomOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHlo/StableHloLegacyOps.h.inc"

namespace heddle::stablehlo {

/// Whether `config`, the `precision_config` of a product or null, asks that
/// factors keep more than any machine's least number of bits.
bool asksPrecision(mlir::ArrayAttr config);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_STABLEHLO_H
