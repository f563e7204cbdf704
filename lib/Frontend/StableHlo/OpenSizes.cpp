#include "lib/Frontend/StableHlo/OpenSizes.h"

#include "heddle/Frontend/DimensionExpression.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace heddle {

StringRef nameIn(Location loc) {
  auto named = loc->findInstanceOf<NameLoc>();
  return named ? named.getName().getValue() : StringRef();
}

void takeInnerNames(func::FuncOp entry) {
  entry.walk([&](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    for (auto [operand, inner] :
         llvm::zip(call.getOperands(), callee.getArguments()))
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && nameIn(argument.getLoc()).empty())
        argument.setLoc(inner.getLoc());
  });
}

/// The shape that the options give an argument; none if they say nothing of it.
static FailureOr<std::optional<SmallVector<int64_t>>>
givenShape(func::FuncOp entry, unsigned i, const ExportedProgram *exported,
           const StableHloImportOptions &options) {
  using Shape = std::optional<SmallVector<int64_t>>;
  BlockArgument argument = entry.getArgument(i);
  auto name = entry.getArgAttrOfType<StringAttr>(i, "heddle.name");
  for (std::string key :
       {(name ? name.getValue() : nameIn(argument.getLoc())).str(),
        "arg" + std::to_string(i), std::to_string(i)})
    if (auto found = options.shapes.find(key); found != options.shapes.end())
      return Shape(llvm::to_vector(found->second));
  if (!exported || i >= exported->shapes.size() || options.dims.empty())
    return Shape();
  llvm::StringMap<int64_t> symbols;
  for (const auto &[symbol, value] : options.dims)
    symbols[symbol] = value;
  SmallVector<int64_t> shape;
  for (const std::string &dimension : exported->shapes[i]) {
    llvm::Expected<int64_t> size = evaluateDimension(dimension, symbols);
    if (!size)
      return emitError(argument.getLoc(), ErrorCode::OnnxShapeOption)
             << "argument " << i << " of shape ("
             << llvm::join(exported->shapes[i], ", ")
             << "): " << llvm::toString(size.takeError());
    shape.push_back(*size);
  }
  return Shape(std::move(shape));
}

/// What must be done about an argument of unknown size.
static InFlightDiagnostic emitOpen(BlockArgument argument,
                                   const ExportedProgram *exported) {
  unsigned i = argument.getArgNumber();
  if (exported && i < exported->shapes.size())
    return emitError(argument.getLoc(), ErrorCode::ExportedUnsupported)
           << "argument " << i << " has the symbolic shape ("
           << llvm::join(exported->shapes[i], ", ")
           << "); sizes must be known when compiling: fix each symbol by --dim "
              "NAME=NUMBER";
  return emitError(argument.getLoc(), ErrorCode::StableHloDynamicShape)
         << "argument " << i << " has type " << argument.getType()
         << "; a tensor of known size is wanted: fix it by --shape";
}

LogicalResult fixShapes(func::FuncOp entry, const ExportedProgram *exported,
                        const StableHloImportOptions &options) {
  SmallVector<Type> types = llvm::to_vector(entry.getArgumentTypes());
  bool changed = false;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.hasStaticShape())
      continue;
    auto shape = givenShape(entry, i, exported, options);
    if (failed(shape))
      return failure();
    // Bounded sizes are known when running.
    if (!*shape && !exported)
      continue;
    if (!*shape || !options.refine)
      return emitOpen(entry.getArgument(i), exported);
    bool fits = (*shape)->size() == static_cast<size_t>(tensor.getRank());
    for (size_t d = 0; fits && d < (*shape)->size(); ++d)
      fits &= (**shape)[d] >= 0 &&
              (tensor.isDynamicDim(d) || tensor.getDimSize(d) == (**shape)[d]);
    if (!fits)
      return emitError(entry.getArgument(i).getLoc(),
                       ErrorCode::OnnxShapeOption)
             << "argument " << i << " of type " << tensor
             << " cannot have the given shape";
    type = RankedTensorType::get(**shape, tensor.getElementType());
    changed = true;
  }
  return changed ? options.refine(entry, types) : success();
}

} // namespace heddle
