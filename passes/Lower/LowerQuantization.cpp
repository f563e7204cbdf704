// Quantization stays what it is: how targets compute it they say themselves.
// Only the types lose their signs, which the ops keep.

#include "dialects/Prec/Prec.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/LoweredTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

template <typename Op>
static bool lowerConversion(GraphLowering &lowering, Op op) {
  Operation *copy = lowering.builder.clone(*op);
  copy->setOperands(lowering.lowered(op->getOperands()));
  copy->getResult(0).setType(lowering.resultType(op));
  IntegerType storage = op.getStorage();
  if (loweredElementType(storage) != storage)
    cast<Op>(copy).setStorageType(storage);
  lowering.replace(op, copy->getResults());
  return true;
}

bool heddle::lowerQuantization(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<prec::QuantizeOp, prec::DequantizeOp>(
          [&](auto typed) { return lowerConversion(lowering, typed); })
      .Default([](Operation *) { return false; });
}
