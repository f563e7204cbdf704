// Finds products whose terms follow each other.

#include "dialects/Kernel/TermRuns.h"

#include "dialects/Size/SizedTypes.h"

using namespace mlir;
using namespace heddle;

bool kernel::hasTermRuns(ContractOp op, AffineMap read) {
  ContractOp::Dims dims = op.getDims();
  if (dims.k.size() != 1 || op.getLimit(dims.k[0]))
    return false;
  for (AffineExpr result : llvm::reverse(read.getResults())) {
    if (result == getAffineDimExpr(dims.k[0], op.getContext()))
      return true;
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || op.getExtents()[dim.getPosition()] != 1)
      return false;
  }
  return false;
}

bool kernel::mayPairActivations(ContractOp op) {
  if (op.getRhsPacking() || !multipliesPairFactors(op))
    return false;
  auto count = [&](ArrayRef<unsigned> dims) {
    int64_t product = 1;
    for (unsigned dim : dims)
      product *= op.getExtents()[dim];
    return product;
  };
  ContractOp::Dims dims = op.getDims();
  bool isSwapped = count(dims.n) == 1 && count(dims.m) > 1;
  return count(dims.k) >= kPair &&
         hasTermRuns(op, isSwapped ? op.getRhsMap() : op.getLhsMap());
}

bool kernel::mayPairActivations(ConvolutionOp op) {
  return !op.getWeightsPacking() && multipliesPairFactors(op) &&
         op.getGroups() == 1 &&
         llvm::all_of(op.getKernelExtents(),
                      [](int64_t extent) { return extent == 1; });
}

bool kernel::hasMatrixRows(ContractOp op, int64_t least) {
  return !size::isSized(op) && op.getLimits().empty() &&
         llvm::any_of(op.getDims().m, [&](unsigned dim) {
           return op.getExtents()[dim] >= least;
         });
}

bool kernel::hasMatrixRows(ConvolutionOp op, int64_t least) {
  auto areAll = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  auto result = cast<RankedTensorType>(op.getType());
  return !size::isSized(op) && op.getGroups() == 1 &&
         areAll(op.getKernelExtents(), 1) && areAll(op.getPadding(), 0) &&
         areAll(op.getLhsDilation(), 1) &&
         llvm::any_of(result.getShape().drop_back(),
                      [&](int64_t extent) { return extent >= least; });
}
