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

  /// Data for the model's inputs, of data for the program's feeds.
  Tensors inputs(llvm::ArrayRef<HostTensor> feeds) const {
    return pick(fed, feeds);
  }
  /// The model's outputs, of the program's and behind them its states.
  Tensors outputs(llvm::ArrayRef<HostTensor> results) const {
    return pick(kept, results);
  }
  llvm::ArrayRef<TensorSignature> outputs() const { return outputList; }

private:
  static Tensors pick(llvm::ArrayRef<size_t> numbers,
                      llvm::ArrayRef<HostTensor> from) {
    return llvm::map_to_vector(numbers, [&](size_t i) { return from[i]; });
  }

  llvm::SmallVector<size_t> fed, kept;
  llvm::SmallVector<TensorSignature> outputList;
};

} // namespace heddle

#endif // HEDDLE_LIB_TESTING_MODELTENSORS_H
