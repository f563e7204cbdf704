// Says at an entry which sizes its callers choose.

#include "passes/Dynamic/DeclareSizes.h"

#include "dialects/Size/Expression.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/BoundedSizes.h"

using namespace mlir;

namespace heddle {

LogicalResult declareSizes(func::FuncOp entry) {
  BoundedSizes sizes(entry->getParentOfType<ModuleOp>());
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
    if (size::hasExtents(type))
      entry.setArgAttr(i, kShapeAttrName,
                       cast<RankedTensorType>(type).getEncoding());
  for (auto [i, type] : llvm::enumerate(entry.getResultTypes()))
    if (size::hasExtents(type))
      entry.setResultAttr(i, kShapeAttrName,
                          cast<RankedTensorType>(type).getEncoding());
  Builder builder(entry.getContext());
  auto type = RankedTensorType::get({}, builder.getI32Type());
  for (const BoundedSymbol &symbol : sizes.symbols()) {
    if (symbol.isComputed)
      continue;
    NamedAttribute name = builder.getNamedAttr(
        kExtentAttrName, builder.getStringAttr(symbol.name));
    if (failed(entry.insertArgument(entry.getNumArguments(), type,
                                    builder.getDictionaryAttr({name}),
                                    entry.getLoc())))
      return failure();
  }
  return success();
}

} // namespace heddle
