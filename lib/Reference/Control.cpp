// Control flow, calls, tuples and tokens.

#include "Evaluator.h"
#include "Routines.h"

#include "dialects/StableHlo/RegisteredCalls.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

static LogicalResult ifOp(Invocation &call, stablehlo::IfOp op) {
  Region &branch =
      call.tensor(0).uintAt(0) ? op.getTrueBranch() : op.getFalseBranch();
  return call.evaluator.runBlock(branch.front(), {}, call.results);
}

/// An index out of range takes the last branch.
static LogicalResult caseOp(Invocation &call, stablehlo::CaseOp op) {
  int64_t index = call.tensor(0).intAt(0), count = op.getBranches().size();
  if (count == 0)
    return call.error() << "has no branches";
  if (index < 0 || index >= count)
    index = count - 1;
  return call.evaluator.runBlock(op.getBranches()[index].front(), {},
                                 call.results);
}

static LogicalResult whileOp(Invocation &call, stablehlo::WhileOp op) {
  ValueVector state(call.operands.begin(), call.operands.end());
  while (true) {
    ValueVector proceed, next;
    if (failed(call.evaluator.countOperations(op)) ||
        failed(call.evaluator.runBlock(op.getCond().front(), state, proceed)))
      return failure();
    if (proceed.size() != 1 || !proceed[0].tensor ||
        proceed[0].tensor.size() != 1)
      return call.error() << "has a condition that is no boolean";
    if (!proceed[0].tensor.uintAt(0))
      break;
    // Given up before the body runs, so that it may update in place.
    ValueVector arguments = std::move(state);
    if (failed(call.evaluator.runBlock(op.getBody().front(), arguments, next)))
      return failure();
    state = std::move(next);
  }
  call.results = std::move(state);
  return success();
}

LogicalResult reference::callFunction(Invocation &call, FlatSymbolRefAttr name,
                                      ArrayRef<InterpreterValue> operands) {
  auto function = call.evaluator.lookupSymbol<func::FuncOp>(call.op, name);
  if (!function || function.getNumArguments() != operands.size() ||
      function.getNumResults() != call.op->getNumResults())
    return call.error() << "calls " << name
                        << ", which is no function of these operands";
  return call.evaluator.call(function, operands, call.results);
}

static LogicalResult funcCall(Invocation &call, func::CallOp op) {
  return callFunction(call, op.getCalleeAttr(), call.operands);
}

/// A composite means its decomposition; a routine has none.
static LogicalResult composite(Invocation &call, stablehlo::CompositeOp op) {
  StringRef name = op.getName();
  if (name.consume_front("heddle.") && kernel::isRoutine(name))
    return applyRoutine(call, name, op.getCompositeAttributes());
  return callFunction(call, op.getDecompositionAttr(), call.operands);
}

static LogicalResult forward(Invocation &call) {
  call.results.assign(call.operands.begin(), call.operands.end());
  return success();
}

static LogicalResult token(Invocation &call) {
  call.results.emplace_back();
  return success();
}

static LogicalResult tuple(Invocation &call, stablehlo::TupleOp) {
  InterpreterValue value;
  value.tuple = std::make_shared<const std::vector<InterpreterValue>>(
      call.operands.begin(), call.operands.end());
  call.results.push_back(std::move(value));
  return success();
}

static LogicalResult getTupleElement(Invocation &call,
                                     stablehlo::GetTupleElementOp op) {
  const auto &elements = call.operands[0].tuple;
  if (!elements || uint64_t(op.getIndex()) >= elements->size())
    return call.error() << "has no element " << op.getIndex();
  call.results.push_back((*elements)[op.getIndex()]);
  return success();
}

/// Custom calls that the caller takes, and those that the compiler knows.
static LogicalResult customCall(Invocation &call, stablehlo::CustomCallOp op) {
  const auto &handler = call.evaluator.options.onCustomCall;
  if (handler && handler(op, call.operands, call.results))
    return success(call.results.size() == op->getNumResults());
  StringRef target = op.getCallTargetName();
  // What JAX asserts of the sizes of arguments.
  if (target == "shape_assertion" && !call.operands.empty() &&
      call.operands[0].tensor && op->getNumResults() == 0)
    return call.tensor(0).uintAt(0)
               ? success()
               : call.error() << "asserts what does not hold";
  if (!op->hasAttr(stablehlo::kRegisteredAttrName))
    if (auto done = applyKnownCustomCall(call, target))
      return *done;
  InFlightDiagnostic error = call.error(ErrorCode::NotInterpretable)
                             << "calls '" << target
                             << "', which the interpreter does not know";
  if (op->hasAttr(stablehlo::kRegisteredAttrName))
    error.attachNote() << "give it the function: --custom-call " << target
                       << "=LIBRARY.so[:SYMBOL]";
  return error;
}

/// `check.*` written as operations of a dialect of their own.
static LogicalResult checkOperation(Invocation &call) {
  const auto &handler = call.evaluator.options.onCustomCall;
  if (handler && handler(call.op, call.operands, call.results))
    return success();
  return call.error(ErrorCode::NotInterpretable)
         << "is a check, which only `heddle test` evaluates";
}

void reference::addControlFlow(Registry &registry) {
  using namespace stablehlo;
  registry.add<IfOp, ifOp>();
  registry.add<CaseOp, caseOp>();
  registry.add<WhileOp, whileOp>();
  registry.add<func::CallOp, funcCall>();
  registry.add<CompositeOp, composite>();
  registry.add<TupleOp, tuple>();
  registry.add<GetTupleElementOp, getTupleElement>();
  registry.add<CustomCallOp, customCall>();
  registry.add("stablehlo.optimization_barrier", forward);
  registry.add("stablehlo.after_all", token);
  registry.add("stablehlo.create_token", token);
  for (StringRef name :
       {"check.eq", "check.expect_eq", "check.expect_close",
        "check.expect_almost_eq", "check.expect_eq_const",
        "check.expect_close_const", "check.expect_almost_eq_const"})
    registry.add(name, checkOperation);
}
