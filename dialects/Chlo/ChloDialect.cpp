// The CHLO dialect, and the verifiers of operations over parts of a dimension.

#include "dialects/Chlo/Chlo.h"

#include "dialects/Chlo/ChloDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Chlo/ChloOps.cpp.inc"

using namespace mlir;

namespace heddle::chlo {

void ChloDialect::initialize() {
  registerAttributes();
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

LogicalResult RaggedDotOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return emitOpError("needs one ragged dimension of lhs");
  if (numbers.getRhsGroupDimensions().size() > 1)
    return emitOpError("has more than one group dimension of rhs");
  struct {
    ArrayRef<int64_t> lhs, rhs;
    StringRef name;
  } pairs[] = {{numbers.getLhsBatchingDimensions(),
                numbers.getRhsBatchingDimensions(), "batching"},
               {numbers.getLhsContractingDimensions(),
                numbers.getRhsContractingDimensions(), "contracting"}};
  for (auto &[left, right, name] : pairs) {
    if (left.size() != right.size())
      return emitOpError("has ")
             << left.size() << " " << name << " dimensions of lhs and "
             << right.size() << " of rhs";
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      if (l < 0 || l >= lhs.getRank() || r < 0 || r >= rhs.getRank())
        return emitOpError("has ")
               << name << " dimensions " << l << " and " << r
               << ", which are none of " << lhs << " and " << rhs;
      if (failed(verifyCompatibleShape(lhs.getDimSize(l), rhs.getDimSize(r))))
        return emitOpError("has ")
               << name << " dimensions of sizes " << lhs.getDimSize(l)
               << " and " << rhs.getDimSize(r);
    }
  }
  int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  if (ragged < 0 || ragged >= lhs.getRank())
    return emitOpError("has the ragged dimension ")
           << ragged << ", which is none of " << lhs;
  for (int64_t group : numbers.getRhsGroupDimensions())
    if (group < 0 || group >= rhs.getRank())
      return emitOpError("has the group dimension ")
             << group << ", which is none of " << rhs;
  bool isRow =
      !llvm::is_contained(numbers.getLhsContractingDimensions(), ragged) &&
      !llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged);
  if (isRow != !numbers.getRhsGroupDimensions().empty())
    return emitOpError(isRow ? "needs a group dimension of rhs"
                             : "has a group dimension of rhs, but its ragged "
                               "dimension is none of rows");
  return success();
}

} // namespace heddle::chlo
