// Counts what a kernel function computes and moves.

#include "passes/Plan/KernelWork.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/PayloadCost.h"
#include "dialects/Size/SizedTypes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static int64_t operationsOf(kernel::ContractOp contract) {
  return 2 * llvm::product_of(contract.getExtents());
}

static int64_t operationsOf(kernel::ConvolutionOp convolution) {
  int64_t channels = cast<RankedTensorType>(convolution.getInput().getType())
                         .getShape()
                         .back() /
                     static_cast<int64_t>(convolution.getGroups());
  return 2 * llvm::product_of(convolution.getKernelExtents()) * channels *
         cast<RankedTensorType>(convolution.getResult().getType())
             .getNumElements();
}

/// The products of queries and keys, and of scores and values.
static int64_t operationsOf(kernel::AttentionOp attention) {
  ArrayRef<int64_t> extents = attention.getExtents();
  return 2 * llvm::product_of(extents.drop_back(2)) *
         (extents[extents.size() - 2] + extents.back());
}

static int64_t operationsOf(linalg::GenericOp generic) {
  return llvm::product_of(generic.getStaticLoopRanges()) *
         kernel::payloadInstructions(generic);
}

static int64_t operations(Operation &op) {
  return llvm::TypeSwitch<Operation *, int64_t>(&op)
      .Case<kernel::ContractOp, kernel::ConvolutionOp, kernel::AttentionOp,
            linalg::GenericOp>(
          [](auto counted) { return operationsOf(counted); })
      .Default([](Operation *) { return 0; });
}

/// How many points a loop nest has that runs as far as the true extents of what
/// it walks, each loop at most to its `bounds`.
static size::Expression truePoints(Operation *op, ArrayRef<int64_t> bounds,
                                   ArrayAttr maps) {
  SmallVector<size::Expression> extents =
      llvm::map_to_vector(bounds, [&](int64_t bound) {
        return size::Expression::constant(op->getContext(), bound);
      });
  SmallVector<Value> walked(op->getOperands());
  llvm::append_range(walked, op->getResults());
  for (auto [map, value] :
       llvm::zip(maps.getAsValueRange<AffineMapAttr>(), walked)) {
    if (!size::hasExtents(value.getType()))
      continue;
    SmallVector<size::Expression> known =
        size::extentsOf(cast<RankedTensorType>(value.getType()));
    for (auto [expression, extent] : llvm::zip(map.getResults(), known))
      if (auto dim = dyn_cast<AffineDimExpr>(expression))
        extents[dim.getPosition()] = extent;
  }
  auto points = size::Expression::constant(op->getContext(), 1);
  for (size::Expression extent : extents)
    points = points * extent;
  return points;
}

size::Expression heddle::trueOperations(func::FuncOp function) {
  auto number = [&](int64_t value) {
    return size::Expression::constant(function.getContext(), value);
  };
  size::Expression sum = number(0);
  if (function.isExternal())
    return sum;
  for (Operation &op : function.front()) {
    bool isSized = size::isSized(&op);
    if (auto contract = dyn_cast<kernel::ContractOp>(op); contract && isSized)
      sum = sum +
            truePoints(&op, contract.getExtents(), contract.getIndexingMaps()) *
                2;
    else if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && isSized)
      sum = sum + truePoints(&op, generic.getStaticLoopRanges(),
                             generic.getIndexingMaps()) *
                      kernel::payloadInstructions(generic);
    else
      sum = sum + operations(op);
  }
  return sum;
}

int64_t heddle::kernelOperations(func::FuncOp function) {
  int64_t sum = 0;
  if (function.isExternal())
    return 0;
  for (Operation &op : function.front())
    sum += operations(op);
  return sum;
}

template <typename Root> static void setTypes(Work &work, Root root) {
  work.accumulator = root.getSumElement();
  work.factor =
      kernel::narrowerFactor(root.getLhsElement(), root.getRhsElement());
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
