// Which integers an input may hold, judged by what the model indexes with them.

#ifndef HEDDLE_DRIVER_INPUTRANGES_H
#define HEDDLE_DRIVER_INPUTRANGES_H

#include "mlir/IR/Value.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace heddle {

/// Argument attribute: the range, once it is known.
constexpr llvm::StringLiteral kRangeAttrName = "heddle.range";

/// The range in which every element of an integer argument is a valid index
/// wherever it is used as one; none if it never is. Made-up data stays inside,
/// so that it exercises the table rather than its clamped border.
std::optional<std::pair<int64_t, int64_t>>
indexRange(mlir::BlockArgument argument);

} // namespace heddle

#endif // HEDDLE_DRIVER_INPUTRANGES_H
