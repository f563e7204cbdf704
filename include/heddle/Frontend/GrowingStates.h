// States that grow: caches to which each call appends.

#ifndef HEDDLE_FRONTEND_GROWINGSTATES_H
#define HEDDLE_FRONTEND_GROWINGSTATES_H

#include "dialects/Size/Size.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// That an entry reads a state by an argument, leaves something in it by a
/// result, or both.
struct StateUse {
  mlir::func::FuncOp entry;
  std::optional<unsigned> argument, result;
  /// What counts of the memory in both, where the state has a length.
  size::ExtentsAttr read = nullptr, left = nullptr;
  /// The shape of the argument, where calls choose it.
  size::ExtentsAttr part = nullptr;
};

/// Whether calls choose a size of the state.
bool isOpen(const StateUse &use);

/// Why a state cannot have a length.
struct StateError {
  ErrorCode code;
  std::string message;
};

/// Makes of a state whose first `past` places count, along a dimension of the
/// size `past`, a tensor of its capacity that entries change in place: what
/// they read is cut from it, what they append is written behind that. An entry
/// that leaves something without having read the state writes all of it from
/// the beginning, and gets an argument for it. Of a dimension whose size calls
/// choose without appending to it, as of a batch, entries read and write the
/// first so many. Fills in what `uses` say of what counts.
std::optional<StateError> growInPlace(std::vector<StateUse> &uses);

} // namespace heddle

#endif // HEDDLE_FRONTEND_GROWINGSTATES_H
