// Verifiers of windows, and of the sizes that roots and launches take.

#include "dialects/Kernel/Kernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

LogicalResult SizeOp::verify() {
  if (size::Expression(getFunction()).symbols().size() != getSymbols().size())
    return emitOpError() << "has " << getSymbols().size()
                         << " values of symbols for " << getFunctionAttr();
  for (Type type : getSymbols().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() != 0 || !isa<IntegerType>(tensor.getElementType()))
      return emitOpError() << "has a symbol in " << type
                           << "; an integer in a tensor of rank 0 is wanted";
  }
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  size_t count = getInputs().size();
  if (count == 0 || getInits().size() != count || getOutputs().size() != count)
    return emitOpError() << "wants as many initial values and results as "
                            "inputs ("
                         << count << "), at least one";
  auto input = cast<RankedTensorType>(getInputs().front().getType());
  auto output = cast<RankedTensorType>(getOutputs().front().getType());
  size_t rank = input.getRank();
  if (getWindow().size() != rank || getStrides().size() != rank ||
      getPadding().size() != 2 * rank || getBaseDilations().size() != rank ||
      getWindowDilations().size() != rank ||
      output.getRank() != static_cast<int64_t>(rank))
    return emitOpError() << "wants attributes and results for rank " << rank;
  SmallVector<Type> scalars;
  for (auto [in, init, out] :
       llvm::zip_equal(getInputs(), getInits(), getOutputs())) {
    auto type = cast<RankedTensorType>(in.getType());
    if (type.getShape() != input.getShape() ||
        cast<RankedTensorType>(out.getType()).getShape() != output.getShape())
      return emitOpError() << "wants inputs of one shape, and results of one";
    scalars.push_back(init.getType());
  }
  for (Value in : getInputs())
    scalars.push_back(cast<RankedTensorType>(in.getType()).getElementType());
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(scalars))
    return emitOpError() << "has a region that takes ("
                         << body.getArgumentTypes() << "), wanted (" << scalars
                         << ")";
  if (body.getTerminator()->getOperandTypes() != getInits().getTypes())
    return emitOpError() << "has a region that gives ("
                         << body.getTerminator()->getOperandTypes()
                         << "), wanted (" << getInits().getTypes() << ")";
  return success();
}
