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

/// Whether an entry has this name.
bool hasEntry(const format::ArtifactReader &artifact, llvm::StringRef name);

/// Prints `artifact`: a summary, or the part called `show` in full; of its
/// entries the one called `entry`, or all if that is empty.
void printArtifact(llvm::raw_ostream &os, llvm::StringRef path,
                   const format::ArtifactReader &artifact, llvm::StringRef show,
                   llvm::StringRef entry = "");

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

/// All of it; of its entries the one called `entry`, or all if that is empty.
llvm::json::Object artifactAsJson(const format::ArtifactReader &artifact,
                                  llvm::StringRef entry = "");

} // namespace heddle

#endif // HEDDLE_DRIVER_ARTIFACTVIEW_H
