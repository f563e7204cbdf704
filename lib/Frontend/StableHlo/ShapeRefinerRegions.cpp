// What holds other operations in a program of open sizes: calls, composites,
// loops and branches.

#include "lib/Frontend/StableHlo/ShapeRefiner.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// What stands for `op` when sizes are known: a call's function, and the
/// decomposition of a composite whose sizes only that says.
func::FuncOp ShapeRefiner::calleeOf(Operation *op) {
  FlatSymbolRefAttr name;
  if (auto call = dyn_cast<func::CallOp>(op))
    name = call.getCalleeAttr();
  auto composite = dyn_cast<CompositeOp>(op);
  if (composite && composite.getCompositeRegions().empty() &&
      (llvm::any_of(op->getOperandTypes(), size::hasExtents) ||
       !llvm::all_of(op->getResultTypes(), [](Type type) {
         auto tensor = dyn_cast<RankedTensorType>(type);
         return tensor && tensor.hasStaticShape();
       })))
    name = composite.getDecompositionAttr();
  auto callee =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name)
           : func::FuncOp();
  return callee && callee.getBody().hasOneBlock() ? callee : func::FuncOp();
}

LogicalResult ShapeRefiner::inlineCall(Operation *call, func::FuncOp callee) {
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call->getOperands());
  OpBuilder builder(call);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  return success();
}

/// What is carried around a loop keeps its sizes.
LogicalResult ShapeRefiner::refineLoop(WhileOp loop) {
  for (auto [i, operand] : llvm::enumerate(loop->getOperands())) {
    RankedTensorType from = tensorOf(operand),
                     declared = tensorOf(loop->getResult(i));
    if (!from || !declared)
      continue;
    RankedTensorType type = sizes.typeOf(loop, declared, size::extentsOf(from));
    if (!type)
      return failure();
    for (Value carried :
         {Value(loop.getCond().getArgument(i)),
          Value(loop.getBody().getArgument(i)), Value(loop->getResult(i))})
      carried.setType(type);
  }
  if (failed(refine(loop.getCond().front())) ||
      failed(refine(loop.getBody().front())))
    return failure();
  Operation *end = loop.getBody().front().getTerminator();
  for (auto [result, next] :
       llvm::zip_equal(loop->getResults(), end->getOperands())) {
    RankedTensorType from = tensorOf(result), to = tensorOf(next);
    for (int64_t i = 0; from && to && i < from.getRank(); ++i)
      if (!sizes.meet(size::extentOf(from, i), size::extentOf(to, i), loop))
        return failure();
  }
  return success();
}

/// All branches give results of one size.
LogicalResult ShapeRefiner::refineBranches(Operation *op) {
  SmallVector<TrueShape> shapes(op->getNumResults());
  for (Region &region : op->getRegions()) {
    if (failed(refine(region.front())))
      return failure();
    for (auto [shape, value] : llvm::zip_equal(
             shapes, region.front().getTerminator()->getOperands())) {
      RankedTensorType type = tensorOf(value);
      if (!type)
        continue;
      TrueShape own = size::extentsOf(type);
      if (shape.empty())
        shape = own;
      for (auto [extent, other] : llvm::zip_equal(shape, own))
        if (!(extent = sizes.meet(extent, other, op)))
          return failure();
    }
  }
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    RankedTensorType declared = tensorOf(result);
    if (!declared)
      continue;
    RankedTensorType type = sizes.typeOf(op, declared, shape);
    if (!type)
      return failure();
    result.setType(type);
  }
  return success();
}

/// Where calls choose sizes: a region may use a value from outside that has
/// such a size, so that all are looked into.
LogicalResult ShapeRefiner::refineSizedRegions(Operation *op) {
  if (auto loop = dyn_cast<WhileOp>(op))
    return refineLoop(loop);
  if (isa<IfOp, CaseOp>(op) && op->getNumRegions() > 0)
    return refineBranches(op);
  return refineRegions(op);
}

LogicalResult ShapeRefiner::refineRegions(Operation *op) {
  if (auto loop = dyn_cast<WhileOp>(op))
    for (Region &region : loop->getRegions())
      for (auto [argument, operand] :
           llvm::zip(region.getArguments(), loop.getOperands()))
        setType(argument, operand.getType());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(refine(block)))
        return failure();
  return success();
}

} // namespace heddle
