// A tensor file in memory, for readers that take a mapped one.

#ifndef HEDDLE_TEST_FUZZ_TENSORINPUT_H
#define HEDDLE_TEST_FUZZ_TENSORINPUT_H

#include "heddle/Support/TensorFile.h"

#include "mlir/IR/MLIRContext.h"

namespace heddle::fuzz {

/// One context for all inputs: types are few.
inline mlir::MLIRContext *context() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return &context;
}

inline std::shared_ptr<MappedFile> fileOf(const uint8_t *data, size_t size) {
  return MappedFile::fromBytes(std::vector<char>(data, data + size), "input");
}

/// What a small file may make of itself.
constexpr TensorFileLimits kLimits{uint64_t(64) << 20};

/// Reads every byte of the tensors.
inline void touch(llvm::ArrayRef<NamedTensor> tensors) {
  unsigned sum = 0;
  for (const NamedTensor &named : tensors)
    for (char byte : named.tensor.bytes())
      sum += static_cast<unsigned char>(byte);
  static volatile unsigned sink;
  sink = sum;
  (void)sink;
}

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_TENSORINPUT_H
