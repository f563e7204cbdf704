// Emits the inside of one unit of a kernel of generics: the loops of a group,
// and the vectors of one step.

#include "passes/Kernel/Cpu/LoopKernelEmitter.h"

#include "passes/Kernel/Cpu/IndexBuilder.h"

using namespace mlir;

namespace heddle {

LanePoint LoopKernelEmitter::pointOf(const LoopStep &step, int64_t vector) {
  LanePoint point;
  point.ivs = step.ivs;
  point.lanes = step.lanes;
  point.loop = step.laneLoop;
  if (!step.lanes)
    return point;
  point.ivs[step.laneLoop] =
      plus(point.ivs[step.laneLoop], vector * step.lanes);
  if (vector + 1 == step.vectors)
    point.mask = step.lastMask
                     ? step.lastMask
                     : tailMask(builder, loc, step.lanes, step.lastCount);
  return point;
}

/// Where a row tensor's element lies in its buffer. With lanes along a shared
/// loop each element is a block of lanes.
LaneValue LoopKernelEmitter::rowPosition(LaneBuilder &lanes, unsigned stage,
                                         unsigned operand,
                                         const LanePoint &point,
                                         int64_t vector) {
  SmallVector<LaneValue> ivs;
  bool stepping = point.lanes && !plan.lanesAreShared;
  for (auto [loop, iv] : llvm::enumerate(point.ivs))
    ivs.emplace_back(iv, stepping && loop == point.loop ? 1 : 0);
  LaneValue position =
      plan.stages[stage].nest.accesses[operand].emit(lanes, frame, ivs);
  if (!plan.lanesAreShared)
    return position;
  position = lanes.mul(position, blockWidth());
  position = lanes.add(position, lanes.constantIndex(vector * plan.lanes));
  position.step = 1;
  return position;
}

FailureOr<SmallVector<LaneValue>>
LoopKernelEmitter::suppliedFor(unsigned stage, const LanePoint &point,
                               int64_t vector) {
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
LogicalResult LoopKernelEmitter::keepResult(unsigned stage,
                                            const LanePoint &point,
                                            int64_t vector,
                                            ArrayRef<Value> results) {
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
FailureOr<SmallVector<Value>>
LoopKernelEmitter::emitStep(const LoopGroup &group, const LoopStep &step,
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
LoopKernelEmitter::walkLanes(const LoopGroup &group, LoopStep step,
                             SmallVector<Value> accs) {
  unsigned loop = step.laneLoop;
  const Extent &points = plan.stages[group.stages[0]].nest.extents[loop];
  if (points.isSized()) {
    step.lanes = plan.lanes;
    return forSizedLanes(step, constant(0), frame.valueOf(points), group.unroll,
                         !points.isMultipleOf(plan.lanes * group.unroll), accs,
                         [&](const LoopStep &inside, ArrayRef<Value> carried) {
                           return emitStep(group, inside,
                                           SmallVector<Value>(carried));
                         });
  }
  int64_t extent = points.bound();
  auto run = [&](int64_t begin, int64_t end, int64_t vectors,
                 int64_t lastCount) {
    FailureOr<SmallVector<Value>> results =
        forLoop(begin, end, vectors * plan.lanes, accs,
                [&](Value iv, ArrayRef<Value> carried) {
                  LoopStep inside = step;
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

FailureOr<SmallVector<Value>> LoopKernelEmitter::walk(const LoopGroup &group,
                                                      LoopStep step,
                                                      unsigned loop,
                                                      SmallVector<Value> accs) {
  const LoopNest &nest = plan.stages[group.stages[0]].nest;
  bool ownLanes = step.lanes && !plan.lanesAreShared;
  if (ownLanes && loop + 1 == nest.numLoops())
    return walkLanes(group, step, accs);
  if (loop == nest.numLoops())
    return emitStep(group, step, accs);
  return forPoints(
      nest.extents[loop], accs, [&](Value iv, ArrayRef<Value> carried) {
        LoopStep inside = step;
        inside.ivs[loop] = iv;
        return walk(group, inside, loop + 1, SmallVector<Value>(carried));
      });
}

/// The loops inside of which a reduction accumulates, from its initial value to
/// its result.
LogicalResult LoopKernelEmitter::emitInner(const LoopGroup &group,
                                           const LoopStep &step) {
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
    LoopStep done = step;
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

} // namespace heddle
