// Copies that happen as if all at once.

#ifndef HEDDLE_PASSES_PLAN_COPIESATONCE_H
#define HEDDLE_PASSES_PLAN_COPIESATONCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// Calls `copy` for each of `sources` and its place in `targets`, in an order
/// in which nothing is written that is still to be read: what a loop carries
/// may change places. Where copies go around in a circle, one value is kept in
/// what `setAside` gives for its storage.
void copyAtOnce(llvm::ArrayRef<unsigned> sources,
                llvm::ArrayRef<unsigned> targets,
                llvm::function_ref<void(unsigned source, unsigned target)> copy,
                llvm::function_ref<unsigned(unsigned storage)> setAside);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_COPIESATONCE_H
