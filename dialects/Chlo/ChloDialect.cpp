#include "dialects/Chlo/Chlo.h"

#include "dialects/Chlo/ChloDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Chlo/ChloOps.cpp.inc"

using namespace mlir;

namespace heddle::chlo {

void ChloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Chlo/ChloOps.cpp.inc"
      >();
}

LogicalResult TopKOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  if (operand.getRank() == 0)
    return emitOpError("needs an operand with a last dimension");
  int64_t last = operand.getShape().back();
  if (!ShapedType::isDynamic(last) && int64_t(getK()) > last)
    return emitOpError("takes ") << getK() << " of " << last << " elements";
  SmallVector<int64_t> shape(operand.getShape());
  shape.back() = getK();
  if (values.getElementType() != operand.getElementType() ||
      failed(verifyCompatibleShape(values.getShape(), shape)) ||
      failed(verifyCompatibleShape(
          cast<RankedTensorType>(getIndices().getType()).getShape(), shape)))
    return emitOpError("has results that are not ")
           << getK() << " elements of each row of " << operand;
  return success();
}

} // namespace heddle::chlo
