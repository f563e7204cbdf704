// A caller names public functions; what is private is of the module alone.

#include "dialects/Kernel/EntryFunctions.h"

#include "dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace heddle;

SmallVector<func::FuncOp> kernel::entryFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        !function->hasAttr(kEntryAttrName))
      entries.push_back(function);
  return entries;
}
