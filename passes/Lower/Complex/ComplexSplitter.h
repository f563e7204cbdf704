// Rewrites ops on complex tensors as ops on their real and imaginary parts.

#ifndef HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXSPLITTER_H
#define HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXSPLITTER_H

#include "passes/Lower/Complex/ComplexFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// Whether `type` is a tensor of complex numbers.
bool isComplexTensor(mlir::Type type);
/// The type of each part of a complex tensor; other types as they are.
mlir::Type complexPartType(mlir::Type type);
/// A complex tensor as it lies in memory: the parts in turn, as a real tensor
/// with one more dimension of 2.
mlir::RankedTensorType interleavedType(mlir::Type type);

/// Splits one function. An op that cannot be split is reported and the rest
/// goes on, so that the user gets the whole list at once.
class ComplexSplitter {
public:
  explicit ComplexSplitter(mlir::ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  /// Splits an entry: its complex arguments and results become interleaved
  /// tensors.
  mlir::LogicalResult run(mlir::func::FuncOp entry);

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Operation = mlir::Operation;

  // Values.
  ComplexParts parts(Value value);
  llvm::SmallVector<Value> expanded(ValueRange values);
  ComplexParts deinterleave(mlir::Location loc, Value view);
  Value interleave(mlir::Location loc, ComplexParts value);
  void defineResults(Operation *op, ValueRange flat);
  void retire(Operation *op) { dead.push_back(op); }

  // Functions and regions.
  void splitArguments(mlir::func::FuncOp entry);
  void splitResults(mlir::func::FuncOp entry);
  void expandArguments(mlir::Block &block);
  void expandComparator(mlir::Block &block);
  void splitBlock(mlir::Block &block, bool isEntry = false);
  void splitRegions(Operation *op);
  void split(Operation *op);
  void refuse(Operation *op, const llvm::Twine &reason);

  // The groups of ops; each is true if `op` is one of its group.
  bool splitPartly(Operation *op);
  bool splitStructured(Operation *op);
  bool splitSource(Operation *op);
  bool splitCheap(Operation *op);
  bool splitFunction(Operation *op);
  bool splitProduct(Operation *op);
  void splitShortDot(Operation *op);
  bool splitRoutine(Operation *op);
  void viewCall(Operation *op);

  Operation *clonePart(Operation *op, unsigned part);
  Operation *cloneExpanded(Operation *op);
  Value compareParts(mlir::Operation *op);

  /// A formula over the parts of an op's operands, in order: on tensors, or as
  /// the decomposition of a composite `heddle.<name>`, of which a kernel
  /// computes all results together.
  using Formula =
      llvm::function_ref<llvm::SmallVector<Value>(RealBuilder &, ValueRange)>;
  llvm::SmallVector<Value> emit(Operation *op, llvm::StringRef name,
                                llvm::ArrayRef<Value> operands,
                                Formula formula);
  /// The same for a function of complex numbers, computed in f64.
  using Function = llvm::function_ref<ComplexParts(
      ComplexMath &, llvm::ArrayRef<ComplexParts>)>;
  void defineFunction(Operation *op, Function function);
  void defineProduct(Operation *op, Function function);
  using RealFunction =
      llvm::function_ref<Value(ComplexMath &, llvm::ArrayRef<ComplexParts>)>;
  Value emitReal(Operation *op, llvm::StringRef name, RealFunction function);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  llvm::DenseMap<Value, ComplexParts> table;
  /// What parts were taken from.
  llvm::DenseMap<std::pair<Value, Value>, Value> wholes;
  llvm::StringMap<mlir::func::FuncOp> decompositions;
  llvm::SmallVector<Operation *> dead;
  llvm::SmallVector<mlir::BlockArgument> retired;
  bool failed = false;
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXSPLITTER_H
