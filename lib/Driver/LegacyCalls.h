// Custom calls as releases of JAX before 0.5 wrote them.

#ifndef HEDDLE_LIB_DRIVER_LEGACYCALLS_H
#define HEDDLE_LIB_DRIVER_LEGACYCALLS_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Gives every custom call the form that releases of JAX write now: LAPACK's
/// routines with options as attributes, in place of operands and scratch
/// memory, and Fourier transforms as operations. Calls of functions that the
/// user declares stay. A call that cannot be read is an error.
mlir::LogicalResult modernizeCalls(mlir::ModuleOp module);

/// The Fourier transform that `custom_call @dynamic_ducc_fft` means; null after
/// an error.
mlir::Operation *createFourierTransform(stablehlo::CustomCallOp op);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_LEGACYCALLS_H
