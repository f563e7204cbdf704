// The process in which files are tried: found, started, asked.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H

#include "heddle/Frontend/TrialKeeper.h"
#include "lib/Frontend/StableHlo/TrialProtocol.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// Hands the question to heddle-parse, which is started if `keeper` has none,
/// and waits for its answer. An error says why there is none.
llvm::Expected<TrialAnswer> askTrialProcess(TrialKeeper &keeper,
                                            const TrialQuestion &question,
                                            int source, int output);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_TRIALPROCESS_H
