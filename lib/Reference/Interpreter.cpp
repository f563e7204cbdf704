// The driver: functions, frames, limits, and which function an operation has.

#include "heddle/Reference/Interpreter.h"

#include "ComputedSizes.h"
#include "Lanes.h"
#include "Processes.h"

#include "dialects/StableHlo/StableHlo.h"
#include "dialects/StableHlo/TypeInference.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ScopeExit.h"

#include <thread>

using namespace mlir;
using namespace heddle;
using namespace heddle::reference;

/// Calls and regions may nest so deep; each level takes about a KiB of stack.
static constexpr unsigned kMaxDepth = 512;

//===--- Registry ---------------------------------------------------------===//

const Registry &Registry::get() {
  static const Registry registry = [] {
    Registry all;
    addShapeOperations(all);
    addDynamicOperations(all);
    addReductions(all);
    addContractions(all);
    addConvolutions(all);
    addIndexing(all);
    addSorting(all);
    addControlFlow(all);
    addFactorizations(all);
    addFourier(all);
    addRandom(all);
    addNormalization(all);
    addDistribution(all);
    addTransfers(all);
    addRagged(all);
    addQuantization(all);
    addPrecision(all);
    addStructured(all);
    addKernelOperations(all);
    addKernelContractions(all);
    return all;
  }();
  return registry;
}

bool heddle::isInterpretable(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || isElementwise(op) ||
         Registry::get().find(op->getName().getStringRef());
}

//===--- Processes --------------------------------------------------------===//

Evaluator::Evaluator(const InterpreterOptions &options)
    : options(options), ownProcesses(std::make_unique<ProcessGrid>(1, 1)),
      processes(ownProcesses.get()),
      liveBytes(std::make_shared<std::atomic<uint64_t>>(0)) {}

Evaluator::Evaluator(const InterpreterOptions &options, const Evaluator &parent,
                     ProcessGrid &grid, int64_t replica, int64_t partition)
    : options(options), processes(&grid), replicaNumber(replica),
      partitionNumber(partition), depth(parent.depth),
      liveBytes(parent.liveBytes) {}

Evaluator::~Evaluator() = default;

void Evaluator::copyFrame(const Evaluator &other) { ownFrame = *other.frame; }

//===--- Tensors ----------------------------------------------------------===//

Type Evaluator::evaluatedType(Type element) const {
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    if (expressQuantized)
      return evaluatedType(quantized.getExpressedType());
    return stablehlo::storedType(element);
  }
  if (!options.evaluateInF64)
    return element;
  if (element.isF32())
    return Float64Type::get(element.getContext());
  if (auto complex = dyn_cast<ComplexType>(element))
    return ComplexType::get(evaluatedType(complex.getElementType()));
  return element;
}

