// A caller names public functions; what is private is of the module alone. Some
// arguments are no caller's: they hold sizes.

#include "dialects/Kernel/EntryFunctions.h"

#include "dialects/Kernel/Kernel.h"
#include "heddle/Support/EntrySizes.h"

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

Value kernel::createSize(OpBuilder &builder, Location loc, func::FuncOp entry,
                         size::Expression size,
                         llvm::function_ref<Value(BlockArgument)> valueOf) {
  SmallVector<Value> symbols;
  for (StringRef name : size.symbols()) {
    // Behind the function's own arguments may stand others, while it is made
    // another.
    auto own = entry.getArguments().take_front(entry.getNumArguments());
    auto *holder = llvm::find_if(own, [&](BlockArgument argument) {
      auto held = entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                     kExtentAttrName);
      return held && held.getValue() == name;
    });
    if (holder == own.end())
      return {};
    symbols.push_back(valueOf(*holder));
  }
  return SizeOp::create(builder, loc, builder.getIndexType(), size.attribute(),
                        symbols);
}
