// The import of StableHLO, from a file as the import wants one.

#ifndef HEDDLE_TEST_FUZZ_STABLEHLOINPUT_H
#define HEDDLE_TEST_FUZZ_STABLEHLOINPUT_H

#include "heddle/Frontend/StableHlo.h"

#include "dialects/Chlo/Chlo.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace heddle::fuzz {

inline bool isBytecode(const uint8_t *data, size_t size) {
  return size >= 4 &&
         llvm::StringRef(reinterpret_cast<const char *>(data), 4) == "ML\xefR";
}

/// With `trial`, MLIR's parser runs in a process of its own first, as it does
/// for users.
inline void importOnce(const uint8_t *data, size_t size, bool trial) {
  char path[] = "/tmp/heddle-fuzz-XXXXXX";
  int descriptor = mkstemp(path);
  if (descriptor < 0)
    std::abort();
  bool written = write(descriptor, data, size) == static_cast<ssize_t>(size);
  close(descriptor);
  if (written) {
    mlir::DialectRegistry registry;
    registry.insert<chlo::ChloDialect>();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    StableHloImportOptions options;
    options.trial = trial;
    (void)importStableHlo(&context, path, options);
  }
  unlink(path);
}

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_STABLEHLOINPUT_H
