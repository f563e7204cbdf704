// A placement as it was asked for, understood.

#ifndef HEDDLE_PASSES_PLAN_RESOLVEDPLACEMENT_H
#define HEDDLE_PASSES_PLAN_RESOLVEDPLACEMENT_H

#include "dialects/Plan/DeviceNames.h"
#include "heddle/Target/Placement.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

namespace heddle {

struct ResolvedPlacement {
  enum class Spread { Parts, First, Alternate, Random };
  struct Rule {
    std::string text;
    llvm::GlobPattern pattern;
    unsigned device;
  };

  /// In the order of their names on the command line.
  llvm::SmallVector<plan::DeviceName> devices;
  std::vector<Rule> rules;
  Spread spread = Spread::First;
  uint64_t seed = 0;
};

/// An error is one sentence about what was asked for.
llvm::Expected<ResolvedPlacement> resolvePlacement(const Placement &placement);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_RESOLVEDPLACEMENT_H
