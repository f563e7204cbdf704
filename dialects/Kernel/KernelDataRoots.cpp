// Verifiers of the roots that move data: concatenate, pad, update, scatter,
// sort, top-k.

#include "dialects/Kernel/Concatenation.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/TensorTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

RankedTensorType kernel::concatenatedType(ValueRange parts, int64_t dimension) {
  RankedTensorType first = typeOf(parts.front());
  SmallVector<int64_t> shape(first.getShape());
  SmallVector<size::Expression> extents = size::extentsOf(first);
  for (Value part : parts.drop_front()) {
    shape[dimension] += typeOf(part).getDimSize(dimension);
    extents[dimension] =
        extents[dimension] + size::extentOf(typeOf(part), dimension);
  }
  return size::withExtents(RankedTensorType::get(shape, first.getElementType()),
                           extents);
}

/// Whether a part's dimensions but the one that parts lie behind each other in
/// are those of the result.
static bool fits(RankedTensorType part, RankedTensorType result,
                 int64_t dimension) {
  if (part.getRank() != result.getRank() ||
      part.getElementType() != result.getElementType())
    return false;
  for (int64_t i = 0; i < part.getRank(); ++i)
    if (i != dimension && !size::isSameSize(part, i, result, i))
      return false;
  return true;
}

LogicalResult ConcatenateOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  int64_t dimension = getDimension();
  if (getInputs().empty() || dimension < 0 || dimension >= result.getRank())
    return emitOpError() << "wants inputs and a dimension inside rank "
                         << result.getRank();
  for (Value input : getInputs())
    if (!fits(typeOf(input), result, dimension))
      return emitOpError() << "joins " << typeOf(input) << " to " << result;
  // Parts of chosen sizes need not be at their bounds together.
  RankedTensorType whole = concatenatedType(getInputs(), dimension);
  if (llvm::none_of(getInputs().getTypes(), size::hasExtents) &&
      whole.getDimSize(dimension) != result.getDimSize(dimension))
    return emitOpError() << "inputs fill " << whole.getDimSize(dimension)
                         << " of " << result.getDimSize(dimension)
                         << " points of dimension " << dimension;
  if (size::extentOf(whole, dimension) != size::extentOf(result, dimension))
    return emitOpError() << "makes " << whole << ", not " << result;
  return success();
}

LogicalResult PadOp::verify() {
  RankedTensorType input = typeOf(getInput());
  auto result = cast<RankedTensorType>(getType());
  size_t rank = input.getRank();
  if (getLow().size() != rank || getHigh().size() != rank ||
      getInterior().size() != rank ||
      result.getRank() != static_cast<int64_t>(rank))
    return emitOpError() << "wants attributes and a result of rank " << rank;
  if (getPadding().getType() != input.getElementType() ||
      result.getElementType() != input.getElementType())
    return emitOpError() << "pads " << input << " with "
                         << getPadding().getType() << " to " << result;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = input.getDimSize(i);
    int64_t wanted = getLow()[i] + getHigh()[i] + extent +
                     std::max<int64_t>(extent - 1, 0) * getInterior()[i];
    if (getInterior()[i] < 0 || wanted != result.getDimSize(i))
      return emitOpError() << "result has extent " << result.getDimSize(i)
                           << " in dimension " << i << ", wanted " << wanted;
  }
  return success();
}

LogicalResult DynamicUpdateSliceOp::verify() {
  RankedTensorType operand = typeOf(getTarget());
  RankedTensorType update = typeOf(getUpdate());
  if (operand != getType())
    return emitOpError() << "updates " << operand << " to " << getType();
  if (update.getRank() != operand.getRank() ||
      update.getElementType() != operand.getElementType())
    return emitOpError() << "has an update " << update << " of " << operand;
  for (auto [part, whole] :
       llvm::zip_equal(update.getShape(), operand.getShape()))
    if (part > whole)
      return emitOpError() << "has an update " << update << " larger than "
                           << operand;
  if (static_cast<int64_t>(getStarts().size()) != operand.getRank() ||
      llvm::any_of(getStarts(), [](Value start) {
        RankedTensorType type = typeOf(start);
        return type.getRank() != 0 || !type.getElementType().isInteger();
      }))
    return emitOpError() << "wants " << operand.getRank()
                         << " starts, integer tensors of rank 0";
  return success();
}

