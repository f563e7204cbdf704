// An artifact as `inspect` shows it. Nothing in it is executed.

#ifndef HEDDLE_DRIVER_ARTIFACTVIEW_H
#define HEDDLE_DRIVER_ARTIFACTVIEW_H

#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace heddle::format {
class ArtifactReader;
class Error;
} // namespace heddle::format

namespace heddle {

/// The runtime's status values are error codes of the same numbers.
ErrorCode toErrorCode(const format::Error &error);

/// "1..8x128" where a call chooses a size; `least` and `largest` have one
/// number per dimension.
std::string rangeText(llvm::ArrayRef<int64_t> least,
                      llvm::ArrayRef<int64_t> largest);

/// Prints `artifact`: a summary, or the part called `show` in full.
void printArtifact(llvm::raw_ostream &os, llvm::StringRef path,
                   const format::ArtifactReader &artifact,
                   llvm::StringRef show);

/// The record under `key`, "" if there is none.
llvm::StringRef findRecord(const format::ArtifactReader &artifact,
                           llvm::StringRef key);

/// What one call costs by the plan of a variant; 0 where the plan does not say.
struct PlanCost {
  int64_t operations = 0, traffic = 0;
};
PlanCost planCost(const format::ArtifactReader &artifact,
                  llvm::StringRef variant);

/// All of it.
llvm::json::Object artifactAsJson(const format::ArtifactReader &artifact);

} // namespace heddle

#endif // HEDDLE_DRIVER_ARTIFACTVIEW_H
