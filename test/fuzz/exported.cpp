// The reader of results of jax.export.

#include "heddle/Frontend/Exported.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  static mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  // Maps of files start at pages, so the alignment is that of the allocator.
  std::vector<char> bytes(data, data + size);
  llvm::StringRef file(bytes.data(), size);
  if (heddle::looksLikeExported(file))
    (void)heddle::readExported(mlir::UnknownLoc::get(&context), file);
  return 0;
}
