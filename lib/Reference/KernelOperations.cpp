// The kernel dialect: dispatches, launches, weights, and the roots that move
// data. What they share with StableHLO is StableHLO's.

#include "Evaluator.h"
#include "Payload.h"
#include "Routines.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static LogicalResult launch(Invocation &call, kernel::LaunchOp op) {
  auto function =
      call.evaluator.lookupSymbol<func::FuncOp>(op, op.getKernelAttr());
  if (function && kernel::isCustomCall(function)) {
    const auto &handler = call.evaluator.options.onCustomCall;
    if (handler && handler(op, call.operands, call.results))
      return success(call.results.size() == op->getNumResults());
    return call.error(ErrorCode::NotInterpretable)
           << "calls the function @" << function.getName()
           << ", which the interpreter was not given: --custom-call "
              "NAME=LIBRARY.so";
  }
  ValueVector operands(call.operands.begin(), call.operands.end());
  for (auto scalar : op.getScalars().getAsRange<TypedAttr>()) {
    auto elements =
        DenseElementsAttr::get(RankedTensorType::get({}, scalar.getType()),
                               ArrayRef<Attribute>(scalar));
    FailureOr<HostTensor> number = call.evaluator.constant(op, elements);
    if (failed(number))
      return failure();
    operands.push_back(std::move(*number));
  }
  return callFunction(call, op.getKernelAttr(), operands);
}

/// A function of the symbols that the operands hold.
static LogicalResult sizeOfCall(Invocation &call, kernel::SizeOp op) {
  size::Expression function(op.getFunction());
  SmallVector<StringRef> symbols = function.symbols();
  std::optional<int64_t> value =
      function.evaluated([&](StringRef name) -> std::optional<int64_t> {
        return call.tensor(llvm::find(symbols, name) - symbols.begin())
            .intAt(0);
      });
  if (!value)
    return call.error() << "divides by zero or overflows";
  FailureOr<HostTensor> result = call.allocate({});
  if (failed(result))
    return failure();
  result->set(0, *value);
  call.results.push_back(std::move(*result));
  return success();
}

static LogicalResult dispatch(Invocation &call, kernel::DispatchOp op) {
  return call.evaluator.callBlock(op.getBody().front(), call.operands,
                                  call.results);
}

static LogicalResult composite(Invocation &call, kernel::CompositeOp op) {
  return call.evaluator.runBlock(op.getBody().front(), {}, call.results);
}

/// The value in its packed form: padding columns and channels are zero.
static FailureOr<HostTensor> pack(Invocation &call, const HostTensor &value,
                                  StringRef packing) {
  RankedTensorType stored = kernel::storedType(packing, value.type());
  if (!stored)
    return call.error() << "cannot pack a tensor of type " << value.type();
  FailureOr<HostTensor> result = call.evaluator.allocate(
      call.op, stored.getShape(), stored.getElementType());
  if (failed(result))
    return failure();
  kernel::packElements(packing, value.type(), value.bytes().data(),
                       result->mutableBytes().data());
  return result;
}

static LogicalResult weightRef(Invocation &call, kernel::WeightRefOp op) {
  auto weight =
      call.evaluator.lookupSymbol<kernel::WeightOp>(op, op.getWeightAttr());
  if (!weight)
    return call.error() << "names no weight";
  ValueVector values;
  if (failed(call.evaluator.callBlock(weight.getBody().front(), {}, values)))
    return failure();
  if (values.size() != 1 || !values[0].tensor)
    return call.error() << "has a weight without a value";
  HostTensor value = std::move(values[0].tensor);
  if (std::optional<StringRef> packing = weight.getPacking()) {
    FailureOr<HostTensor> packed = pack(call, value, *packing);
    if (failed(packed))
      return failure();
    value = std::move(*packed);
  }
  // What tensors hold in other bits than weights: without a sign, as bytes.
  if (Type held = op.getType().getElementType(); isa<IntegerType>(held))
    value = value.reshaped(value.type().clone(held));
  return call.give(std::move(value));
}

static LogicalResult concatenate(Invocation &call, kernel::ConcatenateOp op) {
  return applyConcatenate(call, op.getDimension());
}

static LogicalResult pad(Invocation &call, kernel::PadOp op) {
  FailureOr<HostTensor> result =
      padTensor(call.evaluator, op, call.tensor(0), call.tensor(1), op.getLow(),
                op.getHigh(), op.getInterior());
  if (failed(result))
    return failure();
  return call.give(std::move(*result));
}

static LogicalResult dynamicUpdateSlice(Invocation &call,
                                        kernel::DynamicUpdateSliceOp) {
  return applyDynamicUpdateSlice(call);
}

