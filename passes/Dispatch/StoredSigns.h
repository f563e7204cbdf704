// Quantized bytes with the sign that instructions multiply.

#ifndef HEDDLE_PASSES_DISPATCH_STOREDSIGNS_H
#define HEDDLE_PASSES_DISPATCH_STOREDSIGNS_H

#include "heddle/Target/DispatchFacts.h"
#include "passes/Dispatch/StoredOperands.h"

namespace heddle {

/// The signs, of both sides as they are first, that the target multiplies such
/// bytes with: null types if it multiplies none.
std::pair<mlir::IntegerType, mlir::IntegerType>
multipliedTypes(KernelFamily family, mlir::IntegerType lhs,
                mlir::IntegerType rhs, const DispatchFacts &facts);

/// `value`, of a weight's program, with the highest bit of each integer
/// changed; `type` is the sign that they have then.
mlir::Value withHighestBitChanged(mlir::OpBuilder &inside, mlir::Location loc,
                                  mlir::Value value, mlir::IntegerType type);

/// The same real numbers stored as bytes of `type`: numbers and zero points are
/// 128 more or less, which is the other highest bit. Of a weight that is a
/// weight.
Stored withSign(mlir::OpBuilder &b, mlir::Location loc, WeightPrograms &weights,
                Stored stored, mlir::IntegerType type);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDSIGNS_H
