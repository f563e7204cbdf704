// Emits a planned kernel of generics: units, groups, vectors.

#include "passes/Kernel/Cpu/LoopKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/TransposedBlock.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

namespace {

/// Where one step of a group stands: the loops' indices at lane 0 of the first
/// vector, how many vectors lie side by side, and how many points the last one
/// holds.
struct Step {
  SmallVector<Value> ivs;
  int64_t lanes = 0;
  unsigned laneLoop = 0;
  int64_t vectors = 1;
  int64_t lastCount = 0;
};

class Emitter {
public:
  Emitter(KernelFrame &frame, LoopKernelPlan &plan)
      : frame(frame), plan(plan), builder(frame.builder),
        loc(frame.source.getLoc()) {
    for (LoopStage &stage : plan.stages)
      payloads.emplace_back(stage.nest, frame);
  }

  LogicalResult run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value plus(Value value, int64_t offset) {
    if (offset == 0)
      return value;
    return arith::AddIOp::create(builder, loc, value, constant(offset));
  }

  FailureOr<SmallVector<Value>> forLoop(int64_t begin, int64_t end,
                                        int64_t step, ArrayRef<Value> carried,
                                        LoopBody body) {
    return emitLoop(builder, loc, begin, end, step, carried, body);
  }

  LogicalResult emitUnit(SmallVector<Value> shared, Value chunk);
  LogicalResult emitTransposedUnit(SmallVector<Value> shared, Value chunk);
  LogicalResult emitGroups(const Step &step);
  LogicalResult emitGroup(const LoopGroup &group, Step step, unsigned outer);
  LogicalResult emitInner(const LoopGroup &group, const Step &step);
  FailureOr<SmallVector<Value>> walk(const LoopGroup &group, Step step,
                                     unsigned loop, SmallVector<Value> accs);
  FailureOr<SmallVector<Value>> walkLanes(const LoopGroup &group, Step step,
                                          SmallVector<Value> accs);
  FailureOr<SmallVector<Value>>
  emitStep(const LoopGroup &group, const Step &step, SmallVector<Value> accs);

  LanePoint pointOf(const Step &step, int64_t vector);
  FailureOr<SmallVector<LaneValue>>
  suppliedFor(unsigned stage, const LanePoint &point, int64_t vector);
  LaneValue rowPosition(LaneBuilder &lanes, unsigned stage, unsigned operand,
                        const LanePoint &point, int64_t vector);
  LogicalResult keepResult(unsigned stage, const LanePoint &point,
                           int64_t vector, ArrayRef<Value> results);

  int64_t blockWidth() const { return plan.lanes * plan.unroll; }

  KernelFrame &frame;
  LoopKernelPlan &plan;
  OpBuilder &builder;
  Location loc;
  std::vector<PayloadVectorizer> payloads;
  /// Per stage, operands that stay the same within a unit.
  SmallVector<SmallVector<LaneValue>> hoisted;
  /// Computed and still in registers: one value per vector of the step.
  DenseMap<Value, SmallVector<LaneValue>> live;
  DenseMap<Value, Value> rowBuffers;
  /// Blocks of lanes that one unit takes, when lanes run along a shared loop.
  int64_t blocksPerChunk = 0;

