// The reader of .npy files.

#include "test/fuzz/TensorInput.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<HostTensor> tensor =
      readNpy(fuzz::context(), fuzz::fileOf(data, size), fuzz::kLimits);
  if (tensor)
    fuzz::touch(NamedTensor{"", std::move(*tensor)});
  else
    llvm::consumeError(tensor.takeError());
  return 0;
}
