// The import of StableHLO: text, bytecode, portable artifacts, jax.export's
// results. MLIR's parser runs in a child first, whose death is an error like
// any other; what survives it must not bring this process down.

#include "heddle/Frontend/StableHlo.h"

#include "dialects/Chlo/Chlo.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[] = "/tmp/heddle-fuzz-XXXXXX";
  int descriptor = mkstemp(path);
  if (descriptor < 0)
    std::abort();
  bool written = write(descriptor, data, size) == static_cast<ssize_t>(size);
  close(descriptor);
  if (written) {
    mlir::DialectRegistry registry;
    registry.insert<heddle::chlo::ChloDialect>();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    (void)heddle::importStableHlo(&context, path);
  }
  unlink(path);
  return 0;
}
