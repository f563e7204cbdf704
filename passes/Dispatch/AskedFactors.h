// What a model asks its products to multiply, in the words of `KernelTypes`.

#ifndef HEDDLE_PASSES_DISPATCH_ASKEDFACTORS_H
#define HEDDLE_PASSES_DISPATCH_ASKEDFACTORS_H

#include "mlir/IR/Attributes.h"

#include <string>

namespace heddle {

/// What the algorithm, null where there is none, multiplies: "tf32", "bf16x3".
/// Empty if it does not say, or says what no kernel's row can.
std::string askedFactors(mlir::Attribute algorithm);

/// What the algorithms of an attention's two products multiply; empty where
/// that differs, since a kernel multiplies both alike.
std::string askedFactors(mlir::Attribute scores, mlir::Attribute values);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_ASKEDFACTORS_H
