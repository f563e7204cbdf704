// Shapes of results that operands tell, for StableHLO and CHLO.

#ifndef HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H
#define HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle::chlo {

/// The shape of an operation's one result where its operands' types and
/// constants say it and no interface does.
std::optional<llvm::SmallVector<int64_t>> shapeOfResult(mlir::Operation *op);

} // namespace heddle::chlo

#endif // HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H
