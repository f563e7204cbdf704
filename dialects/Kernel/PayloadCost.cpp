// The table of what operations of payloads become.

#include "dialects/Kernel/PayloadCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// Loop counters and constants are there already.
static bool isFree(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() ||
         isa<linalg::YieldOp, linalg::IndexOp, arith::IndexCastOp>(op);
}

/// A polynomial, with what brings its argument near zero.
static bool isTranscendental(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log2Op, math::Log10Op, math::Log1pOp, math::TanhOp,
             math::ErfOp, math::ErfcOp, math::SinOp, math::CosOp, math::TanOp,
             math::PowFOp, math::CbrtOp, math::AtanOp, math::Atan2Op,
             math::AsinOp, math::AcosOp, math::SinhOp, math::CoshOp,
             math::AsinhOp, math::AcoshOp, math::AtanhOp>(op);
}

/// No vector instruction does it: each lane has one of its own.
static bool isByLane(Operation &op) {
  return isa<tensor::ExtractOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
             arith::RemUIOp, arith::RemFOp>(op);
}

int64_t heddle::kernel::payloadInstructions(Operation &op) {
  if (isFree(op))
    return 0;
  if (isTranscendental(op))
    return 20;
  if (isByLane(op))
    return 16;
  // The dividers of processors take as long as some multiplications.
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 4;
  return 1;
}

int64_t heddle::kernel::payloadInstructions(linalg::GenericOp generic) {
  int64_t instructions = 0;
  generic.getBody()->walk(
      [&](Operation *op) { instructions += payloadInstructions(*op); });
  return instructions;
}
