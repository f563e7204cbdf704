// Whether a file can be parsed at all, found out where it does no harm.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H

#include "mlir/IR/Dialect.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <string>

namespace heddle {

/// Parses `source` in a child process with limited memory and time. Empty if
/// the child came to an end by itself, even with an error: parsing again then
/// shows the same. Otherwise what killed it.
std::string trialParse(const mlir::DialectRegistry &registry,
                       llvm::MemoryBufferRef source);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
