// Programs of weights as text.

#ifndef HEDDLE_DIALECTS_KERNEL_WEIGHTTEXT_H
#define HEDDLE_DIALECTS_KERNEL_WEIGHTTEXT_H

#include "dialects/Kernel/Kernel.h"

#include <optional>
#include <string>

namespace heddle::kernel {

/// The same for weights that compute the same and store it in the same way,
/// whatever they and their scales are called. `spell` may give the attributes
/// of an operation a text of its own.
std::string weightText(
    WeightOp weight,
    llvm::function_ref<std::optional<std::string>(mlir::Operation *)> spell =
        [](mlir::Operation *) { return std::nullopt; });

/// The same for values of weights' programs that are computed alike, from
/// constants of the same names.
std::string valueText(mlir::Value value);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_WEIGHTTEXT_H
