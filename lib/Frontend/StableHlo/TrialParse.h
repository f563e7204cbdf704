// Whether a file can be parsed at all, found out where it does no harm.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H

#include "heddle/Frontend/TrialKeeper.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle {

/// How a trial ended.
struct Trial {
  /// What to parse: the text as it was tried, or what was read of the bytecode,
  /// written anew. The reader believes what it reads, so that bytes which it
  /// survived once need not be survived again. Null after an error.
  std::unique_ptr<llvm::MemoryBuffer> file = nullptr;
  ErrorCode code = ErrorCode::StableHloParse;
  /// Why there is nothing to parse.
  std::string problem = "";
};

/// Parses `bytes`, those of a file of this name, in heddle-parse, with limited
/// memory and time. The process comes from `keeper`, and goes back there.
Trial trialParse(llvm::StringRef bytes, llvm::StringRef name,
                 TrialKeeper &keeper);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPARSE_H
