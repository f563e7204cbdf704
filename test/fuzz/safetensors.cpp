// The reader of .safetensors files.

#include "test/fuzz/TensorInput.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<std::vector<NamedTensor>> tensors =
      readSafetensors(fuzz::context(), fuzz::fileOf(data, size));
  if (tensors)
    fuzz::touch(*tensors);
  else
    llvm::consumeError(tensors.takeError());
  return 0;
}
