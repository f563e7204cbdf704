// Numbers inside of kernels, taken out so that layers which differ by them
// alone share a kernel.

#ifndef HEDDLE_PASSES_DISPATCH_SCALARSLOTS_H
#define HEDDLE_PASSES_DISPATCH_SCALARSLOTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle {

/// The numbers that the payloads of a kernel function compute with. While they
/// are out, each use reads an argument of its own behind the tensors, so that
/// the function's text says nothing of the numbers, nor of which are equal.
class ScalarSlots {
public:
  using Values = llvm::SmallVector<mlir::TypedAttr>;

  /// Takes the numbers out of `function`, which has no argument attributes yet.
  explicit ScalarSlots(mlir::func::FuncOp function);
  ScalarSlots(const ScalarSlots &) = delete;
  /// Numbers that were not put back go.
  ~ScalarSlots();

  /// The number of each slot.
  const Values &values() const { return numbers; }

  /// Of launches that pass `rows` (one value per slot each), makes arguments of
  /// the slots in which they differ, one for those that always agree, and puts
  /// the other numbers back where they were. Gives what each launch passes.
  std::vector<Values> close(llvm::ArrayRef<Values> rows);

private:
  /// A constant that stands nowhere while the numbers are out.
  struct Removed {
    mlir::arith::ConstantOp constant;
    mlir::Block *block;
    mlir::Operation *next;
  };
  void setArguments();

  mlir::func::FuncOp function;
  unsigned numInputs;
  llvm::SmallVector<mlir::OpOperand *> uses;
  llvm::SmallVector<mlir::arith::ConstantOp> constants;
  llvm::SmallVector<Removed> removed;
  Values numbers;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_SCALARSLOTS_H
