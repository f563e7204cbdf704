// Operations on the pieces of tensors that one device has.

#ifndef HEDDLE_DIALECTS_SHARDING_LOCALOPERATION_H
#define HEDDLE_DIALECTS_SHARDING_LOCALOPERATION_H

#include "dialects/Sharding/FactorRule.h"

#include <string>

namespace heddle::sharding {

/// Whether some dimension of a tensor has the factor.
bool hasFactor(const TensorFactors &tensor, int64_t factor);

/// Why an operation cannot be computed on pieces of a factor by the same
/// operation on each of them, with terms joined where the factor is reduced;
/// empty where it can, which a test shows for each rule.
std::string needsMoreThanPieces(mlir::Operation *op, const FactorRule &rule,
                                int64_t factor);

/// Sets what an operation says of shapes besides its types to what the types of
/// its operands and results, which are pieces already, demand.
void followLocalShapes(mlir::Operation *op);

} // namespace heddle::sharding

#endif // HEDDLE_DIALECTS_SHARDING_LOCALOPERATION_H
