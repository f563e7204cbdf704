// At which sizes a program of ranges is tried.

#ifndef HEDDLE_DRIVER_SIZEPOINTS_H
#define HEDDLE_DRIVER_SIZEPOINTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// Points with some sizes at their least and the others at their greatest, so
/// that for any two sizes there is one with the first at its greatest and the
/// second at its least: a difference of sizes is not empty at all points. None
/// for one size; twice the logarithm of their number for more.
llvm::SmallVector<llvm::SmallVector<int64_t>>
unequalSizes(llvm::ArrayRef<int64_t> least, llvm::ArrayRef<int64_t> greatest);

} // namespace heddle

#endif // HEDDLE_DRIVER_SIZEPOINTS_H
