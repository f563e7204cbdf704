// Functions that check nothing are compiled and compared with the interpreter
// on random inputs.

#include "UncheckedTests.h"

#include "CompiledRun.h"
#include "heddle/Driver/Feeds.h"
#include "heddle/Driver/Model.h"
#include "heddle/Frontend/DynamicForms.h"
#include "heddle/Frontend/RefineShapes.h"
#include "heddle/Frontend/StableHlo.h"
#include "heddle/Support/CompareTensors.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Every open size of an argument: more than one, so that no broadcast hides
/// what differs, and little.
constexpr int64_t kOpenSize = 3;

//===--- Open sizes -------------------------------------------------------===//

/// What `value` is computed from, one step back: through calls, too.
static SmallVector<Value> sourcesOf(Value value, ModuleOp module) {
  SmallVector<Value> sources;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (function)
      module.walk([&](func::CallOp call) {
        if (call.getCallee() == function.getName())
          sources.push_back(call.getOperand(argument.getArgNumber()));
      });
    return sources;
  }
  Operation *op = value.getDefiningOp();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && callee.getBody().hasOneBlock())
      sources.push_back(callee.getBody().front().getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber()));
    return sources;
  }
  // A size is no element.
  if (!isa<stablehlo::GetDimensionSizeOp>(op))
    llvm::append_range(sources, op->getOperands());
  return sources;
}

/// Which arguments of `function` are numbers that sizes are computed from.
static llvm::SmallDenseSet<unsigned> sizeArguments(func::FuncOp function,
                                                   ModuleOp module) {
  llvm::SetVector<Value> behind;
  module.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isSizeOperand(operand))
        behind.insert(operand.get());
  });
  llvm::SmallDenseSet<unsigned> found;
  for (size_t i = 0; i < behind.size(); ++i) {
    Value value = behind[i];
    auto argument = dyn_cast<BlockArgument>(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (argument && argument.getOwner()->getParentOp() == function && type &&
        type.getRank() == 0 && type.getElementType().isInteger())
      found.insert(argument.getArgNumber());
    for (Value source : sourcesOf(value, module))
      behind.insert(source);
  }
  return found;
}

/// Gives every open size of the function's arguments, and every argument that
/// sizes are computed from, the number `kOpenSize`. The result has an entry for
/// each argument of the function as it is written: its value where that is
/// known, nothing where it remains an argument.
static FailureOr<SmallVector<HostTensor>> fixSizes(func::FuncOp function,
                                                   ModuleOp module) {
  SmallVector<HostTensor> known(function.getNumArguments());
  SmallVector<Type> types = llvm::to_vector(function.getArgumentTypes());
  bool anyOpen = false;
  for (Type &type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape())
      continue;
    SmallVector<int64_t> shape = llvm::to_vector(tensor.getShape());
    SmallVector<int64_t> bounds(stablehlo::boundsOf(tensor));
    bounds.resize(shape.size(), ShapedType::kDynamic);
    for (auto [size, bound] : llvm::zip_equal(shape, bounds))
      if (ShapedType::isDynamic(size))
        size = ShapedType::isDynamic(bound) ? kOpenSize
                                            : std::min(bound, kOpenSize);
    type = RankedTensorType::get(shape, tensor.getElementType());
    anyOpen = true;
  }
  if (!anyOpen)
    return known;
  llvm::BitVector erased(types.size());
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  for (unsigned i : sizeArguments(function, module)) {
    HostTensor number = HostTensor::allocate(cast<RankedTensorType>(types[i]));
    number.set(0, kOpenSize);
    function.getArgument(i).replaceAllUsesWith(stablehlo::ConstantOp::create(
        builder, function.getLoc(), number.toAttribute()));
    known[i] = std::move(number);
    erased.set(i);
  }
  if (failed(function.eraseArguments(erased)))
    return failure();
  SmallVector<Type> left;
  for (auto [i, type] : llvm::enumerate(types))
    if (!erased.test(i))
      left.push_back(type);
  if (failed(refineShapes(function, left)))
    return failure();
  // The sizes of a program may depend on each other in other ways.
  LogicalResult fits = [&] {
    ScopedDiagnosticHandler quiet(module.getContext(),
                                  [](Diagnostic &) { return success(); });
    return verify(module);
  }();
  if (failed(fits))
    return emitError(function.getLoc(), ErrorCode::StableHloDynamicShape)
           << "the open sizes of @" << function.getName() << " cannot all be "
           << kOpenSize;
  return known;
}

//===--- The comparison ---------------------------------------------------===//

