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

/// The same real numbers stored as bytes of `type`: numbers and zero points are
/// 128 more or less, which is the other highest bit. Of a weight that is a
/// weight.
Stored withSign(mlir::OpBuilder &b, mlir::Location loc, WeightPrograms &weights,
                Stored stored, mlir::IntegerType type);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDSIGNS_H
