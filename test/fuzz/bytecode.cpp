// Bytecode, portable artifacts and results of jax.export. MLIR's own reader
// does not survive every input, so it runs in a process of its own, whose death
// is an error like any other; what it hands over must not bring this one down.

#include "test/fuzz/StableHloInput.h"

#include "heddle/Frontend/Exported.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef file(reinterpret_cast<const char *>(data), size);
  if (!heddle::fuzz::isBytecode(data, size) && !heddle::looksLikeExported(file))
    return -1;
  heddle::fuzz::importOnce(data, size, /*trial=*/true);
  return 0;
}
