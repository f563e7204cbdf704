// Whether a file can be parsed at all, found out where it does no harm.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H

#include "mlir/IR/Dialect.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle {

/// How a trial ended.
struct Trial {
  /// What killed the child, or why the bytecode was refused; empty if there is
  /// something to parse.
  std::string problem;
  /// Whether the child died, and did not refuse.
  bool died = false;
  /// For bytecode, what the child read, written anew: the reader believes what
  /// it reads, so that bytes it survived once need not be survived again. Null
  /// for text, which can be parsed again.
  std::unique_ptr<llvm::MemoryBuffer> rewritten = nullptr;
};

/// Parses `source` in a child process with limited memory and time.
Trial trialParse(const mlir::DialectRegistry &registry,
                 llvm::MemoryBufferRef source);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
