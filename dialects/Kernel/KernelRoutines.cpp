// Verifiers of routines and of calls of functions of the user.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Routines.h"

using namespace mlir;
using namespace heddle::kernel;

LogicalResult RoutineOp::verify() {
  RoutineCall call{getName(), getInputs().getTypes(), getOutputs().getTypes(),
                   getParameters()};
  std::string wrong = call.check();
  if (!wrong.empty())
    return emitOpError() << "\"" << getName() << "\": " << wrong;
  for (Type type : getOperandTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (!element.isF32() && !element.isF64())
      return emitOpError() << "works on f32 and f64, not on " << element;
  }
  return success();
}

LogicalResult CallOp::verify() {
  for (Type type : getOperandTypes())
    if (!isa<MemRefType, IndexType>(type))
      return emitOpError() << "passes buffers and indices, not " << type;
  return success();
}
