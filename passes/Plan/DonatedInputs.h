// Inputs whose memory the caller gives to an output.

#ifndef HEDDLE_PASSES_PLAN_DONATEDINPUTS_H
#define HEDDLE_PASSES_PLAN_DONATEDINPUTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle {

/// Reads what exporters say of `main`'s arguments and notes it at the results:
/// `tf.aliasing_output = N` names the result, `jax.buffer_donor` leaves the
/// choice, which falls on the first result of the same type that is free.
mlir::LogicalResult matchDonatedInputs(mlir::func::FuncOp main);

/// The input whose memory `result` takes.
std::optional<unsigned> replacedInput(mlir::func::FuncOp main, unsigned result);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_DONATEDINPUTS_H