/// How far from the interpreter a result may be, relative to the whole tensor:
/// a few units of the last place of its numbers, for sums that are taken in
/// another order and elementary functions within 3 ULP. Integers are equal.
static double toleranceOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  auto type = dyn_cast<FloatType>(element);
  return type ? std::ldexp(8.0, 1 - int(type.getFPMantissaWidth())) : 0;
}

/// What differs, as a line for the user; empty where nothing does.
static std::string describeDifference(StringRef name, const HostTensor &actual,
                                      const HostTensor &expected) {
  llvm::Expected<TensorDistance> distance = compareTensors(actual, expected);
  if (!distance)
    return llvm::toString(distance.takeError());
  if (distance->nonFiniteMismatches == 0 &&
      distance->relativeL2 <= toleranceOf(actual.type().getElementType()))
    return {};
  int64_t index = distance->worstIndex;
  return (name + " at " + indexText(actual.shape(), index) + " " +
          actual.elementText(index) + ", the interpreter has " +
          expected.elementText(index) + "; " + Twine(distance->differing) +
          " of " + Twine(distance->elements) + " elements differ")
      .str();
}

//===--- The whole --------------------------------------------------------===//

namespace {
/// Compiles and compares the functions of one module.
class UncheckedProgram {
public:
  UncheckedProgram(Session &session, ModuleOp module,
                   const std::shared_ptr<const Target> &target, StringRef path,
                   const CustomCallLibraries &customCalls)
      : session(session), module(module), target(target), path(path),
        customCalls(customCalls) {}

  /// Failure: the session has seen an error.
  LogicalResult test(func::FuncOp function, ProgramOutcome &outcome);

private:
  Session &session;
  ModuleOp module;
  const std::shared_ptr<const Target> &target;
  StringRef path;
  const CustomCallLibraries &customCalls;
};
} // namespace

LogicalResult UncheckedProgram::test(func::FuncOp function,
                                     ProgramOutcome &outcome) {
  OwningOpRef<ModuleOp> whole(module.clone());
  auto copy = whole->lookupSymbol<func::FuncOp>(function.getName());
  dropOtherFunctions(*whole, copy);
  if (!copy.getBody().hasOneBlock())
    return emitError(copy.getLoc(), ErrorCode::StableHloEntry)
           << "the function has no body of one block";
  FailureOr<SmallVector<HostTensor>> arguments = fixSizes(copy, *whole);
  if (failed(arguments) || failed(adoptStableHlo(*whole, copy, path)))
    return failure();
  FailureOr<func::FuncOp> closed = closeOpenSizes(copy);
  if (failed(closed))
    return failure();
  SmallVector<TensorSignature> outputs = outputSignatures(*closed);
  std::vector<std::string> said;
  auto inputs =
      gatherFeeds(session, inputSignatures(*closed), FeedOptions(), said);
  if (!inputs)
    return failure();
  auto actual =
      compileAndRun(session, *whole, target, customCalls.functions(), *inputs);
  if (!actual)
    return failure();

  auto next = inputs->begin();
  for (HostTensor &argument : *arguments)
    if (!argument)
      argument = *next++;
  InterpreterOptions options;
  options.threads = 1;
  options.onCustomCall = [&](Operation *op, ArrayRef<InterpreterValue> operands,
                             SmallVectorImpl<InterpreterValue> &results) {
    return customCalls.interpret(op, operands, results);
  };
  auto expected = interpret(function, *arguments, options);
  if (failed(expected))
    return failure();
  for (auto [output, ours, theirs] :
       llvm::zip_equal(outputs, *actual, *expected)) {
    ++outcome.checks;
    std::string difference = describeDifference(output.name, ours, theirs);
    if (!difference.empty())
      outcome.messages.push_back("@" + function.getName().str() + ": " +
                                 difference);
  }
  return success();
}

SmallVector<func::FuncOp> heddle::comparedFunctions(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return {main};
  return llvm::filter_to_vector(
      module.getOps<func::FuncOp>(),
      [](func::FuncOp function) { return function.isPublic(); });
}

ProgramOutcome heddle::compileAndCompareProgram(
    Session &session, ModuleOp module,
    const std::shared_ptr<const Target> &target, StringRef path,
    const CustomCallLibraries &customCalls, std::string &errors) {
  ProgramOutcome outcome;
  UncheckedProgram program(session, module, target, path, customCalls);
  std::vector<std::string> refusals;
  for (func::FuncOp function : comparedFunctions(module)) {
    errors.clear();
    if (succeeded(program.test(function, outcome)))
      continue;
    bool refused;
    std::string error = firstError(errors, refused);
    (refused ? refusals : outcome.messages).push_back(std::move(error));
  }
  settle(outcome, std::move(refusals), "no public function with results");
  return outcome;
}
