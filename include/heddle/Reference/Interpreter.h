// The reference interpreter: what each operation means, in plain C++.
//
// It folds constants, backs `heddle compare`, and is the oracle of tests. All
// stages of the compiler that are still on tensors can be interpreted.

#ifndef HEDDLE_REFERENCE_INTERPRETER_H
#define HEDDLE_REFERENCE_INTERPRETER_H

#include "heddle/Support/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <memory>
#include <vector>

namespace heddle {

struct PendingResults;

/// What an SSA value holds: a tensor, a tuple of values, a future, or a token
/// (none of these).
struct InterpreterValue {
  InterpreterValue() = default;
  InterpreterValue(HostTensor tensor) : tensor(std::move(tensor)) {}

  HostTensor tensor;
  std::shared_ptr<const std::vector<InterpreterValue>> tuple;
  std::shared_ptr<PendingResults> future;
};

struct InterpreterOptions {
  /// Evaluates every f32 (and complex<f32>) value in f64: the reference that
  /// errors of f32 programs are measured against. Results then are f64.
  bool evaluateInF64 = false;
  /// Bytes that all live tensors may take; a program that asks for more ends in
  /// an error before they are spent.
  uint64_t memoryLimitBytes = uint64_t(16) << 30;
  /// Operations that may be executed, iterations of loops included; 0: no
  /// limit.
  uint64_t operationLimit = 0;
  /// Threads for contractions and element-wise work; results do not depend on
  /// it.
  unsigned threads = 2;
  /// Called with the tensor results of every operation, in order of execution;
  /// not inside the scalar regions of reductions and the like.
  std::function<void(mlir::Operation *, llvm::ArrayRef<HostTensor>)> onResults;
  /// Called for `check.*` custom calls before anything else is tried: true if
  /// it took the call (and filled the results). Processes of one program call
  /// it from threads of their own.
  std::function<bool(mlir::Operation *, llvm::ArrayRef<InterpreterValue>,
                     llvm::SmallVectorImpl<InterpreterValue> &)>
      onCustomCall;
};

/// Runs a function. Arguments must have the parameters' types (an unknown
/// dimension may have any size). What goes wrong is reported at the location of
/// the operation.
llvm::FailureOr<llvm::SmallVector<HostTensor>>
interpret(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments,
          const InterpreterOptions &options = {});

/// Runs a single operation; for folding. Emits nothing where it fails, as with
/// a region that needs values from outside.
llvm::FailureOr<llvm::SmallVector<HostTensor>>
interpretOp(mlir::Operation *op, llvm::ArrayRef<HostTensor> operands,
            const InterpreterOptions &options = {});

/// The value of an operation of one result whose operands are the given
/// constants, in order; fails where it has a region, an effect, an operand or
/// result beyond 1 MiB (the packer's business), or is not interpretable.
llvm::FailureOr<mlir::ElementsAttr>
foldOp(mlir::Operation *op, llvm::ArrayRef<mlir::ElementsAttr> operands);

/// Whether the interpreter knows the operation.
bool isInterpretable(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_REFERENCE_INTERPRETER_H
