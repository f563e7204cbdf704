// Finds roots with at most one elementwise operation behind them, and stores
// their tiles.

#include "passes/Kernel/Gpu/TileEpilogue.h"

#include "dialects/Ws/Ws.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"

using namespace mlir;

namespace heddle {

std::pair<Operation *, linalg::GenericOp>
findRootAndEpilogue(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return {};
  Operation *end = kernel.getBody().front().getTerminator();
  if (end->getNumOperands() != 1)
    return {};
  Operation *last = end->getOperand(0).getDefiningOp();
  auto isRoot = [](Operation *op) {
    return isa_and_nonnull<kernel::ContractOp, kernel::AttentionOp>(op);
  };
  if (isRoot(last))
    return {last, nullptr};
  auto epilogue = dyn_cast_or_null<linalg::GenericOp>(last);
  if (!epilogue || epilogue->getNumResults() != 1 ||
      epilogue.getNumReductionLoops())
    return {};
  AffineMap map =
      epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(0));
  for (OpOperand *input : epilogue.getDpsInputOperands())
    // A sum is in the registers of one thread, which computes one element.
    if (Operation *op = input->get().getDefiningOp();
        isRoot(op) && op->hasOneUse() && map.isPermutation() &&
        epilogue.getMatchingIndexingMap(input) == map)
      return {op, epilogue};
  return {};
}

void emitTileEpilogue(ElementEmitter &emitter, Value result,
                      linalg::GenericOp epilogue, Value sums,
                      function_ref<Value(Value, Value)> isInside,
                      function_ref<SmallVector<Value>(Value, Value)> placeOf) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.index.loc;
  auto body = ws::EpilogueOp::create(builder, loc, sums);
  OpBuilder::InsertionGuard guard(builder);
  Type type = builder.getIndexType();
  Block *block = builder.createBlock(
      &body.getBody(), {}, {builder.getF32Type(), type, type}, {loc, loc, loc});
  Value row = block->getArgument(1), column = block->getArgument(2);
  emitWhere(emitter.index, isInside(row, column), [&] {
    SmallVector<Value> at = placeOf(row, column);
    Value element = block->getArgument(0);
    emitter.given[result] = element;
    if (epilogue) {
      element = emitter.elements(epilogue, 0, at)[0];
      result = epilogue->getResult(0);
    }
    emitter.frame.store(element, emitter.frame.buffer(result),
                        emitter.position(at, shapeOf(result)));
  });
  builder.setInsertionPointToEnd(block);
  ws::YieldOp::create(builder, loc, ValueRange());
}

} // namespace heddle
