// Arguments that become weights, from the files of --bind.

#include "lib/Frontend/StableHlo/Bindings.h"

#include "dialects/Prec/Prec.h"
#include "heddle/Support/Diagnostics.h"
#include "lib/Frontend/Bindings/ParameterFile.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle {

/// Puts the tensor in place of the argument.
static LogicalResult bindArgument(BlockArgument argument, StringRef name,
                                  const BoundParameter &bound) {
  Location loc = argument.getLoc();
  Type element = getElementTypeOrSelf(argument.getType());
  if (failed(bound.check(loc, element)))
    return failure();
  RankedTensorType type = bound.typeFor(element);
  if (type != argument.getType()) {
    auto wanted = dyn_cast<RankedTensorType>(argument.getType());
    return emitError(loc, ErrorCode::StableHloBind)
           << "argument '" << name << "' has type " << argument.getType()
           << ", the tensor for it in " << bound.file() << " " << type
           << (wanted ? bound.hint(name, wanted.getShape()) : "");
  }
  loc.getContext()->loadDialect<prec::PrecDialect>();
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location weightLoc = NameLoc::get(builder.getStringAttr(name),
                                    UnknownLoc::get(loc.getContext()));
  argument.replaceAllUsesWith(bound.value(builder, weightLoc, name, element));
  return success();
}

LogicalResult bindArguments(func::FuncOp function,
                            ArrayRef<ArgumentBinding> bindings) {
  std::vector<std::string> names;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, "heddle.name");
    names.push_back(name ? name.str() : "");
  }
  llvm::BitVector bound(names.size());
  auto bindOne = [&](unsigned i, const BoundParameter &parameter) {
    bound.set(i);
    return bindArgument(function.getArgument(i), names[i], parameter);
  };
  if (failed(bindInputs(function.getLoc(), names, bindings, bindOne)))
    return failure();
  return function.eraseArguments(bound);
}

} // namespace heddle
