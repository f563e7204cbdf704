// Counts what a kernel function computes and moves.

#include "passes/Plan/KernelWork.h"

#include "dialects/Kernel/Factors.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/PayloadCost.h"
#include "dialects/Kernel/TrueLoops.h"
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
/// it walks, or to its `bounds` where these do not tell.
static size::Expression
truePoints(MLIRContext *context, ArrayRef<int64_t> bounds,
           std::optional<SmallVector<size::Expression>> loops) {
  auto points = size::Expression::constant(context, 1);
  for (auto [i, bound] : llvm::enumerate(bounds))
    points = points * (loops ? (*loops)[i]
                             : size::Expression::constant(context, bound));
  return points;
}

static size::Expression trueOperations(linalg::GenericOp generic) {
  return truePoints(generic.getContext(), generic.getStaticLoopRanges(),
                    kernel::trueLoops(generic)) *
         kernel::payloadInstructions(generic);
}

/// A packed right-hand side has other dimensions than its map.
static size::Expression trueOperations(kernel::ContractOp contract) {
  kernel::WalkedTensor walked[] = {
      {contract.getLhsMap(),
       cast<RankedTensorType>(contract.getLhs().getType())},
      {contract.getOutMap(),
       cast<RankedTensorType>(contract.getResult().getType())}};
  MLIRContext *context = contract.getContext();
  return truePoints(
             context, contract.getExtents(),
             kernel::trueLoops(context, contract.getExtents(), walked)) *
         2;
}

size::Expression heddle::trueOperations(func::FuncOp function) {
  auto number = [&](int64_t value) {
    return size::Expression::constant(function.getContext(), value);
  };
  size::Expression sum = number(0);
  if (function.isExternal())
    return sum;
  for (Operation &op : function.front()) {
    auto contract = dyn_cast<kernel::ContractOp>(op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (contract && size::isSized(&op))
      sum = sum + ::trueOperations(contract);
    else if (generic && size::isSized(&op))
      sum = sum + ::trueOperations(generic);
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
