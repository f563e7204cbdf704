// Sizes that must be equal, found by reading the model where they are not.

#ifndef HEDDLE_PASSES_DYNAMIC_TIEDSIZES_H
#define HEDDLE_PASSES_DYNAMIC_TIEDSIZES_H

#include "passes/Dynamic/SampleSizes.h"

namespace heddle {

/// For each symbol the first of those that the model wants equal to it, itself
/// if there is none. Those before `named` have names, by which the model ties
/// them itself. `imports` says whether the model takes some sizes.
llvm::SmallVector<unsigned>
findTies(llvm::ArrayRef<BoundedSymbol> symbols, unsigned named,
         llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> imports);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TIEDSIZES_H
