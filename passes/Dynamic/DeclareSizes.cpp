// Says at an entry which sizes its callers choose.

#include "passes/Dynamic/DeclareSizes.h"

#include "dialects/Size/Expression.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Dynamic/BoundedSizes.h"

using namespace mlir;

namespace heddle {

/// A call tells a symbol's value by the shape of an input.
static bool isSizeOfInput(func::FuncOp entry, StringRef symbol) {
  auto wanted = size::Expression::symbol(entry.getContext(), symbol);
  return llvm::any_of(entry.getArgumentTypes(), [&](Type type) {
    return size::hasExtents(type) &&
           llvm::is_contained(size::extentsOf(cast<RankedTensorType>(type)),
                              wanted);
  });
}

LogicalResult declareSizes(func::FuncOp entry) {
  BoundedSizes sizes(entry->getParentOfType<ModuleOp>());
  for (const BoundedSymbol &symbol : sizes.symbols())
    if (!isSizeOfInput(entry, symbol.name))
      return emitError(entry.getLoc(), ErrorCode::OnnxShapeOption)
             << "'" << symbol.name
             << "' is the size of no input: nothing would tell its value";
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