static LogicalResult scatter(Invocation &call, kernel::ScatterOp op) {
  return applyScatter(
      call,
      {op.getUpdateWindowDims(), op.getInsertedWindowDims(),
       op.getInputBatchingDims(), op.getScatterIndicesBatchingDims(),
       op.getScatterDimsToOperandDims(), int64_t(op.getIndexVectorDim())},
      op.getBody().front());
}

static LogicalResult sort(Invocation &call, kernel::SortOp op) {
  return applySort(call, op.getDimension(), op.getBody().front());
}

static LogicalResult topK(Invocation &call, kernel::TopKOp op) {
  return applyTopK(
      call, cast<RankedTensorType>(op.getValues().getType()).getShape().back());
}

static LogicalResult routine(Invocation &call, kernel::RoutineOp op) {
  return applyRoutine(call, op.getName(), op.getParameters());
}

/// Unlike StableHLO's, padding is skipped and not folded in.
static LogicalResult reduceWindow(Invocation &call, kernel::ReduceWindowOp op) {
  unsigned arity = op.getInputs().size();
  Block &body = op.getBody().front();
  SmallVector<ElementKind> kinds;
  for (BlockArgument argument : body.getArguments())
    kinds.push_back(call.evaluator.evaluatedKind(argument.getType()));
  FailureOr<Payload> payload = Payload::compile(call.evaluator, body, kinds);
  if (failed(payload) || payload->numResults() != arity)
    return call.error(ErrorCode::NotInterpretable)
           << "has a region that the interpreter does not know";
  ArrayRef<int64_t> window = op.getWindow(), steps = op.getStrides(),
                    padding = op.getPadding(), base = op.getBaseDilations(),
                    dilations = op.getWindowDilations();
  ArrayRef<int64_t> input = call.tensor(0).shape();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<HostTensor> results;
  SmallVector<char *> bytes;
  for (unsigned i = 0; i < arity; ++i) {
    FailureOr<HostTensor> result = call.allocate(shape, i);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  for (HostTensor &result : results)
    bytes.push_back(result.mutableBytes().data());

  Extents strides = rowMajorStrides(input);
  int64_t total = numElements(shape), taps = numElements(window);
  IndexWalk point(shape, Extents(shape.size(), 0));
  for (int64_t o = 0; o < total; ++o, point.next()) {
    for (unsigned i = 0; i < arity; ++i) {
      const HostTensor &initial = call.tensor(arity + i);
      payload->argument(i).load(initial.kind(), initial.element(0), 1);
    }
    IndexWalk tap(window, Extents(window.size(), 0));
    for (int64_t t = 0; t < taps; ++t, tap.next()) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t d = 0; d < window.size(); ++d) {
        int64_t at = point.indices()[d] * steps[d] +
                     tap.indices()[d] * dilations[d] - padding[2 * d];
        inside &= at >= 0 && at % base[d] == 0 && at / base[d] < input[d];
        offset += at / base[d] * strides[d];
      }
      if (!inside)
        continue;
      for (unsigned i = 0; i < arity; ++i)
        payload->argument(arity + i).load(call.tensor(i).kind(),
                                          call.tensor(i).element(offset), 1);
      if (failed(payload->run(1)))
        return failure();
      SmallVector<Lanes, 1> values;
      for (unsigned i = 0; i < arity; ++i)
        values.push_back(payload->result(i));
      for (unsigned i = 0; i < arity; ++i)
        payload->argument(i).move(values[i], 1);
    }
    for (unsigned i = 0; i < arity; ++i)
      payload->argument(i).store(results[i].kind(), 1,
                                 bytes[i] + o * results[i].elementBytes());
  }
  for (HostTensor &result : results)
    if (failed(call.give(std::move(result))))
      return failure();
  return success();
}

void reference::addKernelOperations(Registry &registry) {
  using namespace kernel;
  registry.add<LaunchOp, launch>();
  registry.add<SizeOp, sizeOfCall>();
  registry.add<CompositeOp, composite>();
  registry.add<DispatchOp, dispatch>();
  registry.add<WeightRefOp, weightRef>();
  registry.add<ConcatenateOp, concatenate>();
  registry.add<PadOp, pad>();
  registry.add<DynamicUpdateSliceOp, dynamicUpdateSlice>();
  registry.add<ScatterOp, scatter>();
  registry.add<SortOp, sort>();
  registry.add<TopKOp, topK>();
  registry.add<RoutineOp, routine>();
  registry.add<ReduceWindowOp, reduceWindow>();
}
