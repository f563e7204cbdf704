// Single facts that commands ask of an artifact. Nothing in it is executed.

#ifndef HEDDLE_DRIVER_ARTIFACTQUERIES_H
#define HEDDLE_DRIVER_ARTIFACTQUERIES_H

#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringRef.h"

namespace heddle::format {
class ArtifactReader;
class Error;
} // namespace heddle::format

namespace heddle {

/// The runtime's status values are error codes of the same numbers.
ErrorCode toErrorCode(const format::Error &error);

/// Whether an entry has this name.
bool hasEntry(const format::ArtifactReader &artifact, llvm::StringRef name);

/// The record under `key`, "" if there is none.
llvm::StringRef findRecord(const format::ArtifactReader &artifact,
                           llvm::StringRef key);

/// What one call of an entry costs by the plan of a variant; 0 where the plan
/// does not say.
struct PlanCost {
  int64_t operations = 0, traffic = 0;
};
PlanCost planCost(const format::ArtifactReader &artifact,
                  llvm::StringRef variant, uint32_t entry);

} // namespace heddle

#endif // HEDDLE_DRIVER_ARTIFACTQUERIES_H
