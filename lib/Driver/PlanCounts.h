// What the commands of a variant's plan are, counted and by line.

#ifndef HEDDLE_LIB_DRIVER_PLANCOUNTS_H
#define HEDDLE_LIB_DRIVER_PLANCOUNTS_H

#include "heddle/Driver/ArtifactDescription.h"
#include "runtime/format/Layout.h"

#include <map>

namespace heddle {

struct PlanCounts {
  struct PerKernel {
    unsigned launches = 0;
    int64_t operations = 0, traffic = 0;
    /// Of the manifest's table, that its launches compute; each once, in order.
    std::vector<uint32_t> nodes;
  };
  std::map<uint32_t, PerKernel> kernels;
  unsigned launches = 0, copies = 0, fills = 0, branches = 0, loops = 0,
           collectives = 0;
  int64_t operations = 0, traffic = 0, arenaBytes = 0, persistentBytes = 0;
};

/// Counts the programs of all entries, or of the one that is given.
PlanCounts countPlan(const format::Manifest &manifest, const format::Plan &plan,
                     std::optional<uint32_t> entry = {});

/// The commands of the programs of all entries or, if `entryName` is not empty,
/// of the one of that name.
std::vector<ProgramDescription> listPlan(const format::Manifest &manifest,
                                         const format::Variant &variant,
                                         const format::Plan &plan,
                                         llvm::StringRef entryName);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_PLANCOUNTS_H
