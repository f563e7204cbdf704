// The wire reader of ONNX models and tensors.

#include "lib/Frontend/Onnx/Model.h"

using namespace heddle::onnx;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The exact size, so that a read behind the end is seen.
  std::vector<char> bytes(data, data + size);
  llvm::StringRef file(bytes.data(), size);
  Model model;
  (void)readModel(file, model);
  Tensor tensor;
  TensorBytes values;
  if (!readTensorFile(file, tensor) && !tensor.isExternal)
    (void)readTensor(tensor, values);
  return 0;
}
