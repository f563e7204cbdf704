// Counts what a kernel function computes and moves.

#include "passes/Plan/KernelWork.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace heddle;

int64_t heddle::kernelOperations(func::FuncOp function) {
  int64_t operations = 0;
  if (function.isExternal())
    return 0;
  auto elements = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  };
  for (Operation &op : function.front()) {
    if (auto contract = dyn_cast<kernel::ContractOp>(op)) {
      int64_t product = 2;
      for (int64_t extent : contract.getExtents())
        product *= extent;
      operations += product;
    } else if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op)) {
      int64_t taps = 2;
      for (int64_t extent : convolution.getKernelExtents())
        taps *= extent;
      int64_t channels =
          cast<RankedTensorType>(convolution.getInput().getType())
              .getShape()
              .back() /
          static_cast<int64_t>(convolution.getGroups());
      operations += taps * channels * elements(convolution.getResult());
    } else if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
      ArrayRef<int64_t> extents = attention.getExtents();
      int64_t product = 2;
      for (int64_t extent : extents.drop_back(2))
        product *= extent;
      operations += product * (extents[extents.size() - 2] + extents.back());
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      int64_t points = 1;
      for (int64_t extent : generic.getStaticLoopRanges())
        points *= extent;
      int64_t payload = 0;
      for (Operation &inner : generic.getBody()->without_terminator())
        payload += !inner.hasTrait<OpTrait::ConstantLike>();
      operations += points * payload;
    }
  }
  return operations;
}

/// The narrower of two factors decides how long it takes to widen them.
template <typename Root> static void setTypes(Work &work, Root root) {
  Type lhs = root.getLhsElement(), rhs = root.getRhsElement();
  work.accumulator = root.getSumElement();
  if (lhs.isIntOrFloat() && rhs.isIntOrFloat())
    work.factor =
        lhs.getIntOrFloatBitWidth() < rhs.getIntOrFloatBitWidth() ? lhs : rhs;
}

/// What the root of the function multiplies and sums in; without a root the
/// elements of its first result, f32 without results.
static void setTypes(Work &work, func::FuncOp function) {
  if (!function.isExternal())
    for (Operation &op : function.front()) {
      if (auto contract = dyn_cast<kernel::ContractOp>(op))
        return setTypes(work, contract);
      if (auto convolution = dyn_cast<kernel::ConvolutionOp>(op))
        return setTypes(work, convolution);
      if (auto attention = dyn_cast<kernel::AttentionOp>(op)) {
        work.accumulator = attention.getSumElement();
        return;
      }
    }
  if (function.getNumResults())
    work.accumulator = getElementTypeOrSelf(function.getResultTypes().front());
  else
    work.accumulator = Float32Type::get(function.getContext());
}

Work heddle::kernelWork(func::FuncOp function) {
  Work work;
  work.operations = double(kernelOperations(function));
  setTypes(work, function);
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        work.bytes += double(tensor.getNumElements()) *
                      (tensor.getElementType().isIntOrFloat()
                           ? (tensor.getElementTypeBitWidth() + 7) / 8
                           : 16);
  return work;
}
