// Shapes of results that operands tell, for StableHLO and CHLO.

#ifndef HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H
#define HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle::chlo {

/// The types of an operation's results as its operands' types and constants say
/// them, with the sizes that these leave open; none where they say nothing, or
/// contradict what the operation is. Such a contradiction is an error at
/// `complainAt`, if that is given.
llvm::SmallVector<mlir::Type>
typesOfResults(mlir::Operation *op,
               std::optional<mlir::Location> complainAt = std::nullopt);

} // namespace heddle::chlo

#endif // HEDDLE_DIALECTS_CHLO_RESULTSHAPES_H
