// Collects the names of the model's nodes from a location.

#include "passes/Plan/NodeNames.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

void heddle::collectNodeNames(Location location,
                              llvm::SetVector<StringAttr> &names) {
  if (auto name = dyn_cast<NameLoc>(location)) {
    names.insert(name.getName());
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectNodeNames(part, names);
    return;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectNodeNames(call.getCallee(), names);
    collectNodeNames(call.getCaller(), names);
  }
}
