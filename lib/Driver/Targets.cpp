// The targets that a command line names, and this machine's own.

#include "heddle/Driver/Targets.h"

#include "heddle/Support/Suggestion.h"
#include "heddle/Target/CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace heddle;

/// Whether artifacts' name `architecture` is that of this process.
static bool isArchitectureHere(StringRef architecture) {
  llvm::Triple here(llvm::sys::getProcessTriple());
  return llvm::any_of(machines(), [&](const Machine &machine) {
    return machine.architecture == architecture &&
           llvm::Triple(machine.triple).getArch() == here.getArch();
  });
}

bool heddle::runsHere(const LoaderNeeds &needs) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return needs.device == targetKindName(TargetKind::Cpu) &&
         isArchitectureHere(needs.architecture) &&
         llvm::all_of(needs.features, [](const std::string &feature) {
           return host.lookup(feature);
         });
}

static void addNative(llvm::SmallSetVector<const Machine *, 4> &chosen) {
  const Machine *best = nullptr;
  for (const Machine &machine : machines())
    if (runsHere(CpuTarget(machine).loaderNeeds()))
      best = &machine;
  if (!best)
    return;
  for (const Machine &machine : machines())
    if (machine.isCommon && machine.architecture == best->architecture &&
        &machine < best)
      chosen.insert(&machine);
  chosen.insert(best);
}

std::optional<SmallVector<const Machine *>>
heddle::resolveTargets(ArrayRef<std::string> names,
                       DiagnosticPrinter &diagnostics) {
  llvm::SmallSetVector<const Machine *, 4> chosen;
  if (names.empty())
    addNative(chosen);
  for (const std::string &name : names) {
    if (name == "native") {
      addNative(chosen);
      continue;
    }
    const Machine *machine = findMachine(name);
    if (!machine) {
      std::vector<std::string> known = {"native"};
      for (const Machine &other : machines())
        known.push_back(other.name);
      diagnostics.report(ErrorCode::UnknownTarget, "there is no target \"" +
                                                       name + "\"" +
                                                       suggest(name, known));
      return std::nullopt;
    }
    chosen.insert(machine);
  }
  if (chosen.empty()) {
    diagnostics.report(ErrorCode::TargetIllegal,
                       "this processor is older than any target");
    return std::nullopt;
  }
  SmallVector<const Machine *> list = chosen.takeVector();
  llvm::sort(list);
  return list;
}
