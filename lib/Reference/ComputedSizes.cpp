// Programs that compute sizes: each size is found by the part of the program
// before it, and then the program of those sizes is run.

#include "ComputedSizes.h"

#include "dialects/StableHlo/InferExtents.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;
using heddle::stablehlo::SetDimensionSizeOp;

/// The operations that set sizes which have names, in order.
static SmallVector<SetDimensionSizeOp> cutsOf(func::FuncOp function) {
  SmallVector<SetDimensionSizeOp> cuts;
  if (function.getBody().hasOneBlock())
    for (auto op : function.front().getOps<SetDimensionSizeOp>())
      if (size::hasExtents(op.getType()))
        cuts.push_back(op);
  return cuts;
}

bool heddle::computesSizes(func::FuncOp function) {
  return !cutsOf(function).empty();
}

/// Makes the function return what `cut` gets for a size.
static void endBefore(func::FuncOp function, SetDimensionSizeOp cut) {
  OpBuilder builder(cut);
  Value count = cut.getSize();
  auto end = func::ReturnOp::create(builder, cut.getLoc(), count);
  Block &block = function.front();
  while (&block.back() != end)
    block.back().erase();
  function->removeAttr(function.getResAttrsAttrName());
  function.setType(FunctionType::get(
      function.getContext(), block.getArgumentTypes(), count.getType()));
}

/// What only the operations that were erased called may have other sizes.
static void dropUnused(ModuleOp module, func::FuncOp kept) {
  bool changed = true;
  while (std::exchange(changed, false))
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function != kept && function.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
        changed = true;
      }
}

FailureOr<SmallVector<HostTensor>>
heddle::interpretComputingSizes(func::FuncOp function,
                                ArrayRef<HostTensor> arguments,
                                const InterpreterOptions &options) {
  auto module = function->getParentOfType<ModuleOp>();
  llvm::StringMap<int64_t> sizes;
  auto sizeOf = [&](StringRef name) -> std::optional<int64_t> {
    auto known = sizes.find(name);
    return known == sizes.end() ? std::nullopt : std::optional(known->second);
  };
  for (size_t i = 0, count = cutsOf(function).size(); i <= count; ++i) {
    OwningOpRef<ModuleOp> copy = module.clone();
    auto part = copy->lookupSymbol<func::FuncOp>(function.getName());
    size::Expression set;
    if (i < count) {
      SetDimensionSizeOp cut = cutsOf(part)[i];
      set = size::extentOf(cut.getType(), cut.getDimension());
      endBefore(part, cut);
      dropUnused(*copy, part);
    }
    if (failed(fixSizes(*copy, sizeOf)))
      return failure();
    // What is looked at is the program, not the parts before its sizes.
    InterpreterOptions own = options;
    if (i < count)
      own.onResults = nullptr;
    FailureOr<SmallVector<HostTensor>> results =
        interpret(part, arguments, own);
    if (failed(results) || i == count)
      return results;
    SmallVector<StringRef> names = set.symbols();
    if (names.size() != 1)
      return heddle::emitError(function.getLoc(), ErrorCode::NotInterpretable)
             << "a size that is computed has no name";
    sizes[names.front()] = results->front().intAt(0);
  }
  llvm_unreachable("the last part is the program");
}
