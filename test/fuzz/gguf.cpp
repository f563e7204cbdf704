// The reader of GGUF files.

#include "test/fuzz/TensorInput.h"

#include "heddle/Support/GgufFile.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::shared_ptr<MappedFile> file = fuzz::fileOf(data, size);
  llvm::Expected<std::vector<GgufTensor>> tensors = readGguf(*file);
  if (!tensors) {
    llvm::consumeError(tensors.takeError());
    return 0;
  }
  // Every byte that a tensor is said to have.
  unsigned sum = 0;
  for (const GgufTensor &tensor : *tensors)
    for (char byte : file->bytes().slice(tensor.offset, tensor.bytes))
      sum += static_cast<unsigned char>(byte);
  static volatile unsigned sink;
  sink = sum;
  (void)sink;
  return 0;
}
