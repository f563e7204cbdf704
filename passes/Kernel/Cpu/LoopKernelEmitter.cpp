// Emits a planned kernel of generics: units of work, and the groups of each.

#include "passes/Kernel/Cpu/LoopKernelEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/TransposedBlock.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

FailureOr<SmallVector<Value>>
LoopKernelEmitter::forPoints(const Extent &extent, ArrayRef<Value> carried,
                             LoopBody body) {
  if (std::optional<int64_t> end = extent.known())
    return forLoop(0, *end, 1, carried, body);
  return emitLoop(builder, loc, constant(0), frame.valueOf(extent), 1, carried,
                  body);
}

FailureOr<SmallVector<Value>> LoopKernelEmitter::forSizedLanes(
    const LoopStep &step, Value begin, Value end, int64_t unroll,
    bool remainder, ArrayRef<Value> carried,
    function_ref<FailureOr<SmallVector<Value>>(const LoopStep &,
                                               ArrayRef<Value>)>
        body) {
  IndexBuilder index(builder, loc);
  int64_t width = plan.lanes * unroll;
  Value whole = end;
  if (remainder)
    whole = index.add(
        begin, index.mul(index.div(index.sub(end, begin), width), width));
  auto stepAt = [&](Value iv, int64_t vectors) {
    LoopStep inside = step;
    inside.ivs[step.laneLoop] = iv;
    inside.vectors = vectors;
    inside.lastCount = plan.lanes;
    return inside;
  };
  FailureOr<SmallVector<Value>> results =
      emitLoop(builder, loc, begin, whole, width, carried,
               [&](Value iv, ArrayRef<Value> values) {
                 return body(stepAt(iv, unroll), values);
               });
  if (failed(results) || !remainder)
    return results;
  return emitLoop(builder, loc, whole, end, plan.lanes, *results,
                  [&](Value iv, ArrayRef<Value> values) {
                    LoopStep inside = stepAt(iv, 1);
                    inside.lastMask =
                        countMask(builder, loc, plan.lanes, index.sub(end, iv));
                    return body(inside, values);
                  });
}

LogicalResult LoopKernelEmitter::emitGroup(const LoopGroup &group,
                                           LoopStep step, unsigned outer) {
  if (outer == group.numOuter)
    return emitInner(group, step);
  unsigned loop = plan.numShared + outer;
  const LoopNest &nest = plan.stages[group.stages[0]].nest;
  return forPoints(
      nest.extents[loop], {},
      [&](Value iv, ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
        LoopStep inside = step;
        inside.ivs[loop] = iv;
        if (failed(emitGroup(group, inside, outer + 1)))
          return failure();
        return SmallVector<Value>();
      });
}

/// All groups at one place of the shared loops.
LogicalResult LoopKernelEmitter::emitGroups(const LoopStep &step) {
  Value zero = constant(0);
  live.clear();
  for (const LoopGroup &group : plan.groups) {
    const LoopNest &nest = plan.stages[group.stages[0]].nest;
    LoopStep own = step;
    own.ivs.resize(nest.numLoops(), zero);
    if (!plan.lanesAreShared) {
      bool hasOwnLoops = nest.numLoops() > plan.numShared + group.numOuter;
      own.lanes = hasOwnLoops && !group.sequential ? plan.lanes : 0;
      own.laneLoop = hasOwnLoops ? nest.numLoops() - 1 : 0;
    }
    if (failed(emitGroup(group, own, 0)))
      return failure();
  }
  return success();
}

