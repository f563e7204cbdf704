// Rewrites kernel.convolution of one tap as kernel.contract.

#include "passes/Kernel/Cpu/PointwiseProducts.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/Packing.h"
#include "dialects/Size/SizedTypes.h"

using namespace mlir;

namespace heddle {

static bool areAll(ArrayRef<int64_t> values, int64_t wanted) {
  return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
}

/// Whether each point of the result is made of the same point of the input.
static bool isPointwise(kernel::ConvolutionOp op) {
  return op.getGroups() == 1 && areAll(op.getKernelExtents(), 1) &&
         areAll(op.getStrides(), 1) && areAll(op.getPadding(), 0) &&
         areAll(op.getLhsDilation(), 1);
}

/// The filter [1.., inputs, outputs] or [1, panel, 1.., input, column] without
/// its ones; null if something else reads it, too.
static Value asMatrix(kernel::ConvolutionOp op) {
  auto filter = dyn_cast<BlockArgument>(op.getWeights());
  if (!filter || !filter.hasOneUse())
    return {};
  auto type = cast<RankedTensorType>(filter.getType());
  SmallVector<int64_t> shape(type.getShape().take_back(2));
  if (op.getWeightsPacking())
    shape.insert(shape.begin(), type.getDimSize(1));
  filter.setType(RankedTensorType::get(shape, type.getElementType()));
  return filter;
}

static void makeProduct(kernel::ConvolutionOp op, int64_t panelColumns) {
  Value matrix = asMatrix(op);
  if (!matrix)
    return;
  OpBuilder b(op);
  auto result = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> extents(result.getShape());
  extents.push_back(
      cast<RankedTensorType>(op.getInput().getType()).getShape().back());
  unsigned columns = result.getRank() - 1, depth = result.getRank();
  SmallVector<AffineExpr> points;
  for (unsigned i = 0; i < columns; ++i)
    points.push_back(b.getAffineDimExpr(i));
  auto mapTo = [&](ArrayRef<AffineExpr> first, ArrayRef<unsigned> last) {
    SmallVector<AffineExpr> results(first);
    for (unsigned dim : last)
      results.push_back(b.getAffineDimExpr(dim));
    return AffineMap::get(extents.size(), 0, results, b.getContext());
  };
  bool isPacked = op.getWeightsPacking().has_value();
  AffineMap right =
      isPacked ? mapTo({}, {columns, depth}) : mapTo({}, {depth, columns});
  SmallVector<Attribute> kinds(depth, b.getStringAttr("parallel"));
  kinds.push_back(b.getStringAttr("reduction"));
  StringAttr packing = isPacked
                           ? b.getStringAttr(kernel::matrixPanels(panelColumns))
                           : StringAttr();
  auto product = kernel::ContractOp::create(
      b, op.getLoc(), result, op.getInput(), matrix, /*limits=*/ValueRange(),
      extents,
      b.getAffineMapArrayAttr(
          {mapTo(points, {depth}), right, mapTo(points, {columns})}),
      b.getArrayAttr(kinds), packing, op.getLhsTypeAttr(), op.getRhsTypeAttr(),
      op.getAccumulatorAttr(), op.getPrecisionAttr(),
      /*algorithm=*/Attribute());
  op.replaceAllUsesWith(product.getResult());
  op.erase();
}

void makePointwiseProducts(func::FuncOp kernel, int64_t panelColumns) {
  std::string panels = kernel::filterPanels(panelColumns, /*groups=*/1);
  for (auto op :
       llvm::make_early_inc_range(kernel.getOps<kernel::ConvolutionOp>())) {
    bool isKnown = op.getWeightsPacking().value_or(panels) == panels;
    if (size::isSized(op) && isKnown && isPointwise(op))
      makeProduct(op, panelColumns);
  }
  Block &body = kernel.getBody().front();
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
}

} // namespace heddle
