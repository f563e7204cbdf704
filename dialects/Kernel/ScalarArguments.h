// Numbers that a kernel takes at each launch: arguments of its function after
// the tensors, integers of 64 bits in the artifact.

#ifndef HEDDLE_DIALECTS_KERNEL_SCALARARGUMENTS_H
#define HEDDLE_DIALECTS_KERNEL_SCALARARGUMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle::kernel {

/// Whether a kernel can take a number of `type` at each launch.
inline bool isScalarArgument(mlir::Type type) {
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
          type.getIntOrFloatBitWidth() <= 64);
}

/// How many numbers a kernel function with these arguments takes.
inline unsigned countScalars(llvm::ArrayRef<mlir::Type> arguments) {
  unsigned count = 0;
  while (count < arguments.size() &&
         isScalarArgument(arguments[arguments.size() - 1 - count]))
    ++count;
  return count;
}

/// The bits of `scalar`, zeros above them: how a launch passes it.
inline int64_t launchInteger(mlir::TypedAttr scalar) {
  auto real = mlir::dyn_cast<mlir::FloatAttr>(scalar);
  llvm::APInt bits = real ? real.getValue().bitcastToAPInt()
                          : mlir::cast<mlir::IntegerAttr>(scalar).getValue();
  return static_cast<int64_t>(bits.getZExtValue());
}

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_SCALARARGUMENTS_H