/// One unit: a row, or a chunk of the loop that lanes run along.
LogicalResult LoopKernelEmitter::emitUnit(SmallVector<Value> shared,
                                          Value chunk) {
  Value zero = constant(0);
  if (plan.lanesAreShared)
    shared.push_back(zero);
  hoisted.clear();
  for (auto [number, payload] : llvm::enumerate(payloads)) {
    LanePoint point;
    point.ivs = shared;
    point.ivs.resize(payload.nest().numLoops(), zero);
    point.lanes = 0;
    SmallVector<unsigned> moving;
    for (unsigned loop = plan.numShared; loop < payload.nest().numLoops();
         ++loop)
      moving.push_back(loop);
    if (plan.lanesAreShared)
      moving.push_back(plan.numShared - 1);
    hoisted.push_back(payload.loadInvariants(builder, point, moving));
  }

  LoopStep step;
  step.ivs = shared;
  if (!plan.lanesAreShared)
    return emitGroups(step);

  unsigned laneLoop = plan.numShared - 1;
  const Extent &points = plan.sharedExtents().back();
  if (points.isSized()) {
    step.laneLoop = laneLoop;
    step.lanes = plan.lanes;
    Value begin = constant(0), end = frame.valueOf(points);
    if (chunk) {
      IndexBuilder index(builder, loc);
      begin = index.mul(chunk, blocksPerChunk * blockWidth());
      end = index.min(index.add(begin, blocksPerChunk * blockWidth()), end);
    }
    return forSizedLanes(step, begin, end, plan.unroll,
                         !points.isMultipleOf(blockWidth()), {},
                         [&](const LoopStep &inside,
                             ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
                           if (failed(emitGroups(inside)))
                             return failure();
                           return SmallVector<Value>();
                         });
  }
  int64_t extent = points.bound();
  int64_t full = extent / blockWidth(), rest = extent % blockWidth();
  step.laneLoop = laneLoop;
  step.lanes = plan.lanes;
  step.vectors = plan.unroll;
  step.lastCount = plan.lanes;
  auto emitBlock = [&](Value iv) -> LogicalResult {
    LoopStep inside = step;
    inside.ivs[laneLoop] = iv;
    return emitGroups(inside);
  };

  if (!chunk) {
    auto loop = forLoop(
        0, full * blockWidth(), blockWidth(), {},
        [&](Value iv, ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
          if (failed(emitBlock(iv)))
            return failure();
          return SmallVector<Value>();
        });
    if (failed(loop))
      return failure();
  } else {
    Value width = constant(blocksPerChunk * blockWidth());
    Value begin = arith::MulIOp::create(builder, loc, chunk, width);
    Value end = arith::AddIOp::create(builder, loc, begin, width);
    end = arith::MinUIOp::create(builder, loc, end,
                                 constant(full * blockWidth()));
    auto loop =
        scf::ForOp::create(builder, loc, begin, end, constant(blockWidth()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    if (failed(emitBlock(loop.getInductionVar())))
      return failure();
  }
  if (!rest)
    return success();

  OpBuilder::InsertionGuard guard(builder);
  if (chunk) {
    int64_t last = llvm::divideCeil(extent, blocksPerChunk * blockWidth()) - 1;
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         chunk, constant(last));
    auto branch = scf::IfOp::create(builder, loc, isLast);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  step.vectors = llvm::divideCeil(rest, plan.lanes);
  step.lastCount = rest - (step.vectors - 1) * plan.lanes;
  return emitBlock(constant(full * blockWidth()));
}

/// One unit when operands are transposed: as many iterations of the transposed
/// loop as there are lanes, on a chunk of the loop that lanes run along.
LogicalResult LoopKernelEmitter::emitTransposedUnit(SmallVector<Value> shared,
                                                    Value chunk) {
  IndexBuilder index(builder, loc);
  unsigned rowLoop = plan.transposeLoop, laneLoop = plan.numShared - 1;
  int64_t lanes = plan.lanes, chunkLength = blocksPerChunk * blockWidth();
  int64_t rows = plan.sharedExtents()[rowLoop].bound();
  int64_t columns = plan.sharedExtents()[laneLoop].bound();
  Value firstRow = index.mul(shared[rowLoop], lanes);
  Value lastRow = index.min(index.add(firstRow, lanes), index.constant(rows));
  Value firstColumn = chunk ? index.mul(chunk, chunkLength) : index.constant(0);
  Value lastColumn =
      index.min(index.add(firstColumn, chunkLength), index.constant(columns));
  // The last block moves up to where it is whole: transposing twice is
  // harmless.
  blockRow = index.min(firstRow, index.constant(rows - lanes));
  blockColumn = firstColumn;

  index.loop(firstColumn, lastColumn, lanes, [&](Value column) {
    Value start = index.min(column, index.constant(columns - lanes));
    for (auto [number, operand] : plan.transposed) {
      const LoopNest &nest = plan.stages[number].nest;
      Value source = frame.buffer(nest.op->getOperand(operand));
      Type stored = cast<MemRefType>(source.getType()).getElementType();
      LaneBuilder block(builder, loc, lanes);
      SmallVector<LaneValue> ivs(shared.begin(), shared.end());
      ivs.resize(plan.numShared);
      ivs[rowLoop] = LaneValue(blockRow, 1);
      ivs[laneLoop] = LaneValue(start);
      LaneValue position = nest.accesses[operand].emit(block, frame, ivs);
      SmallVector<Value> vectors;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        LaneValue at(
            index.add(position.value, lane * *nest.stride(operand, laneLoop)),
            1);
        vectors.push_back(block.load(source, stored, at).value);
      }
      const TransposedBlock &target = transposedBlocks[{number, operand}];
      Value place = index.add(index.sub(start, blockColumn), lanes);
      for (auto [row, vector] :
           llvm::enumerate(transposeRegisters(builder, loc, vectors)))
        block.store(vector, target.buffer,
                    LaneValue(index.add(place, row * target.pitch), 1));
    }
  });
  LogicalResult status = success();
  index.loop(firstRow, lastRow, 1, [&](Value row) {
    shared[rowLoop] = row;
    if (failed(emitUnit(shared, chunk)))
      status = failure();
  });
  return status;
}

LogicalResult LoopKernelEmitter::run() {
  ArrayRef<Extent> shared = plan.sharedExtents();
  // What one unit costs decides how work is cut.
  double cost = 0;
  for (const LoopStage &stage : plan.stages) {
    int64_t points =
        productOf(ArrayRef(stage.nest.extents).drop_front(plan.numShared))
            .bound();
    double vectors =
        plan.lanesAreShared ? points : llvm::divideCeil(points, plan.lanes);
    cost += (vectors + 1) * stageCost(frame.machine, stage);
  }
  SmallVector<Extent> unitExtents(shared);
  int64_t chunks = 1;
  if (plan.lanesAreShared) {
    Extent extent = unitExtents.pop_back_val();
    int64_t blocks = llvm::divideCeil(extent.bound(), blockWidth());
    double blockCost = cost * plan.unroll;
    blocksPerChunk =
        std::max<int64_t>(1, frame.machine.rates.tileNs / blockCost);
    // Transposed blocks of all operands stay in half of the first cache.
    int64_t pointBytes = 0;
    for (auto [stage, input] : plan.transposed)
      pointBytes += llvm::divideCeil(
          getElementTypeOrSelf(plan.stages[stage].op()->getOperand(input))
              .getIntOrFloatBitWidth(),
          8);
    if (pointBytes)
      blocksPerChunk =
          std::max<int64_t>(1, frame.machine.l1Bytes / 2 / plan.lanes /
                                   blockWidth() / pointBytes);
    // Half a chunk more or less is better than a small rest.
    chunks = std::max<int64_t>(1, llvm::divideNearest(blocks, blocksPerChunk));
    blocksPerChunk = std::max<int64_t>(1, llvm::divideCeil(blocks, chunks));
    chunks = std::max<int64_t>(1, llvm::divideCeil(blocks, blocksPerChunk));
    cost = blockCost * std::min(blocks, blocksPerChunk);
    unitExtents.push_back(
        chunks > 1 ? extent.ceilDiv(blocksPerChunk * blockWidth()) : Extent(1));
    if (!plan.transposed.empty()) {
      unitExtents[plan.transposeLoop] =
          shared[plan.transposeLoop].ceilDiv(plan.lanes);
      cost *= 2 * plan.lanes;
    }
  }
  Extent units = productOf(unitExtents);
  if (llvm::is_contained(shared, Extent(0))) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  for (Value tensor : plan.rowBuffers) {
    Extent elements = plan.rowElements.lookup(tensor) *
                      (plan.lanesAreShared ? blockWidth() : 1);
    rowBuffers[tensor] = frame.allocateScratch(
        cast<RankedTensorType>(tensor.getType()).getElementType(), elements);
  }

  for (auto [number, operand] : plan.transposed) {
    int64_t pitch = blocksPerChunk * blockWidth() + plan.lanes;
    Value tensor = plan.stages[number].op()->getOperand(operand);
    Value buffer = frame.allocateScratch(
        cast<RankedTensorType>(tensor.getType()).getElementType(),
        plan.lanes * pitch);
    transposedBlocks[{number, operand}] = {buffer, pitch};
  }

  Extent tiles;
  Value unit = enterUnits(frame, units, cost, tiles);
  IndexBuilder index(builder, loc);
  SmallVector<Value> ivs = indicesAt(frame, index, unit, unitExtents);
  Value chunk;
  if (plan.lanesAreShared) {
    Value last = ivs.pop_back_val();
    if (chunks > 1)
      chunk = last;
  }
  if (failed(plan.transposed.empty()
                 ? emitUnit(std::move(ivs), chunk)
                 : emitTransposedUnit(std::move(ivs), chunk)))
    return failure();
  frame.finish(tiles);
  return success();
}

LogicalResult emitLoopKernel(KernelFrame &frame) {
  FailureOr<LoopKernelPlan> plan = planLoopKernel(frame);
  if (failed(plan))
    return failure();
  return LoopKernelEmitter(frame, *plan).run();
}

} // namespace heddle
