// What the arguments and results of an entry are to its caller.

#ifndef HEDDLE_PASSES_PLAN_ENTRYTENSORS_H
#define HEDDLE_PASSES_PLAN_ENTRYTENSORS_H

#include "dialects/Size/Expression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace heddle {

/// The state that an argument is read from, or that keeps a result; null for
/// one that the caller gives or takes.
mlir::StringAttr stateOfArgument(mlir::func::FuncOp entry, unsigned argument);
mlir::StringAttr stateOfResult(mlir::func::FuncOp entry, unsigned result);

/// The device that such a state, or the caller's tensor, lies on; null for the
/// cpu.
mlir::StringAttr placeOfArgument(mlir::func::FuncOp entry, unsigned argument);
mlir::StringAttr placeOfResult(mlir::func::FuncOp entry, unsigned result);

/// For each argument its number among the inputs that the caller gives; none
/// for states, and for sizes that the call chooses.
llvm::SmallVector<std::optional<unsigned>>
inputNumbers(mlir::func::FuncOp entry);

/// For each result its number among the outputs that the caller takes; none for
/// states.
llvm::SmallVector<std::optional<unsigned>>
outputNumbers(mlir::func::FuncOp entry);

/// The extents that callers see of an argument or result with these attributes
/// that is declared to be of `type`.
llvm::SmallVector<size::Expression>
shapeForCallers(mlir::DictionaryAttr attributes, mlir::RankedTensorType type);

/// A state, with the type of the tensor that it holds, in the program and as
/// callers see it, and the device that it lies on, null for the cpu.
struct EntryState {
  mlir::StringAttr name;
  mlir::Type type;
  mlir::Type declared;
  mlir::StringAttr place;
};

/// The states of all `entries`, each once, numbered as they come.
llvm::SmallVector<EntryState>
statesOf(llvm::ArrayRef<mlir::func::FuncOp> entries);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_ENTRYTENSORS_H
