// Text of operations with regions: reduce, while, composite.

#ifndef HEDDLE_DIALECTS_STABLEHLO_REGIONFORMAT_H
#define HEDDLE_DIALECTS_STABLEHLO_REGIONFORMAT_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// `(%a init: %i), (%b init: %j) applies stablehlo.add across dimensions = [1]
/// : (operand types) -> result types` for a body of one binary operation, else
/// `... across dimensions = [1] : types reducer(%x: T, %y: T) (...) { ... }`.
mlir::ParseResult parseReduce(mlir::OpAsmParser &parser,
                              mlir::OperationState &result);
void printReduce(mlir::OpAsmPrinter &printer, ReduceOp op);

/// `(%i = %init, ...) : types [attributes {...}] cond { ... } do { ... }`.
mlir::ParseResult parseWhile(mlir::OpAsmParser &parser,
                             mlir::OperationState &result);
void printWhile(mlir::OpAsmPrinter &printer, WhileOp op);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_REGIONFORMAT_H
