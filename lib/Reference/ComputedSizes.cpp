// Programs that compute sizes: each size is found by the part of the program
// before it, and then the program of those sizes is run.

#include "ComputedSizes.h"

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/InferExtents.h"
#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;

/// What the function returns for sizes that it computes, in order: each
/// follows from those before.
static SmallVector<std::pair<unsigned, StringRef>>
countsOf(func::FuncOp function) {
  SmallVector<std::pair<unsigned, StringRef>> counts;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto name =
            function.getResultAttrOfType<StringAttr>(i, kExtentAttrName))
      counts.push_back({i, name.getValue()});
  return counts;
}

bool heddle::computesSizes(func::FuncOp function) {
  return function.getBody().hasOneBlock() && !countsOf(function).empty() &&
         function
             .walk([](Operation *op) {
               return size::isSized(op) ? WalkResult::interrupt()
                                        : WalkResult::advance();
             })
             .wasInterrupted();
}

/// Makes the function return one of its results, and compute nothing else.
static void returnOnly(func::FuncOp function, unsigned result) {
  Block &block = function.front();
  Operation *end = block.getTerminator();
  end->setOperands(end->getOperand(result));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (&op != end && op.use_empty())
      op.erase();
  function->removeAttr(function.getResAttrsAttrName());
  function.setType(FunctionType::get(
      function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
}

/// Fails, after an error, if the range that the module declares for a size does
/// not hold what the program computes for it.
static LogicalResult checkCount(func::FuncOp function, StringRef name,
                                int64_t count) {
  auto symbols =
      function->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
          kSymbolsAttrName);
  for (Attribute each : symbols ? symbols.getValue() : ArrayRef<Attribute>()) {
    auto symbol = cast<DictionaryAttr>(each);
    int64_t minimum = symbol.getAs<IntegerAttr>("minimum").getInt();
    int64_t maximum = symbol.getAs<IntegerAttr>("maximum").getInt();
    if (symbol.getAs<StringAttr>("name") == name &&
        (count < minimum || count > maximum))
      return heddle::emitError(function.getLoc(), ErrorCode::WrongTensor)
             << "the program computes " << count << " for a size: '" << name
             << "' must be from " << minimum << " to " << maximum;
  }
  return success();
}

LogicalResult heddle::checkCounts(func::FuncOp function,
                                  ArrayRef<HostTensor> results) {
  for (auto [number, name] : countsOf(function))
    if (failed(checkCount(function, name, results[number].intAt(0))))
      return failure();
  return success();
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
  SmallVector<std::pair<unsigned, StringRef>> counts = countsOf(function);
  for (size_t i = 0; i <= counts.size(); ++i) {
    OwningOpRef<ModuleOp> copy = module.clone();
    auto part = copy->lookupSymbol<func::FuncOp>(function.getName());
    if (i < counts.size()) {
      returnOnly(part, counts[i].first);
      dropUnused(*copy, part);
    }
    if (failed(fixSizes(*copy, sizeOf)))
      return failure();
    // What is looked at is the program, not the parts before its sizes.
    InterpreterOptions own = options;
    if (i < counts.size())
      own.onResults = nullptr;
    FailureOr<SmallVector<HostTensor>> results =
        interpret(part, arguments, own);
    if (failed(results) || i == counts.size())
      return results;
    StringRef name = counts[i].second;
    int64_t value = results->front().intAt(0);
    if (failed(checkCount(function, name, value)))
      return failure();
    sizes[name] = value;
  }
  llvm_unreachable("the last part is the program");
}
