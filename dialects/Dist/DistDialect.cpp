// The dist dialect: the verifier, and which parts devices have.

#include "dialects/Dist/Dist.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialects/Dist/DistDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Dist/DistOps.cpp.inc"

namespace heddle::dist {

void DistDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Dist/DistOps.cpp.inc"
      >();
}

LogicalResult PartOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()),
       result = cast<RankedTensorType>(getType());
  ArrayRef<int64_t> cuts = getCuts();
  if (cuts.size() % 3)
    return emitOpError() << "has cuts that are no triples";
  SmallVector<int64_t> shape(result.getShape());
  for (; !cuts.empty(); cuts = cuts.drop_front(3)) {
    int64_t dim = cuts[0], count = cuts[1], divisor = cuts[2];
    if (dim < 0 || dim >= result.getRank() || count < 1 || divisor < 1 ||
        llvm::MulOverflow(shape[dim], count, shape[dim]))
      return emitOpError() << "has a cut [" << cuts.take_front(3)
                           << "], which is none of " << result;
  }
  if (source != result.clone(shape))
    return emitOpError() << "wants " << result.clone(shape) << ", not "
                         << source;
  return success();
}

SmallVector<int64_t> PartOp::beginAt(int64_t place) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getType()).getShape();
  SmallVector<int64_t> begin(shape.size(), 0);
  for (ArrayRef<int64_t> cuts = getCuts(); !cuts.empty();
       cuts = cuts.drop_front(3))
    begin[cuts[0]] = begin[cuts[0]] * cuts[1] + place / cuts[2] % cuts[1];
  for (auto [first, size] : llvm::zip_equal(begin, shape))
    first *= size;
  return begin;
}

bool hasParts(Block &program) { return !program.getOps<PartOp>().empty(); }

SmallVector<int64_t> partsAt(Block &program, int64_t place) {
  SmallVector<int64_t> parts;
  for (auto part : program.getOps<PartOp>())
    llvm::append_range(parts, part.beginAt(place));
  return parts;
}

} // namespace heddle::dist