  /// A transposed operand's block: rows along the transposed loop from
  /// `blockRow` on, columns along the lanes from `blockColumn` on, after room
  /// for one vector that starts before it.
  struct TransposedBlock {
    Value buffer;
    int64_t pitch;
  };
  DenseMap<std::pair<unsigned, unsigned>, TransposedBlock> transposedBlocks;
  Value blockRow, blockColumn;
};

LanePoint Emitter::pointOf(const Step &step, int64_t vector) {
  LanePoint point;
  point.ivs = step.ivs;
  point.lanes = step.lanes;
  point.loop = step.laneLoop;
  if (!step.lanes)
    return point;
  point.ivs[step.laneLoop] =
      plus(point.ivs[step.laneLoop], vector * step.lanes);
  if (vector + 1 == step.vectors)
    point.mask = tailMask(builder, loc, step.lanes, step.lastCount);
  return point;
}

/// Where a row tensor's element lies in its buffer. With lanes along a shared
/// loop each element is a block of lanes.
LaneValue Emitter::rowPosition(LaneBuilder &lanes, unsigned stage,
                               unsigned operand, const LanePoint &point,
                               int64_t vector) {
  SmallVector<LaneValue> ivs;
  bool stepping = point.lanes && !plan.lanesAreShared;
  for (auto [loop, iv] : llvm::enumerate(point.ivs))
    ivs.emplace_back(iv, stepping && loop == point.loop ? 1 : 0);
  LaneValue position =
      lanes.affine(plan.stages[stage].nest.accesses[operand].getResult(0), ivs);
  if (!plan.lanesAreShared)
    return position;
  position = lanes.mul(position, blockWidth());
  position = lanes.add(position, lanes.constantIndex(vector * plan.lanes));
  position.step = 1;
  return position;
}

FailureOr<SmallVector<LaneValue>>
Emitter::suppliedFor(unsigned stage, const LanePoint &point, int64_t vector) {
  linalg::GenericOp generic = plan.stages[stage].op();
  SmallVector<LaneValue> supplied = hoisted[stage];
  LaneBuilder lanes(builder, generic.getLoc(), point.lanes, point.mask);
  for (unsigned input = 0; input < generic.getNumDpsInputs(); ++input) {
    Value tensor = generic->getOperand(input);
    auto found = live.find(tensor);
    if (found != live.end()) {
      const SmallVector<LaneValue> &values = found->second;
      supplied[input] = values.size() == 1 ? values[0] : values[vector];
      continue;
    }
    auto block = transposedBlocks.find({stage, input});
    if (block != transposedBlocks.end()) {
      IndexBuilder index(builder, loc);
      Value row = index.sub(point.ivs[plan.transposeLoop], blockRow);
      Value column = index.sub(point.ivs[point.loop], blockColumn);
      LaneValue position(
          index.add(index.add(index.mul(row, block->second.pitch), column),
                    plan.lanes),
          1);
      supplied[input] = lanes.load(
          block->second.buffer,
          cast<RankedTensorType>(tensor.getType()).getElementType(), position);
      continue;
    }
    if (Value buffer = rowBuffers.lookup(tensor))
      supplied[input] = lanes.load(
          buffer, cast<RankedTensorType>(tensor.getType()).getElementType(),
          rowPosition(lanes, stage, input, point, vector));
  }
  return supplied;
}

/// Puts results where later stages and the caller look for them.
LogicalResult Emitter::keepResult(unsigned stage, const LanePoint &point,
                                  int64_t vector, ArrayRef<Value> results) {
  linalg::GenericOp generic = plan.stages[stage].op();
  LaneBuilder lanes(builder, generic.getLoc(), point.lanes, point.mask);
  for (auto [number, value] : llvm::enumerate(results)) {
    Value tensor = generic->getResult(number);
    if (Value buffer = rowBuffers.lookup(tensor))
      lanes.store(value, buffer,
                  rowPosition(lanes, stage, generic.getNumDpsInputs() + number,
                              point, vector));
  }
  payloads[stage].store(builder, point, results);
  return success();
}

/// One step of all stages of `group`; `accs` are the accumulators, by stage,
/// result and vector.
FailureOr<SmallVector<Value>> Emitter::emitStep(const LoopGroup &group,
                                                const Step &step,
                                                SmallVector<Value> accs) {
  bool lanesReduce = step.lanes && !plan.lanesAreShared;
  unsigned accsPerResult =
      lanesReduce ? group.unroll : static_cast<unsigned>(step.vectors);
  unsigned nextAcc = 0;
  for (unsigned number : group.stages)
    if (!plan.stages[number].reduces)
      for (Value result : plan.stages[number].op()->getResults())
        live[result].clear();

  for (unsigned number : group.stages) {
    LoopStage &stage = plan.stages[number];
    linalg::GenericOp generic = stage.op();
    for (int64_t vector = 0; vector < step.vectors; ++vector) {
      LanePoint point = pointOf(step, vector);
      FailureOr<SmallVector<LaneValue>> supplied =
          suppliedFor(number, point, vector);
      if (failed(supplied))
        return failure();
      unsigned firstOutput = generic.getNumDpsInputs();
      if (stage.reduces)
        for (unsigned result = 0; result < generic->getNumResults(); ++result)
          (*supplied)[firstOutput + result] =
              accs[nextAcc + result * accsPerResult + vector];
      if (!stage.reduces) {
        FailureOr<SmallVector<LaneValue>> results =
            payloads[number].emitLanes(builder, point, *supplied);
        if (failed(results))
          return failure();
        LaneBuilder lanes(builder, generic.getLoc(), point.lanes, point.mask);
        SmallVector<Value> vectors;
        for (auto [result, value] : llvm::enumerate(*results)) {
          live[generic->getResult(result)].push_back(value);
          vectors.push_back(lanes.materialize(value));
        }
        if (failed(keepResult(number, point, vector, vectors)))
          return failure();
        continue;
      }
      FailureOr<SmallVector<Value>> results =
          payloads[number].emit(builder, point, *supplied);
      if (failed(results))
        return failure();
      for (auto [result, value] : llvm::enumerate(*results)) {
        Value &acc = accs[nextAcc + result * accsPerResult + vector];
        // Lanes that do not count keep what they had.
        acc =
            lanesReduce && point.mask
                ? arith::SelectOp::create(builder, loc, point.mask, value, acc)
                      .getResult()
                : value;
      }
    }
    if (stage.reduces)
      nextAcc += generic->getNumResults() * accsPerResult;
  }
  return accs;
}

/// The last loop, where the lanes run: full steps, single vectors, a masked
/// one.
FailureOr<SmallVector<Value>>
Emitter::walkLanes(const LoopGroup &group, Step step, SmallVector<Value> accs) {
  unsigned loop = step.laneLoop;
  int64_t extent = plan.stages[group.stages[0]].nest.extents[loop];
  auto run = [&](int64_t begin, int64_t end, int64_t vectors,
                 int64_t lastCount) {
    FailureOr<SmallVector<Value>> results =
        forLoop(begin, end, vectors * plan.lanes, accs,
                [&](Value iv, ArrayRef<Value> carried) {
                  Step inside = step;
                  inside.ivs[loop] = iv;
                  inside.vectors = vectors;
                  inside.lastCount = lastCount;
                  return emitStep(group, inside, SmallVector<Value>(carried));
                });
    if (succeeded(results))
      accs = *results;
    return LogicalResult(results);
  };
  int64_t width = plan.lanes * group.unroll;
  int64_t steps = extent / width * width;
  int64_t vectors = extent / plan.lanes * plan.lanes;
  if (failed(run(0, steps, group.unroll, plan.lanes)) ||
      failed(run(steps, vectors, 1, plan.lanes)) ||
      failed(run(vectors, extent, 1, extent - vectors)))
    return failure();
  return accs;
}

FailureOr<SmallVector<Value>> Emitter::walk(const LoopGroup &group, Step step,
                                            unsigned loop,
                                            SmallVector<Value> accs) {
  const LoopNest &nest = plan.stages[group.stages[0]].nest;
  bool ownLanes = step.lanes && !plan.lanesAreShared;
  if (ownLanes && loop + 1 == nest.numLoops())
    return walkLanes(group, step, accs);
  if (loop == nest.numLoops())
    return emitStep(group, step, accs);
  return forLoop(
      0, nest.extents[loop], 1, accs, [&](Value iv, ArrayRef<Value> carried) {
        Step inside = step;
        inside.ivs[loop] = iv;
        return walk(group, inside, loop + 1, SmallVector<Value>(carried));
      });
}

/// The loops inside of which a reduction accumulates, from its initial value to
/// its result.
LogicalResult Emitter::emitInner(const LoopGroup &group, const Step &step) {
  bool lanesReduce = step.lanes && !plan.lanesAreShared;
  int64_t accsPerResult = lanesReduce ? group.unroll : step.vectors;
  SmallVector<Value> accs;
  for (unsigned number : group.stages) {
    LoopStage &stage = plan.stages[number];
    if (!stage.reduces)
      continue;
    linalg::GenericOp generic = stage.op();
    for (unsigned result = 0; result < generic->getNumResults(); ++result)
      for (int64_t vector = 0; vector < accsPerResult; ++vector) {
        LaneBuilder lanes(builder, generic.getLoc(), step.lanes);
        if (lanesReduce) {
          Value identity = arith::ConstantOp::create(
              builder, loc, stage.reducers[result].identity);
          accs.push_back(lanes.materialize(identity));
          continue;
        }
        FailureOr<LaneValue> init = payloads[number].load(
            builder, pointOf(step, vector), generic.getNumDpsInputs() + result);
        if (failed(init))
          return failure();
        accs.push_back(lanes.materialize(*init));
      }
  }

  FailureOr<SmallVector<Value>> results =
      walk(group, step, plan.numShared + group.numOuter, accs);
  if (failed(results))
    return failure();

  // Values at the points of the loops just left are gone.
  unsigned inner = plan.stages[group.stages[0]].nest.numLoops() -
                   plan.numShared - group.numOuter;
  for (unsigned number : group.stages)
    if (inner && !plan.stages[number].reduces)
      for (Value result : plan.stages[number].op()->getResults())
        live.erase(result);

  ArrayRef<Value> remaining = *results;
  for (unsigned number : group.stages) {
    LoopStage &stage = plan.stages[number];
    if (!stage.reduces)
      continue;
    linalg::GenericOp generic = stage.op();
    SmallVector<SmallVector<Value>> byVector(lanesReduce ? 1 : step.vectors);
    Step done = step;
    if (lanesReduce) {
      done.lanes = 0;
      done.vectors = 1;
    }
    for (unsigned result = 0; result < generic->getNumResults(); ++result) {
      SmallVector<Value> values(remaining.take_front(accsPerResult));
      remaining = remaining.drop_front(accsPerResult);
      if (lanesReduce) {
        const Reducer &reducer = stage.reducers[result];
        while (values.size() > 1) {
          SmallVector<Value> halved;
          for (unsigned i = 0; i < values.size(); i += 2)
            halved.push_back(
                reducer.combine(builder, loc, values[i], values[i + 1]));
          values = std::move(halved);
        }
        Value joined = combineLanes(builder, loc, reducer, values[0]);
        FailureOr<LaneValue> init = payloads[number].load(
            builder, pointOf(done, 0), generic.getNumDpsInputs() + result);
        if (failed(init))
          return failure();
        values = {reducer.combine(builder, loc, init->value, joined)};
      }
      for (auto [vector, value] : llvm::enumerate(values))
        byVector[vector].push_back(value);
      if (!group.numOuter)
        live[generic->getResult(result)] =
            SmallVector<LaneValue>(values.begin(), values.end());
    }
    for (auto [vector, values] : llvm::enumerate(byVector))
      if (failed(keepResult(number, pointOf(done, vector), vector, values)))
        return failure();
  }
  return success();
}

LogicalResult Emitter::emitGroup(const LoopGroup &group, Step step,
                                 unsigned outer) {
  if (outer == group.numOuter)
    return emitInner(group, step);
  unsigned loop = plan.numShared + outer;
  const LoopNest &nest = plan.stages[group.stages[0]].nest;
  return forLoop(
      0, nest.extents[loop], 1, {},
      [&](Value iv, ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
        Step inside = step;
        inside.ivs[loop] = iv;
        if (failed(emitGroup(group, inside, outer + 1)))
          return failure();
        return SmallVector<Value>();
      });
}

/// All groups at one place of the shared loops.
LogicalResult Emitter::emitGroups(const Step &step) {
  Value zero = constant(0);
  live.clear();
  for (const LoopGroup &group : plan.groups) {
    const LoopNest &nest = plan.stages[group.stages[0]].nest;
    Step own = step;
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
LogicalResult Emitter::emitUnit(SmallVector<Value> shared, Value chunk) {
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

  Step step;
  step.ivs = shared;
  if (!plan.lanesAreShared)
    return emitGroups(step);

  unsigned laneLoop = plan.numShared - 1;
  int64_t extent = plan.sharedExtents().back();
  int64_t full = extent / blockWidth(), rest = extent % blockWidth();
  step.laneLoop = laneLoop;
  step.lanes = plan.lanes;
  step.vectors = plan.unroll;
  step.lastCount = plan.lanes;
  auto emitBlock = [&](Value iv) -> LogicalResult {
    Step inside = step;
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
LogicalResult Emitter::emitTransposedUnit(SmallVector<Value> shared,
                                          Value chunk) {
  IndexBuilder index(builder, loc);
  unsigned rowLoop = plan.transposeLoop, laneLoop = plan.numShared - 1;
  int64_t lanes = plan.lanes, chunkLength = blocksPerChunk * blockWidth();
  int64_t rows = plan.sharedExtents()[rowLoop];
  int64_t columns = plan.sharedExtents()[laneLoop];
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
      LaneValue position =
          block.affine(nest.accesses[operand].getResult(0), ivs);
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

LogicalResult Emitter::run() {
  ArrayRef<int64_t> shared = plan.sharedExtents();
  // What one unit costs decides how work is cut.
  double cost = 0;
  for (const LoopStage &stage : plan.stages) {
    int64_t points = 1;
    for (int64_t extent :
         ArrayRef(stage.nest.extents).drop_front(plan.numShared))
      points *= extent;
    double vectors =
        plan.lanesAreShared ? points : llvm::divideCeil(points, plan.lanes);
    cost += (vectors + 1) * stageCost(frame.machine, stage);
  }
  SmallVector<int64_t> unitExtents(shared.begin(), shared.end());
  int64_t chunks = 1;
  if (plan.lanesAreShared) {
    int64_t extent = unitExtents.pop_back_val();
    int64_t blocks = llvm::divideCeil(extent, blockWidth());
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
    unitExtents.push_back(chunks);
    if (!plan.transposed.empty()) {
      unitExtents[plan.transposeLoop] =
          llvm::divideCeil(shared[plan.transposeLoop], plan.lanes);
      cost *= 2 * plan.lanes;
    }
  }
  int64_t units = 1;
  for (int64_t extent : unitExtents)
    units *= extent;
  if (llvm::is_contained(shared, 0)) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  for (Value tensor : plan.rowBuffers) {
    int64_t elements = plan.rowElements.lookup(tensor) *
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

  int64_t tiles = 0;
  Value unit = enterUnits(frame, units, cost, tiles);
  SmallVector<Value> ivs =
      IndexBuilder(builder, loc).delinearize(unit, unitExtents);
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

} // namespace

LogicalResult emitLoopKernel(KernelFrame &frame) {
  FailureOr<LoopKernelPlan> plan = planLoopKernel(frame);
  if (failed(plan))
    return failure();
  return Emitter(frame, *plan).run();
}

} // namespace heddle
