// A call of the compiled program, and the same by the reference.

#ifndef HEDDLE_LIB_TESTING_COMPAREDCALL_H
#define HEDDLE_LIB_TESTING_COMPAREDCALL_H

#include "ModelTensors.h"

#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// A call of the compiled program.
struct ProgramCall {
  /// Data for its inputs and states, and what it left in outputs and states.
  Tensors feeds, results;
  /// Data for its inputs alone.
  Tensors inputs;
  /// A line for each tensor that nobody gave.
  std::vector<std::string> madeUp;

  /// Calls `program` with the sizes that it is set to; false after an error,
  /// which has been reported.
  bool run(Session &session, const CompareCommand &command, Program &program);
};

/// The model run by the reference on the data of one call, and how far the
/// program's results are from that.
class ReferenceCall {
public:
  /// `states` say which of the model's tensors are states.
  ReferenceCall(Session &session, const CompareCommand &command,
                const ModelOptions &states,
                const CustomCallLibraries &customCalls)
      : session(session), command(command), states(states),
        customCalls(customCalls) {}

  /// `model` is the model if its sizes are fixed; if it is null, the model is
  /// imported for the sizes of the call. False after an error, which has been
  /// reported.
  bool run(const Program &program, const ProgramCall &call,
           mlir::OwningOpRef<mlir::ModuleOp> model = nullptr);

  Subject subject() const {
    return {session, command, module.get(), inputs, outputs(), customCalls};
  }
  llvm::ArrayRef<TensorSignature> outputs() const { return tensors.outputs(); }
  llvm::ArrayRef<HostTensor> expected() const { return expectedOutputs; }
  llvm::ArrayRef<Comparison> comparisons() const { return list; }

private:
  Session &session;
  const CompareCommand &command;
  const ModelOptions &states;
  const CustomCallLibraries &customCalls;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModelTensors tensors;
  Tensors inputs, expectedOutputs;
  std::vector<Comparison> list;
};

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_COMPAREDCALL_H
