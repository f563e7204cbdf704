// Looks single facts up in the tables of an artifact.

#include "heddle/Driver/ArtifactQueries.h"

#include "ArtifactTables.h"
#include "PlanCounts.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace llvm;

ErrorCode heddle::toErrorCode(const format::Error &error) {
  // The format's own number is for programs that write artifacts themselves.
  if (error.code() == HEDDLE_FILE_UNWRITABLE)
    return ErrorCode::FileUnwritable;
  return parseErrorName(std::to_string(unsigned(error.code())))
      .value_or(ErrorCode::InternalError);
}

bool heddle::hasEntry(const format::ArtifactReader &artifact, StringRef name) {
  return llvm::any_of(
      items(artifact.manifest().entries()),
      [&](const format::Entry *entry) { return text(entry->name()) == name; });
}

StringRef heddle::findRecord(const format::ArtifactReader &artifact,
                             StringRef key) {
  for (const format::KeyValue *pair : items(artifact.manifest().records()))
    if (text(pair->key()) == key)
      return text(pair->value());
  return {};
}

PlanCost heddle::planCost(const format::ArtifactReader &artifact,
                          StringRef variant, uint32_t entry) {
  const auto *variants = artifact.manifest().variants();
  for (uint32_t i = 0; i < count(variants); ++i)
    if (text(variants->Get(i)->name()) == variant &&
        artifact.skipped(i).empty()) {
      PlanCounts counts =
          countPlan(artifact.manifest(), artifact.plan(i), entry);
      return {counts.operations, counts.traffic};
    }
  return {};
}
