// The process in which files are tried: found, started once and kept.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H

#include "lib/Frontend/StableHlo/TrialProtocol.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// Hands the question to heddle-parse, which is started if none is idle, and
/// waits for its answer. An error says why there is none.
llvm::Expected<TrialAnswer> askTrialProcess(const TrialQuestion &question,
                                            int source, int output);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H
