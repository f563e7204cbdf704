// Expressions of symbolic dimensions, as jax.export writes them.

#ifndef HEDDLE_FRONTEND_DIMENSIONEXPRESSION_H
#define HEDDLE_FRONTEND_DIMENSIONEXPRESSION_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace heddle {

/// The value of `2*b - floordiv(a, 4) + 1` and the like. An error names the
/// symbol that has no value, or says what cannot be understood.
llvm::Expected<int64_t>
evaluateDimension(llvm::StringRef expression,
                  const llvm::StringMap<int64_t> &symbols);

} // namespace heddle

#endif // HEDDLE_FRONTEND_DIMENSIONEXPRESSION_H