FailureOr<HostTensor>
Evaluator::allocate(Operation *op, ArrayRef<int64_t> shape, Type element) {
  auto fail = [&](ErrorCode code) {
    return heddle::emitError(op->getLoc(), code)
           << "'" << op->getName().getStringRef() << "' ";
  };
  if (llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return fail(ErrorCode::ProgramFault)
           << "computes a negative dimension or one that is not known";
  if (!elementKind(element))
    return fail(ErrorCode::TypeUnsupported)
           << "has elements of type " << element
           << ", which the interpreter does not evaluate";
  auto type = RankedTensorType::get(shape, element);
  std::optional<uint64_t> bytes = HostTensor::byteSize(type);
  uint64_t live = liveBytes->load();
  if (!bytes || *bytes > options.memoryLimitBytes ||
      live > options.memoryLimitBytes - *bytes)
    return fail(ErrorCode::MemoryLimit)
           << "needs a tensor of type " << type << ", more than the limit of "
           << options.memoryLimitBytes << " bytes leaves";
  return HostTensor::allocate(type, liveBytes);
}

FailureOr<HostTensor> Evaluator::constant(Operation *op,
                                          ElementsAttr attribute) {
  auto type = dyn_cast<RankedTensorType>(attribute.getShapedType());
  std::optional<uint64_t> bytes =
      type ? HostTensor::byteSize(type) : std::nullopt;
  // A splat of a few bytes may stand for a huge tensor.
  if (bytes && *bytes > options.memoryLimitBytes - liveBytes->load())
    return allocate(op, type.getShape(), type.getElementType());
  std::optional<HostTensor> tensor = HostTensor::fromAttribute(attribute);
  if (!tensor)
    return heddle::emitError(op->getLoc(), ErrorCode::TypeUnsupported)
           << "a constant of type " << attribute.getShapedType()
           << " has no value that the interpreter can read";
  return std::move(*tensor);
}

LogicalResult Invocation::give(HostTensor tensor) {
  auto type = cast<ShapedType>(op->getResult(results.size()).getType());
  if (type.hasRank() &&
      failed(verifyCompatibleShape(type.getShape(), tensor.shape())))
    return error() << "computes a tensor of type " << tensor.type()
                   << ", but its result's type is " << type;
  results.push_back(std::move(tensor));
  return success();
}

//===--- Execution --------------------------------------------------------===//

LogicalResult Evaluator::countOperations(Operation *op, uint64_t count) {
  operations += count;
  if (options.operationLimit && operations > options.operationLimit)
    return heddle::emitError(op->getLoc(), ErrorCode::TimeLimit)
           << "more than " << options.operationLimit
           << " operations were executed";
  return success();
}

const Evaluator::LastUses &Evaluator::lastUses(Block &block) {
  std::unique_ptr<LastUses> &entry = lastUsesOfBlock[&block];
  if (entry)
    return *entry;
  entry = std::make_unique<LastUses>();
  DenseMap<Operation *, size_t> positions;
  for (Operation &op : block) {
    positions[&op] = entry->size();
    entry->emplace_back();
  }
  auto note = [&](Value value, size_t definition) {
    size_t last = definition;
    for (Operation *user : value.getUsers())
      if (Operation *ancestor = block.findAncestorOpInBlock(*user))
        last = std::max(last, positions.lookup(ancestor));
    (*entry)[last].push_back(value);
  };
  if (entry->empty())
    return *entry;
  for (Value argument : block.getArguments())
    note(argument, 0);
  for (Operation &op : block)
    for (Value result : op.getResults())
      note(result, positions.lookup(&op));
  return *entry;
}

/// Whether the interpreter has to compute on the expressed values of an
/// operation with quantized operands.
static bool hasQuantizedTypes(Operation *op) {
  auto isQuantized = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && isa<quant::QuantizedType>(shaped.getElementType());
  };
  return llvm::any_of(op->getOperandTypes(), isQuantized) ||
         llvm::any_of(op->getResultTypes(), isQuantized);
}

LogicalResult Evaluator::execute(Operation *op,
                                 ArrayRef<InterpreterValue> operands,
                                 ValueVector &results) {
  Invocation call{*this, op, operands, results};
  if (isElementwise(op))
    return applyElementwise(call);
  if (Registry::Function function =
          Registry::get().find(op->getName().getStringRef()))
    return function(call);
  return call.error(ErrorCode::NotInterpretable)
         << "is not known to the reference interpreter";
}

