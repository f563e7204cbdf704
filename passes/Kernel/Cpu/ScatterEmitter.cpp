// Scatter: the updates in order, each to where its indices say.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/RegionPayload.h"
#include "passes/Kernel/Cpu/Work.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace heddle {

LogicalResult emitScatter(KernelFrame &frame, kernel::ScatterOp op) {
  Location loc = op.getLoc();
  OpBuilder &builder = frame.builder;
  IndexBuilder index(builder, loc);
  auto targetType = cast<RankedTensorType>(op.getTargets()[0].getType());
  auto indexType = cast<RankedTensorType>(op.getIndices().getType());
  auto updateType = cast<RankedTensorType>(op.getUpdates()[0].getType());
  SmallVector<Extent> target = trueExtents(targetType);
  SmallVector<Extent> update = trueExtents(updateType);
  int64_t vectorDim = op.getIndexVectorDim();
  SmallVector<Extent> indexStrides = rowMajorSteps(trueExtents(indexType));

  for (Value output : op.getOutputs())
    if (!frame.hasBuffer(output))
      return op.emitOpError("has a result that the kernel does not return");
  Extent elements = productOf(update);
  if (elements.bound() == 0 || targetType.getNumElements() == 0) {
    frame.finish(0);
    return success();
  }
  // An update waits for the one before, if that went to the same place.
  expectWork(frame, frame.machine.rates.dependentElementNs * elements.bound());
  // One tile: two updates may go to the same place.
  frame.enterTileLoop();
  LogicalResult status = success();
  index.loop(index.constant(0), frame.valueOf(elements), 1, [&](Value number) {
    SmallVector<Value> place = indicesAt(frame, index, number, update);
    // Update dimensions outside of windows walk the indices, but for the
    // dimension of the index vectors.
    SmallVector<Value> scatterPlace;
    for (unsigned dim = 0; dim < update.size(); ++dim)
      if (!llvm::is_contained(op.getUpdateWindowDims(), dim))
        scatterPlace.push_back(place[dim]);
    Value indexPosition = index.constant(0);
    SmallVector<Value> indexPlace(indexType.getRank());
    for (int64_t dim = 0, next = 0; dim < indexType.getRank(); ++dim) {
      if (dim == vectorDim)
        continue;
      indexPlace[dim] = scatterPlace[next++];
      indexPosition = index.at(indexPosition, indexPlace[dim],
                               frame.numberOf(indexStrides[dim]));
    }

    // Per target dimension: the index vector's entry, the batch, the window.
    SmallVector<Value> at(target.size(), index.constant(0));
    LaneBuilder lanes(builder, loc, /*lanes=*/0);
    for (auto [entry, dim] :
         llvm::enumerate(op.getScatterDimsToOperandDims())) {
      Value position = vectorDim < indexType.getRank()
                           ? index.at(indexPosition, index.constant(entry),
                                      frame.numberOf(indexStrides[vectorDim]))
                           : indexPosition;
      Value value = lanes
                        .load(frame.buffer(op.getIndices()),
                              indexType.getElementType(), position)
                        .value;
      at[dim] = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           value);
    }
    for (auto [dim, batch] : llvm::zip(op.getInputBatchingDims(),
                                       op.getScatterIndicesBatchingDims()))
      at[dim] = indexPlace[batch];
    unsigned window = 0;
    for (unsigned dim = 0; dim < target.size(); ++dim) {
      if (llvm::is_contained(op.getInsertedWindowDims(), dim) ||
          llvm::is_contained(op.getInputBatchingDims(), dim))
        continue;
      at[dim] = index.add(at[dim], place[op.getUpdateWindowDims()[window++]]);
    }

    Value inside, position = index.constant(0);
    for (auto [extent, coordinate] : llvm::zip(target, at)) {
      Value fits =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                coordinate, frame.valueOf(extent));
      inside =
          inside ? arith::AndIOp::create(builder, loc, inside, fits).getResult()
                 : fits;
      position =
          index.add(index.mul(position, frame.numberOf(extent)), coordinate);
    }
    auto apply = [&] {
      SmallVector<LaneValue> arguments;
      for (auto [output, input] : llvm::zip(op.getOutputs(), op.getTargets()))
        arguments.push_back(
            lanes.load(frame.buffer(output),
                       cast<RankedTensorType>(input.getType()).getElementType(),
                       position));
      for (Value source : op.getUpdates())
        arguments.push_back(lanes.load(
            frame.buffer(source),
            cast<RankedTensorType>(source.getType()).getElementType(), number));
      FailureOr<SmallVector<LaneValue>> results =
          emitRegion(lanes, op.getBody().front(), arguments);
      if (failed(results)) {
        status = failure();
        return;
      }
      for (auto [output, value] : llvm::zip(op.getOutputs(), *results))
        lanes.store(value.value, frame.buffer(output), position);
    };
    if (inside)
      index.branch(inside, apply);
    else
      apply();
  });
  if (failed(status))
    return failure();
  frame.finish(1);
  return success();
}

} // namespace heddle
