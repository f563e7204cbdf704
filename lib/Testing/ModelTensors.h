// The tensors of a model beside those of its compiled program, which keeps some
// of them as states.

#ifndef HEDDLE_LIB_TESTING_MODELTENSORS_H
#define HEDDLE_LIB_TESTING_MODELTENSORS_H

#include "Comparison.h"

namespace heddle {

/// Which of a program's feeds each input of the model is, and which of its
/// results each output: both are in their order, but for states.
class ModelTensors {
public:
  /// `options` say which of the model's tensors are states; `module` is the
  /// model without any. False after an error, which has been reported.
  bool match(Session &session, const ModelOptions &options,
             mlir::ModuleOp module, const Program &compiled);

  /// Data for the model's inputs, of data for the program's feeds. Of a state
  /// it is what the call has: states have room for its largest sizes.
  Tensors inputs(llvm::ArrayRef<HostTensor> feeds) const {
    return pick(inputList, fed, firstFedState, feeds);
  }
  /// The model's outputs, of the program's and behind them its states.
  Tensors outputs(llvm::ArrayRef<HostTensor> results) const {
    return pick(outputList, kept, firstKeptState, results);
  }
  llvm::ArrayRef<TensorSignature> outputs() const { return outputList; }

private:
  static Tensors pick(llvm::ArrayRef<TensorSignature> signatures,
                      llvm::ArrayRef<size_t> numbers, size_t firstState,
                      llvm::ArrayRef<HostTensor> from);

  llvm::SmallVector<size_t> fed, kept;
  size_t firstFedState = 0, firstKeptState = 0;
  llvm::SmallVector<TensorSignature> inputList, outputList;
};

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_MODELTENSORS_H