LogicalResult Evaluator::runBlock(Block &block,
                                  ArrayRef<InterpreterValue> arguments,
                                  ValueVector &yielded) {
  if (block.empty())
    return success();
  if (depth >= kMaxDepth)
    return heddle::emitError(block.front().getLoc(), ErrorCode::TooDeep)
           << "calls and regions are nested more than " << kMaxDepth << " deep";
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  const LastUses &dying = lastUses(block);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    (*frame)[argument] = value;

  size_t position = 0;
  for (Operation &op : block) {
    if (failed(countOperations(&op)))
      return failure();
    ValueVector operands;
    for (Value operand : op.getOperands()) {
      const InterpreterValue *value = lookup(operand);
      if (!value)
        return heddle::emitError(op.getLoc(), ErrorCode::NotInterpretable)
               << "an operand is defined outside of what is interpreted";
      operands.push_back(*value);
    }
    bool isLast = op.hasTrait<OpTrait::IsTerminator>();
    if (isLast) {
      yielded = std::move(operands);
    } else {
      ValueVector results;
      LogicalResult done = hasQuantizedTypes(&op)
                               ? executeQuantized(&op, operands, results)
                               : execute(&op, operands, results);
      if (failed(done))
        return failure();
      if (options.onResults) {
        SmallVector<HostTensor> tensors;
        for (const InterpreterValue &result : results)
          if (result.tensor)
            tensors.push_back(result.tensor);
        options.onResults(&op, tensors);
      }
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        (*frame)[result] = std::move(value);
    }
    for (Value value : dying[position])
      frame->erase(value);
    ++position;
  }
  return success();
}

LogicalResult Evaluator::call(func::FuncOp function,
                              ArrayRef<InterpreterValue> arguments,
                              ValueVector &results) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return heddle::emitError(function.getLoc(), ErrorCode::NotInterpretable)
           << "function '" << function.getName()
           << "' has no body of one block";
  return callBlock(function.getBody().front(), arguments, results);
}

LogicalResult Evaluator::callBlock(Block &block,
                                   ArrayRef<InterpreterValue> arguments,
                                   ValueVector &results) {
  Frame own;
  Frame *caller = std::exchange(frame, &own);
  LogicalResult done = runBlock(block, arguments, results);
  frame = caller;
  return done;
}

FailureOr<SmallVector<HostTensor>>
heddle::interpret(func::FuncOp function, ArrayRef<HostTensor> arguments,
                  const InterpreterOptions &options) {
  auto fail = [&] {
    return heddle::emitError(function.getLoc(), ErrorCode::WrongTensor);
  };
  if (arguments.size() != function.getNumArguments())
    return fail() << "function '" << function.getName() << "' takes "
                  << function.getNumArguments() << " arguments, "
                  << arguments.size() << " were given";
  if (computesSizes(function))
    return interpretComputingSizes(function, arguments, options);
  ValueVector values;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!type ||
        stablehlo::storedType(type.getElementType()) !=
            argument.type().getElementType() ||
        failed(verifyCompatibleShape(type.getShape(), argument.shape())))
      return fail() << "argument " << i << " has type "
                    << function.getArgumentTypes()[i] << ", a tensor of type "
                    << argument.type() << " was given";
    values.push_back(argument);
  }
  Evaluator evaluator(options);
  ValueVector results;
  if (failed(evaluator.call(function, values, results)))
    return failure();
  SmallVector<HostTensor> tensors;
  for (InterpreterValue &result : results) {
    if (!result.tensor)
      return heddle::emitError(function.getLoc(), ErrorCode::NotInterpretable)
             << "function '" << function.getName()
             << "' returns a value that is no tensor";
    tensors.push_back(std::move(result.tensor));
  }
  if (failed(checkCounts(function, tensors)))
    return failure();
  return tensors;
}

FailureOr<SmallVector<HostTensor>>
heddle::interpretOp(Operation *op, ArrayRef<HostTensor> operands,
                    const InterpreterOptions &options) {
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  Evaluator evaluator(options);
  ValueVector values(operands.begin(), operands.end()), results;
  if (failed(evaluator.execute(op, values, results)))
    return failure();
  SmallVector<HostTensor> tensors;
  for (InterpreterValue &result : results) {
    if (!result.tensor)
      return failure();
    tensors.push_back(std::move(result.tensor));
  }
  return tensors;
}

//===--- Threads ----------------------------------------------------------===//

void reference::parallelFor(unsigned threads, int64_t count, int64_t grain,
                            llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t pieces = (count + grain - 1) / grain;
  if (threads <= 1 || pieces <= 1)
    return body(0, count);
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t piece; (piece = next.fetch_add(1)) < pieces;)
      body(piece * grain, std::min(count, (piece + 1) * grain));
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < threads && int64_t(i) < pieces; ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}