LogicalResult ScatterOp::verify() {
  size_t count = getTargets().size();
  if (count == 0 || getUpdates().size() != count ||
      getOutputs().size() != count)
    return emitOpError() << "wants as many updates and results as operands";
  RankedTensorType operand = typeOf(getTargets().front());
  RankedTensorType update = typeOf(getUpdates().front());
  SmallVector<Type> elements;
  for (auto [in, out] : llvm::zip_equal(getTargets(), getOutputs())) {
    if (in.getType() != out.getType() ||
        typeOf(in).getShape() != operand.getShape())
      return emitOpError() << "wants results of the operands' types, and "
                              "operands of one shape";
    elements.push_back(typeOf(in).getElementType());
  }
  for (Value value : getUpdates()) {
    if (typeOf(value).getShape() != update.getShape())
      return emitOpError() << "wants updates of one shape";
    elements.push_back(typeOf(value).getElementType());
  }
  int64_t indexRank = typeOf(getIndices()).getRank();
  int64_t vector = getIndexVectorDim();
  if (vector < 0 || vector > indexRank)
    return emitOpError() << "index_vector_dim = " << vector << " is not in [0, "
                         << indexRank << "]";
  int64_t window = getUpdateWindowDims().size();
  if (window + static_cast<int64_t>(getInsertedWindowDims().size() +
                                    getInputBatchingDims().size()) !=
          operand.getRank() ||
      window + indexRank - (vector < indexRank) != update.getRank())
    return emitOpError() << "window and index dimensions do not add up to the "
                            "ranks of "
                         << operand << " and " << update;
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(elements) ||
      body.getTerminator()->getOperandTypes() !=
          TypeRange(ArrayRef<Type>(elements).take_front(count)))
    return emitOpError() << "wants a region from (" << elements
                         << ") to the operands' elements";
  return success();
}

LogicalResult SortOp::verify() {
  if (getInputs().empty() || getInputs().getTypes() != getOutputs().getTypes())
    return emitOpError() << "wants inputs, and results of their types";
  int64_t rank = typeOf(getInputs().front()).getRank();
  if (static_cast<int64_t>(getDimension()) < 0 ||
      static_cast<int64_t>(getDimension()) >= rank)
    return emitOpError() << "dimension " << getDimension()
                         << " is outside rank " << rank;
  int64_t extent = typeOf(getInputs().front()).getDimSize(getDimension());
  if (std::optional<uint64_t> first = getFirst();
      first && (*first == 0 || static_cast<int64_t>(*first) > extent))
    return emitOpError() << "gives the first " << static_cast<int64_t>(*first)
                         << " of " << extent << " elements";
  SmallVector<Type> scalars;
  for (Value input : getInputs())
    scalars.append(2, typeOf(input).getElementType());
  Block &body = getBody().front();
  Operation *yield = body.getTerminator();
  if (body.getArgumentTypes() != TypeRange(scalars) ||
      yield->getNumOperands() != 1 ||
      !yield->getOperand(0).getType().isInteger(1))
    return emitOpError() << "wants a region from (" << scalars << ") to i1";
  return success();
}

LogicalResult TopKOp::verify() {
  RankedTensorType input = typeOf(getInput());
  RankedTensorType values = typeOf(getValues());
  RankedTensorType indices = typeOf(getIndices());
  if (input.getRank() == 0 || values.getRank() != input.getRank() ||
      values.getElementType() != input.getElementType() ||
      !indices.getElementType().isInteger() ||
      indices.getShape() != values.getShape() ||
      values.getShape().drop_back() != input.getShape().drop_back() ||
      values.getShape().back() > input.getShape().back())
    return emitOpError() << "takes " << input << " to " << values << " and "
                         << indices;
  return success();
}
