// ONNX's test data: files of one TensorProto each.

#ifndef HEDDLE_FRONTEND_ONNXTENSORS_H
#define HEDDLE_FRONTEND_ONNXTENSORS_H

#include "heddle/Support/TensorFile.h"

namespace heddle {

/// Reads a file that holds one TensorProto (`input_0.pb`), viewing it where it
/// can. The name is the tensor's own, which may be empty. The data must be in
/// the file itself.
llvm::Expected<NamedTensor> readOnnxTensor(mlir::MLIRContext *context,
                                           llvm::StringRef path);

/// Which half of a test data set.
enum class OnnxTestData { Inputs, Outputs };

/// Reads `input_0.pb`, `input_1.pb`, … (or `output_…`) of a `test_data_set_N`
/// folder, in order, as many as there are.
llvm::Expected<std::vector<NamedTensor>>
readOnnxTestData(mlir::MLIRContext *context, llvm::StringRef folder,
                 OnnxTestData which);

} // namespace heddle

#endif // HEDDLE_FRONTEND_ONNXTENSORS_H
