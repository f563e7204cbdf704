// A program that checks itself is split: the compiled part computes, the
// interpreter checks.

#include "CompiledTests.h"

#include "CompiledRun.h"
#include "heddle/Frontend/DynamicForms.h"
#include "heddle/Frontend/RefineShapes.h"
#include "heddle/Frontend/StableHlo.h"

#include "dialects/Check/Check.h"
#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace heddle;

//===--- The split --------------------------------------------------------===//

namespace {
/// A function that checks itself, as a function that computes and as checks.
class SplitProgram {
public:
  explicit SplitProgram(func::FuncOp function) : function(function) {}
  ~SplitProgram() {
    for (Check &check : checks)
      check.op->destroy();
  }

  /// Takes the checks out of the function. Failure: `why` says what keeps this
  /// program from being compiled.
  LogicalResult split(std::string &why);
  ArrayRef<HostTensor> inputs() const { return arguments; }
  size_t checkCount() const { return checks.size(); }
  /// What each check that does not hold says about the function's results.
  std::vector<std::string> judge(ArrayRef<HostTensor> results);

private:
  /// What a check compares: a result of the function, or a tensor known from
  /// the start.
  struct Operand {
    std::optional<size_t> result;
    HostTensor known;
  };
  struct Check {
    /// Without its operands; the rest says what the check asks for.
    Operation *op;
    SmallVector<Operand> operands;
  };

  LogicalResult evaluateInputs(std::string &why);
  void makeArguments();

  func::FuncOp function;
  /// Values that the interpreter has computed.
  llvm::MapVector<Value, HostTensor> known;
  SmallVector<HostTensor> arguments;
  std::vector<Check> checks;
};
} // namespace

/// Whether some operation asks for this value when compiling: a shape, a
/// padding, bounds of a slice.
static bool isNeededWhenCompiling(Value value) {
  return llvm::any_of(value.getUses(), isSizeOperand);
}

/// Calls without operands give inputs and expected values. Without such calls,
/// constants that are no scalars and no splats stand for inputs.
LogicalResult SplitProgram::evaluateInputs(std::string &why) {
  Block &body = function.getBody().front();
  for (auto call : body.getOps<func::CallOp>()) {
    if (call.getNumOperands() || call.getNumResults() == 0)
      continue;
    auto callee =
        function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
            call.getCallee());
    FailureOr<SmallVector<HostTensor>> values = failure();
    {
      // Quantized inputs are left to the compiler.
      ScopedDiagnosticHandler quiet(function.getContext(),
                                    [](Diagnostic &) { return success(); });
      if (callee)
        values = interpret(callee, {});
    }
    if (failed(values))
      continue;
    for (auto [result, value] : llvm::zip_equal(call.getResults(), *values))
      if (!isNeededWhenCompiling(result) && result.getType() == value.type())
        known.insert({result, value});
  }
  if (!known.empty())
    return success();
  for (auto constant : body.getOps<stablehlo::ConstantOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || dense.isSplat() || dense.getType() != constant.getType() ||
        dense.getElementType().isIndex() || isNeededWhenCompiling(constant))
      continue;
    if (std::optional<HostTensor> value = HostTensor::fromAttribute(dense))
      known.insert({constant.getResult(), *value});
  }
  return success();
}

/// A grid of one process is a call; more are for the interpreter.
static LogicalResult openGrids(func::FuncOp function, std::string &why) {
  SmallVector<interpreter::RunParallelOp> grids;
  function.walk([&](interpreter::RunParallelOp op) { grids.push_back(op); });
  for (interpreter::RunParallelOp op : grids) {
    int64_t processes = op.getNumReplicas() * op.getNumPartitions();
    if (processes != 1 || op.getInfeedAttr()) {
      why = "interpreter.run_parallel of " + std::to_string(processes) +
            " processes; one device, without a host that feeds it, is "
            "compiled for";
      return failure();
    }
    OpBuilder builder(op);
    auto name =
        cast<FlatSymbolRefAttr>(cast<ArrayAttr>(op.getPrograms()[0])[0]);
    auto call = func::CallOp::create(builder, op.getLoc(), name,
                                     op.getResultTypes(), op.getInputs());
    op->replaceAllUsesWith(call);
    op.erase();
  }
  return success();
}

