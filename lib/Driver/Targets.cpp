// The targets that a command line names, and this machine's own.

#include "heddle/Driver/Targets.h"

#include "dialects/Plan/DeviceNames.h"
#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace heddle;

using Targets = std::vector<std::shared_ptr<const Target>>;

bool heddle::runsHere(const LoaderNeeds &needs) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return llvm::is_contained(needs.devices, plan::kCpu) &&
         needs.architecture == architectureOf(llvm::sys::getProcessTriple()) &&
         llvm::all_of(needs.features, [](const std::string &feature) {
           return host.lookup(feature);
         });
}

/// The best of `known` that runs here, and the common ones of its architecture
/// that come before.
static void addNative(const Targets &known, Targets &chosen) {
  Targets able;
  llvm::copy_if(known, std::back_inserter(able), [](const auto &target) {
    return runsHere(target->loaderNeeds());
  });
  for (const std::shared_ptr<const Target> &target : able)
    if (target->isCommon() || target == able.back())
      chosen.push_back(target);
}

std::optional<Targets> heddle::resolveTargets(ArrayRef<std::string> names,
                                              DiagnosticPrinter &diagnostics) {
  Targets known = targets(), chosen;
  if (names.empty())
    addNative(known, chosen);
  for (const std::string &name : names) {
    if (name == "native") {
      addNative(known, chosen);
      continue;
    }
    std::shared_ptr<const Target> target = findTarget(name);
    if (!target) {
      std::vector<std::string> all = {"native"};
      for (const std::shared_ptr<const Target> &other : known) {
        all.push_back(other->name().str());
        llvm::append_range(all, other->aliases());
      }
      diagnostics.report(ErrorCode::UnknownTarget, "there is no target \"" +
                                                       name + "\"" +
                                                       suggest(name, all));
      return std::nullopt;
    }
    chosen.push_back(target);
  }
  if (chosen.empty()) {
    diagnostics.report(ErrorCode::TargetIllegal,
                       "this processor is older than any target");
    return std::nullopt;
  }
  // Each once, in the order of the table.
  llvm::erase_if(known, [&](const std::shared_ptr<const Target> &target) {
    return !llvm::is_contained(chosen, target);
  });
  return known;
}
