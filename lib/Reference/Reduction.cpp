// reduce, reduce_window, map: regions of scalars over boxes of elements.
//
// The order is that of the specification's text: elements in row-major order
// of the reduced dimensions, folded from the left onto the initial value. Every
// step rounds to the region's types.

#include "Evaluator.h"
#include "Payload.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static ElementKind kindOf(Evaluator &evaluator, Value value) {
  return evaluator.evaluatedKind(getElementTypeOrSelf(value.getType()));
}

/// Folds, for every index of `shape`, the elements of a window of the inputs:
/// at index · strides + window index · windowStrides.
static LogicalResult
foldWindows(Invocation &call, Block &body, ArrayRef<HostTensor> inputs,
            ArrayRef<InterpreterValue> initials, ArrayRef<int64_t> shape,
            ArrayRef<int64_t> strides, ArrayRef<int64_t> window,
            ArrayRef<int64_t> windowStrides) {
  unsigned arity = inputs.size();
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(kindOf(call.evaluator, argument));
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != arity)
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that is no function of scalars";
  SmallVector<HostTensor> results;
  for (unsigned i = 0; i < arity; ++i) {
    FailureOr<HostTensor> result = call.allocate(shape, i);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }

  int64_t total = numElements(shape), steps = numElements(window);
  if (failed(call.evaluator.countOperations(
          call.op, uint64_t(steps) * ((total + kLanes - 1) / kLanes))))
    return failure();
  IndexWalk outer(shape, strides);
  int64_t bases[kLanes], offsets[kLanes];
  char bytes[kLanes * sizeof(Complex)];
  for (int64_t begin = 0; begin < total; begin += kLanes) {
    size_t count = std::min<int64_t>(kLanes, total - begin);
    for (size_t i = 0; i < count; ++i, outer.next())
      bases[i] = outer.offset();
    for (unsigned i = 0; i < arity; ++i) {
      const HostTensor &initial = initials[i].tensor;
      payload->argument(i).splat(initial.kind(), initial.element(0), count);
    }
    IndexWalk inner(window, windowStrides);
    for (int64_t step = 0; step < steps; ++step, inner.next()) {
      for (size_t i = 0; i < count; ++i)
        offsets[i] = bases[i] + inner.offset();
      for (unsigned i = 0; i < arity; ++i) {
        const HostTensor &input = inputs[i];
        gatherElements(input.elementBytes(), input.bytes().data(), offsets,
                       count, bytes);
        payload->argument(arity + i).load(input.kind(), bytes, count);
      }
      if (failed(payload->run(count)))
        return failure();
      // All results are read before any argument is overwritten.
      SmallVector<Lanes, 2> accumulated;
      for (unsigned i = 0; i < arity; ++i)
        accumulated.push_back(payload->result(i));
      for (unsigned i = 0; i < arity; ++i)
        payload->argument(i).move(accumulated[i], count);
    }
    for (unsigned i = 0; i < arity; ++i)
      payload->argument(i).store(results[i].kind(), count,
                                 results[i].mutableBytes().data() +
                                     begin * results[i].elementBytes());
  }
  for (HostTensor &result : results)
    if (failed(call.give(std::move(result))))
      return failure();
  return success();
}

static LogicalResult reduce(Invocation &call, stablehlo::ReduceOp op) {
  unsigned arity = op.getInputs().size();
  SmallVector<HostTensor> inputs;
  for (const InterpreterValue &operand : call.operands.take_front(arity))
    inputs.push_back(operand.tensor);
  Extents own = rowMajorStrides(inputs[0].shape());
  Extents shape, strides, window, windowStrides;
  for (int64_t d = 0; d < inputs[0].rank(); ++d) {
    bool reduced = llvm::is_contained(op.getDimensions(), d);
    (reduced ? window : shape).push_back(inputs[0].dim(d));
    (reduced ? windowStrides : strides).push_back(own[d]);
  }
  return foldWindows(call, op.getBody().front(), inputs,
                     call.operands.drop_front(arity), shape, strides, window,
                     windowStrides);
}

/// Pads by the initial values, as the specification has it, and folds windows
/// of what that gives.
static LogicalResult reduceWindow(Invocation &call,
                                  stablehlo::ReduceWindowOp op) {
  unsigned arity = op.getInputs().size();
  ArrayRef<int64_t> window = op.getWindowDimensions();
  SmallVector<int64_t> steps = op.getWindowStridesOrDefault();
  SmallVector<int64_t> baseDilations = op.getBaseDilationsOrDefault();
  SmallVector<int64_t> dilations = op.getWindowDilationsOrDefault();
  Extents low, high, interior;
  for (auto [before, after] : op.getPaddingOrDefault()) {
    low.push_back(before);
    high.push_back(after);
  }
  for (int64_t dilation : baseDilations)
    interior.push_back(dilation - 1);
  SmallVector<HostTensor> inputs;
  for (unsigned i = 0; i < arity; ++i) {
    FailureOr<HostTensor> padded =
        padTensor(call.evaluator, op, call.tensor(i), call.tensor(arity + i),
                  low, high, interior);
    if (failed(padded))
      return failure();
    inputs.push_back(std::move(*padded));
  }
  Extents own = rowMajorStrides(inputs[0].shape());
  Extents shape, strides, windowStrides;
  for (int64_t d = 0; d < inputs[0].rank(); ++d) {
    int64_t reach = (window[d] - 1) * dilations[d] + 1;
    int64_t extent = inputs[0].dim(d);
    shape.push_back(
        extent == 0 || reach > extent ? 0 : (extent - reach) / steps[d] + 1);
    strides.push_back(own[d] * steps[d]);
    windowStrides.push_back(own[d] * dilations[d]);
  }
  return foldWindows(call, op.getBody().front(), inputs,
                     call.operands.drop_front(arity), shape, strides, window,
                     windowStrides);
}

