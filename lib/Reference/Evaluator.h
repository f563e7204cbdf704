// The interpreter from inside: what the function of an operation works with.

#ifndef HEDDLE_LIB_REFERENCE_EVALUATOR_H
#define HEDDLE_LIB_REFERENCE_EVALUATOR_H

#include "Strided.h"
#include "heddle/Reference/Interpreter.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>

namespace heddle::reference {

using Complex = std::complex<double>;
using ValueVector = llvm::SmallVector<InterpreterValue, 4>;

class ProcessGrid;

class Evaluator {
public:
  Evaluator(const InterpreterOptions &options);
  /// For a process of a grid that `parent` started, or a thread beside it;
  /// bytes count together.
  Evaluator(const InterpreterOptions &options, const Evaluator &parent,
            ProcessGrid &grid, int64_t replica, int64_t partition);
  ~Evaluator();

  /// The processes that this one runs among: itself alone, unless
  /// `interpreter.run_parallel` started it.
  ProcessGrid &grid() { return *processes; }
  int64_t replica() const { return replicaNumber; }
  int64_t partition() const { return partitionNumber; }
  /// Takes over the values that the frame of another evaluator holds.
  void copyFrame(const Evaluator &other);

  llvm::LogicalResult call(mlir::func::FuncOp function,
                           llvm::ArrayRef<InterpreterValue> arguments,
                           ValueVector &results);
  /// Runs the block of an operation that is isolated from above.
  llvm::LogicalResult callBlock(mlir::Block &block,
                                llvm::ArrayRef<InterpreterValue> arguments,
                                ValueVector &results);
  /// Runs a region's block in the frame of the current function: values defined
  /// outside stay visible.
  llvm::LogicalResult runBlock(mlir::Block &block,
                               llvm::ArrayRef<InterpreterValue> arguments,
                               ValueVector &yielded);
  llvm::LogicalResult execute(mlir::Operation *op,
                              llvm::ArrayRef<InterpreterValue> operands,
                              ValueVector &results);

  /// A zeroed tensor, if the limits allow it.
  llvm::FailureOr<HostTensor> allocate(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> shape,
                                       mlir::Type element);
  /// What elements of this type are evaluated in: f32 may be f64.
  mlir::Type evaluatedType(mlir::Type element) const;
  ElementKind evaluatedKind(mlir::Type element) const {
    return *elementKind(evaluatedType(element));
  }
  /// The value of a constant, handles viewed where they lie.
  llvm::FailureOr<HostTensor> constant(mlir::Operation *op,
                                       mlir::ElementsAttr attribute);
  /// The tensor with another element type: f32 as f64 and back, where one of
  /// them comes from the program itself.
  llvm::FailureOr<HostTensor> as(mlir::Operation *op, const HostTensor &tensor,
                                 mlir::Type element);
  /// What a value of the current frame holds; null if it holds nothing.
  const InterpreterValue *lookup(mlir::Value value) const {
    auto found = frame->find(value);
    return found == frame->end() ? nullptr : &found->second;
  }
  template <typename OpTy>
  OpTy lookupSymbol(mlir::Operation *from, mlir::FlatSymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<OpTy>(from, name);
  }
  /// Counts `count` operations against the limit.
  llvm::LogicalResult countOperations(mlir::Operation *op, uint64_t count = 1);

  const InterpreterOptions &options;

private:
  using Frame = llvm::DenseMap<mlir::Value, InterpreterValue>;
  /// Per operation of a block, in order: the values of the block that nothing
  /// needs after it.
  using LastUses = std::vector<llvm::SmallVector<mlir::Value, 2>>;
  const LastUses &lastUses(mlir::Block &block);
  llvm::LogicalResult
  executeQuantized(mlir::Operation *op,
                   llvm::ArrayRef<InterpreterValue> operands,
                   ValueVector &results);

  std::unique_ptr<ProcessGrid> ownProcesses;
  ProcessGrid *processes;
  int64_t replicaNumber = 0, partitionNumber = 0;
  /// The frame of what runs outside of any function.
  Frame ownFrame;
  Frame *frame = &ownFrame;
  /// Set while an operation runs on the expressed values of quantized ones.
  bool expressQuantized = false;
  unsigned depth = 0;
  uint64_t operations = 0;
  std::shared_ptr<std::atomic<uint64_t>> liveBytes;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<LastUses>> lastUsesOfBlock;
  mlir::SymbolTableCollection symbols;
};

/// One execution of an operation.
struct Invocation {
  Evaluator &evaluator;
  mlir::Operation *op;
  llvm::ArrayRef<InterpreterValue> operands;
  ValueVector &results;

