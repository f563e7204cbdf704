// How weights of a few bits lie whose kernels widen them: the numbers of a
// column that one step takes share 32 bits.

#ifndef HEDDLE_DIALECTS_KERNEL_NARROWPACKING_H
#define HEDDLE_DIALECTS_KERNEL_NARROWPACKING_H

#include "mlir/Support/LLVM.h"

#include <string>

namespace heddle::kernel {

/// Numbers of 4 bits in a word.
inline constexpr int64_t kNibbles = 8;

/// The layout of numbers of 4 bits in the panels of the layout `panels`
/// (`matrixPanels`): eight rows of a column in a word, the first in its lowest
/// bits.
std::string matrixNibbles(llvm::StringRef panels);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_NARROWPACKING_H
