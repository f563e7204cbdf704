// Arguments that become weights, from the files of --bind.

#include "lib/Frontend/StableHlo/Bindings.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"
#include "lib/Frontend/Bindings/ParameterFile.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace heddle {

/// Puts the tensor in place of the argument.
static LogicalResult bindArgument(BlockArgument argument, StringRef name,
                                  const NamedTensor &named,
                                  const ParameterFile &parameters) {
  Location loc = argument.getLoc();
  if (named.tensor.type() != argument.getType())
    return emitError(loc, ErrorCode::StableHloBind)
           << "argument '" << name << "' has type " << argument.getType()
           << ", the tensor for it in '" << parameters.path() << "' "
           << named.tensor.type();
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Location constantLoc = NameLoc::get(builder.getStringAttr(name),
                                      UnknownLoc::get(loc.getContext()));
  Value constant = stablehlo::ConstantOp::create(
      builder, constantLoc, parameters.elements(named, name));
  argument.replaceAllUsesWith(constant);
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
  auto bindOne = [&](unsigned i, const NamedTensor &named,
                     const ParameterFile &parameters) -> LogicalResult {
    bound.set(i);
    return bindArgument(function.getArgument(i), names[i], named, parameters);
  };
  if (failed(bindInputs(function.getLoc(), names, bindings, bindOne)))
    return failure();
  return function.eraseArguments(bound);
}

} // namespace heddle