  const HostTensor &tensor(unsigned i) const { return operands[i].tensor; }
  mlir::InFlightDiagnostic
  error(ErrorCode code = ErrorCode::ProgramFault) const {
    return heddle::emitError(op->getLoc(), code)
           << "'" << op->getName().getStringRef() << "' ";
  }
  /// Element type of result `i` as it is evaluated.
  mlir::Type resultElement(unsigned i = 0) const {
    return evaluator.evaluatedType(
        mlir::getElementTypeOrSelf(op->getResult(i).getType()));
  }
  /// A result of the given shape.
  llvm::FailureOr<HostTensor> allocate(llvm::ArrayRef<int64_t> shape,
                                       unsigned result = 0) const {
    return evaluator.allocate(op, shape, resultElement(result));
  }
  /// Fails where the result's type knows a dimension that is not so.
  llvm::LogicalResult give(HostTensor tensor);
};

/// The functions of operations by name.
class Registry {
public:
  using Function = llvm::LogicalResult (*)(Invocation &);

  template <typename OpTy, llvm::LogicalResult (*F)(Invocation &, OpTy)>
  void add() {
    functions[OpTy::getOperationName()] = [](Invocation &call) {
      return F(call, mlir::cast<OpTy>(call.op));
    };
  }
  void add(llvm::StringRef name, Function function) {
    functions[name] = function;
  }
  Function find(llvm::StringRef name) const { return functions.lookup(name); }

  static const Registry &get();

private:
  llvm::StringMap<Function> functions;
};

/// Each group of operations adds its functions.
void addShapeOperations(Registry &registry);
void addDynamicOperations(Registry &registry);
void addReductions(Registry &registry);
void addContractions(Registry &registry);
void addConvolutions(Registry &registry);
void addIndexing(Registry &registry);
void addSorting(Registry &registry);
void addControlFlow(Registry &registry);
void addFactorizations(Registry &registry);
void addFourier(Registry &registry);
void addRandom(Registry &registry);
void addNormalization(Registry &registry);
void addDistribution(Registry &registry);
void addTransfers(Registry &registry);
void addRagged(Registry &registry);
void addQuantization(Registry &registry);
void addPrecision(Registry &registry);
void addStructured(Registry &registry);
void addKernelOperations(Registry &registry);
void addKernelContractions(Registry &registry);

// What StableHLO and the kernel dialect share.

/// Calls a function (Control.cpp).
llvm::LogicalResult callFunction(Invocation &call, mlir::FlatSymbolRefAttr name,
                                 llvm::ArrayRef<InterpreterValue> operands);
/// The custom calls that the compiler knows, by their own meaning; nothing if
/// `target` is none of them (CustomCalls.cpp).
std::optional<llvm::LogicalResult> applyKnownCustomCall(Invocation &call,
                                                        llvm::StringRef target);
/// concatenate (Shape.cpp).
llvm::LogicalResult applyConcatenate(Invocation &call, int64_t dimension);
/// dynamic_update_slice of operand, update and starts (GatherScatter.cpp).
llvm::LogicalResult applyDynamicUpdateSlice(Invocation &call);
/// The operands sorted along a dimension by a comparator; that as an operation;
/// and top_k (Sort.cpp).
llvm::FailureOr<llvm::SmallVector<HostTensor>>
sortTensors(Invocation &call, int64_t dimension, mlir::Block &comparator);
llvm::LogicalResult applySort(Invocation &call, int64_t dimension,
                              mlir::Block &comparator);
llvm::LogicalResult applyTopK(Invocation &call, int64_t k);

/// Where scatter's updates go.
struct ScatterDimensions {
  llvm::ArrayRef<int64_t> updateWindow, insertedWindow, inputBatching,
      indicesBatching, indexToOperand;
  int64_t indexVector;
};
/// scatter of targets, indices and updates (GatherScatter.cpp).
llvm::LogicalResult applyScatter(Invocation &call,
                                 const ScatterDimensions &numbers,
                                 mlir::Block &combine);

/// The meaning of `pad` (Shape.cpp).
llvm::FailureOr<HostTensor>
padTensor(Evaluator &evaluator, mlir::Operation *op, const HostTensor &operand,
          const HostTensor &value, llvm::ArrayRef<int64_t> low,
          llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior);

/// Applies an element-wise operation (Elementwise.cpp).
llvm::LogicalResult applyElementwise(Invocation &call);

/// Calls `body(begin, end)` on parts of [0, count), on several threads where a
/// part is worth one. The parts are multiples of `grain` but the last.
void parallelFor(unsigned threads, int64_t count, int64_t grain,
                 llvm::function_ref<void(int64_t, int64_t)> body);

} // namespace heddle::reference

#endif // HEDDLE_LIB_REFERENCE_EVALUATOR_H
