// Custom calls that say where or how a value lives, not what it is: on one
// device, the value. And those that exist for a caller on the host.

#include "passes/Graph/CustomCalls/CustomCalls.h"

#include "dialects/StableHlo/AnnotationCalls.h"
#include "heddle/Support/Diagnostics.h"

using namespace mlir;

namespace heddle {

/// The value itself. Where an annotation changes the shape, the program is
/// written for several devices.
static LogicalResult passThrough(OpBuilder &, stablehlo::CustomCallOp op,
                                 SmallVectorImpl<Value> &results) {
  if (op->getOperandTypes() != op->getResultTypes())
    return emitError(op.getLoc(), ErrorCode::CustomCallForm)
           << "custom call '" << op.getCallTargetName() << "' turns "
           << op->getOperandTypes() << " into " << op->getResultTypes()
           << ": its operand is one device's part; programs are compiled for "
              "one device";
  llvm::append_range(results, op.getInputs());
  return success();
}

/// Memory whose contents do not matter: zeros, so that equal programs give
/// equal bytes.
static LogicalResult allocate(OpBuilder &builder, stablehlo::CustomCallOp op,
                              SmallVectorImpl<Value> &results) {
  if (failed(checkArity(op, 0, 1)))
    return failure();
  results.push_back(
      createFilled(builder, op.getLoc(), op->getResult(0).getType(), 0));
  return success();
}

/// Keeps a value from being dropped where programs are transformed; nothing is
/// computed.
static LogicalResult sink(OpBuilder &, stablehlo::CustomCallOp op,
                          SmallVectorImpl<Value> &) {
  return checkArity(op, op->getNumOperands(), 0);
}

ArrayRef<CustomCallRule> annotationCustomCalls() {
  static const SmallVector<CustomCallRule> rules = [] {
    SmallVector<CustomCallRule> rows = {
        {"AllocateBuffer", allocate},
        {"dce_sink", sink},
        {"InspectSharding", sink},
    };
    for (StringRef target : stablehlo::kAnnotationCalls)
      rows.push_back({target, passThrough});
    return rows;
  }();
  return rules;
}

static LogicalResult refuseCallback(OpBuilder &, stablehlo::CustomCallOp op,
                                    SmallVectorImpl<Value> &) {
  InFlightDiagnostic error =
      emitError(op.getLoc(), ErrorCode::CustomCallUnknown)
      << "custom call '" << op.getCallTargetName()
      << "' runs a Python function of the process that exported the program";
  error.attachNote() << "export without pure_callback, io_callback and "
                        "debug.print: an artifact runs without Python";
  return error;
}

ArrayRef<CustomCallRule> hostCustomCalls() {
  static const CustomCallRule rules[] = {
      {"xla_python_cpu_callback", refuseCallback},
      {"xla_ffi_python_cpu_callback", refuseCallback},
      {"xla_ffi_partitioned_python_cpu_callback", refuseCallback},
      {"xla_buffer_python_cpu_callback", refuseCallback},
  };
  return rules;
}

} // namespace heddle