static LogicalResult map(Invocation &call, stablehlo::MapOp op) {
  Block &body = op.getComputation().front();
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(kindOf(call.evaluator, argument));
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != 1)
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that is no function of scalars";
  FailureOr<HostTensor> result = call.allocate(call.tensor(0).shape());
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  for (int64_t begin = 0; begin < result->size(); begin += kLanes) {
    size_t count = std::min<int64_t>(kLanes, result->size() - begin);
    for (auto [i, operand] : llvm::enumerate(call.operands))
      payload->argument(i).load(operand.tensor.kind(),
                                operand.tensor.element(begin), count);
    if (failed(payload->run(count)))
      return failure();
    payload->result(0).store(result->kind(), count,
                             out + begin * result->elementBytes());
  }
  return call.give(std::move(*result));
}

/// For every window of the operand the element that `select` keeps takes the
/// window's source element, folded in by `scatter`.
static LogicalResult selectAndScatter(Invocation &call,
                                      stablehlo::SelectAndScatterOp op) {
  const HostTensor &operand = call.tensor(0), &source = call.tensor(1),
                   &initial = call.tensor(2);
  int64_t rank = operand.rank();
  Extents window(rank, 1), steps(rank, 1), low(rank, 0);
  if (auto given = op.getWindowDimensions())
    window.assign(given->begin(), given->end());
  if (auto given = op.getWindowStrides())
    steps.assign(given->begin(), given->end());
  if (auto given = op.getPadding())
    for (int64_t d = 0; d < rank; ++d)
      low[d] = given->getValues<int64_t>()[{uint64_t(d), 0}];

  auto compile = [&](Region &region) {
    SmallVector<ElementKind> kinds;
    for (BlockArgument argument : region.getArguments())
      kinds.push_back(kindOf(call.evaluator, argument));
    return Payload::compile(call.evaluator, region.front(), kinds);
  };
  FailureOr<Payload> select = compile(op.getSelect()),
                     scatter = compile(op.getScatter());
  if (failed(select) || failed(scatter))
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that is no function of scalars";
  FailureOr<HostTensor> result = call.allocate(operand.shape());
  if (failed(result))
    return failure();
  char *out = result->mutableBytes().data();
  unsigned width = result->elementBytes();
  Lanes fill;
  fill.kind = result->kind();
  fill.splat(initial.kind(), initial.element(0), 1);
  for (int64_t i = 0; i < result->size(); ++i)
    fill.store(result->kind(), 1, out + i * width);

  Extents strides = rowMajorStrides(operand.shape());
  IndexWalk windows(source.shape(), rowMajorStrides(source.shape()));
  for (int64_t w = 0; w < source.size(); ++w, windows.next()) {
    int64_t chosen = -1;
    IndexWalk inner(window, rowMajorStrides(window));
    for (int64_t i = 0; i < numElements(window); ++i, inner.next()) {
      int64_t candidate = 0;
      bool inside = true;
      for (int64_t d = 0; d < rank; ++d) {
        int64_t at =
            windows.indices()[d] * steps[d] + inner.indices()[d] - low[d];
        inside &= at >= 0 && at < operand.dim(d);
        candidate += at * strides[d];
      }
      if (!inside)
        continue;
      if (chosen >= 0) {
        select->argument(0).load(operand.kind(), operand.element(chosen), 1);
        select->argument(1).load(operand.kind(), operand.element(candidate), 1);
        if (failed(select->run(1)))
          return failure();
        if (*select->result(0).as<uint64_t>())
          continue;
      }
      chosen = candidate;
    }
    if (chosen < 0)
      continue;
    scatter->argument(0).load(result->kind(), out + chosen * width, 1);
    scatter->argument(1).load(source.kind(), source.element(w), 1);
    if (failed(scatter->run(1)))
      return failure();
    scatter->result(0).store(result->kind(), 1, out + chosen * width);
  }
  return call.give(std::move(*result));
}

void reference::addReductions(Registry &registry) {
  using namespace stablehlo;
  registry.add<ReduceOp, reduce>();
  registry.add<ReduceWindowOp, reduceWindow>();
  registry.add<MapOp, map>();
  registry.add<SelectAndScatterOp, selectAndScatter>();
}
