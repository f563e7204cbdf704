// Bytecode, portable artifacts and results of jax.export. MLIR's own reader
// does not survive every input, so it runs in a process of its own, whose death
// is an error like any other; what it hands over must not bring this one down.

#include "test/fuzz/StableHloInput.h"

#include "heddle/Frontend/Exported.h"

#include <csignal>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

/// In the reader's process: its death is no finding, so none is written down.
static void forgetFuzzer() {
  __sanitizer_set_death_callback(nullptr);
  for (int number : {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV})
    std::signal(number, SIG_DFL);
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  return pthread_atfork(nullptr, nullptr, forgetFuzzer);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef file(reinterpret_cast<const char *>(data), size);
  if (!heddle::fuzz::isBytecode(data, size) && !heddle::looksLikeExported(file))
    return -1;
  heddle::fuzz::importOnce(data, size, /*trial=*/true);
  return 0;
}
