// The verifier of collectives.

#include "dialects/Kernel/CollectiveForm.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::kernel;

LogicalResult CollectiveOp::verify() {
  if (failed(verifyCollective(*this, getKind(), getReduction(), getGroups(),
                              getGroupSize())))
    return failure();
  auto source = cast<RankedTensorType>(getSource().getType()),
       result = cast<RankedTensorType>(getType());
  int64_t elements = source.getNumElements(), size = getGroupSize();
  if (getKind() == "all_gather")
    elements *= size;
  bool isCut = getKind() == "reduce_scatter" || getKind() == "all_to_all";
  if (isCut && elements % size)
    return emitOpError() << "cuts " << elements << " elements into " << size
                         << " pieces";
  if (getKind() == "reduce_scatter")
    elements /= size;
  if (result.getNumElements() != elements ||
      result.getElementType() != source.getElementType())
    return emitOpError() << "of kind '" << getKind() << "' in groups of "
                         << size << " gives " << result << " for " << source;
  return success();
}
