#include "heddle/Driver/Targets.h"

#include "heddle/Support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace heddle;

bool heddle::runsHere(const Machine &machine) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  llvm::Triple here(llvm::sys::getProcessTriple());
  return llvm::Triple(machine.triple).getArch() == here.getArch() &&
         llvm::all_of(machine.features, [](const std::string &feature) {
           return host.lookup(StringRef(feature).ltrim('+'));
         });
}

/// Extensions ("x86-64-v4+vnni") pay for quantized models only and shut other
/// machines out, so that they are never a default.
static void addNative(llvm::SmallSetVector<const Machine *, 4> &chosen) {
  const Machine *best = nullptr;
  for (const Machine &machine : machines())
    if (!StringRef(machine.name).contains('+') && runsHere(machine))
      best = &machine;
  const Machine *common = findMachine("x86-64-v3");
  if (best && common && best->triple == common->triple &&
      best->vectorBits > common->vectorBits)
    chosen.insert(common);
  if (best)
    chosen.insert(best);
}

std::optional<SmallVector<const Machine *>>
heddle::resolveTargets(ArrayRef<std::string> names,
                       DiagnosticPrinter &diagnostics) {
  llvm::SmallSetVector<const Machine *, 4> chosen;
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