LogicalResult SplitProgram::split(std::string &why) {
  if (!function.getBody().hasOneBlock()) {
    why = "the function has no body of one block";
    return failure();
  }
  if (failed(openGrids(function, why)))
    return failure();
  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Operation *> found;
  WalkResult elsewhere =
      function->getParentOfType<ModuleOp>().walk([&](Operation *op) {
        if (!isCheck(op))
          return WalkResult::advance();
        if (op->getBlock() == &body)
          found.push_back(op);
        // Other functions that are tested check for themselves.
        auto parent = op->getParentOfType<func::FuncOp>();
        return op->getBlock() == &body ||
                       (parent && parent != function &&
                        op->getParentOp() == parent && parent.isPublic())
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      });
  if (elsewhere.wasInterrupted()) {
    why = "a check inside a region or a called function";
    return failure();
  }
  if (failed(evaluateInputs(why)))
    return failure();

  llvm::MapVector<Value, size_t> results;
  for (Operation *op : found) {
    Check check;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      auto value = known.find(operand);
      if (value != known.end()) {
        check.operands.push_back({std::nullopt, value->second});
        continue;
      }
      auto [entry, isNew] = results.insert({operand, results.size()});
      check.operands.push_back({entry->second, HostTensor()});
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return user != terminator; })) {
        why = "a check whose result is computed with";
        return failure();
      }
    check.op = op;
    checks.push_back(std::move(check));
  }

  OpBuilder builder(terminator);
  SmallVector<Value> returned;
  for (auto &[value, index] : results)
    returned.push_back(value);
  func::ReturnOp::create(builder, terminator->getLoc(), returned);
  terminator->erase();
  for (Check &check : checks) {
    check.op->remove();
    check.op->dropAllReferences();
  }
  makeArguments();
  function.setType(builder.getFunctionType(body.getArgumentTypes(),
                                           ValueRange(returned).getTypes()));
  function.removeResAttrsAttr();
  function.removeArgAttrsAttr();
  // A value that is returned and known would have been a check's alone.
  return success();
}

/// The known values that something still uses become arguments.
void SplitProgram::makeArguments() {
  Block &body = function.getBody().front();
  llvm::SmallSetVector<Operation *, 4> producers;
  for (auto &[value, tensor] : known) {
    producers.insert(value.getDefiningOp());
    if (value.use_empty())
      continue;
    Value argument = body.addArgument(value.getType(), value.getLoc());
    value.replaceAllUsesWith(argument);
    arguments.push_back(tensor);
  }
  for (Operation *producer : producers)
    if (producer->use_empty())
      producer->erase();
}

std::vector<std::string> SplitProgram::judge(ArrayRef<HostTensor> results) {
  std::vector<std::string> problems;
  for (Check &check : checks) {
    SmallVector<HostTensor> operands;
    for (const Operand &operand : check.operands)
      operands.push_back(operand.result ? results[*operand.result]
                                        : operand.known);
    std::string problem = describeCheck(check.op, operands);
    if (!problem.empty())
      problems.push_back(problem);
  }
  return problems;
}

//===--- The whole --------------------------------------------------------===//

ProgramOutcome heddle::compileAndRunProgram(
    Session &session, ModuleOp module,
    const std::shared_ptr<const Target> &target, StringRef path,
    llvm::ArrayRef<heddle_custom_call> customCalls, std::string &errors) {
  ProgramOutcome outcome;
  std::string why = "no check was reached";
  std::vector<std::string> refusals;
  for (func::FuncOp function : checkedFunctions(module, why)) {
    OwningOpRef<ModuleOp> whole(module.clone());
    auto copy = whole->lookupSymbol<func::FuncOp>(function.getName());
    SplitProgram program(copy);
    if (failed(program.split(why))) {
      refusals.push_back(why);
      continue;
    }
    if (program.checkCount() == 0)
      continue;
    // The rest of the module is compiled only as far as this function uses it.
    dropOtherFunctions(*whole, copy);
    errors.clear();
    std::optional<SmallVector<HostTensor>> results;
    if (succeeded(adoptStableHlo(*whole, copy, path)) &&
        succeeded(closeOpenSizes(copy)))
      results =
          compileAndRun(session, *whole, target, customCalls, program.inputs());
    if (!results) {
      bool refused;
      std::string error = firstError(errors, refused);
      (refused ? refusals : outcome.messages).push_back(std::move(error));
      continue;
    }
    outcome.checks += program.checkCount();
    llvm::append_range(outcome.messages, program.judge(*results));
  }
  settle(outcome, std::move(refusals), why);
  return outcome;
}
