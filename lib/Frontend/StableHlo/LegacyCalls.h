// Custom calls as releases of JAX before 0.5 wrote them.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_LEGACYCALLS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_LEGACYCALLS_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle {

/// The Fourier transform that `custom_call @dynamic_ducc_fft` means; null after
/// an error.
mlir::Operation *createFourierTransform(stablehlo::CustomCallOp op);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_LEGACYCALLS_H
