// A program of open sizes, walked once from its arguments on: what follows each
// operation has the types that its operands say. Known sizes go by the rules of
// dialects/Chlo/ResultShapes.h, those that calls choose by those of extents
// (lib/Frontend/StableHlo/SizedTypes.h).

#include "heddle/Frontend/RefineShapes.h"

#include "lib/Frontend/StableHlo/RefineShapes.h"
#include "lib/Frontend/StableHlo/ShapeRefiner.h"

#include "heddle/Support/Diagnostics.h"
#include "heddle/Support/EntrySizes.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace heddle {

static bool isOpen(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.hasStaticShape();
}

/// Removes what only sizes were computed from.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDead(inner);
  }
}

/// What the program computes for sizes follows its own results.
static void addCounts(func::FuncOp entry,
                      ArrayRef<ImportedSizes::Computed> computed) {
  if (computed.empty())
    return;
  SmallVector<DictionaryAttr> attributes;
  entry.getAllResultAttrs(attributes);
  entry.removeResAttrsAttr();
  Builder builder(entry.getContext());
  Operation *end = entry.front().getTerminator();
  attributes.resize(end->getNumOperands(), builder.getDictionaryAttr({}));
  for (const ImportedSizes::Computed &each : computed) {
    end->insertOperands(end->getNumOperands(), each.count);
    Attribute name = builder.getStringAttr(each.name);
    attributes.push_back(
        builder.getDictionaryAttr({builder.getNamedAttr(kExtentAttrName, name),
                                   builder.getNamedAttr("heddle.name", name)}));
  }
  entry.setType(FunctionType::get(entry.getContext(),
                                  entry.front().getArgumentTypes(),
                                  end->getOperandTypes()));
  entry.setAllResultAttrs(attributes);
}

LogicalResult refineShapes(func::FuncOp entry, TypeRange argumentTypes,
                           ImportedSizes &sizes) {
  if (!entry.getBody().hasOneBlock())
    return success();
  Block &block = entry.getBody().front();
  for (auto [argument, type] : llvm::zip(block.getArguments(), argumentTypes))
    argument.setType(type);
  bool anySized =
      sizes.mayCompute || llvm::any_of(argumentTypes, size::hasExtents);
  ShapeRefiner refiner(sizes, anySized);
  if (failed(refiner.refine(block)))
    return failure();
  refiner.replaceNumbers();
  addCounts(entry, sizes.computed());
  if (anySized)
    eraseDead(block);
  entry.setType(FunctionType::get(entry.getContext(), argumentTypes,
                                  block.getTerminator()->getOperandTypes()));
  // Their argument types may fit no call any more.
  for (auto function : llvm::make_early_inc_range(
           entry->getParentOfType<ModuleOp>().getOps<func::FuncOp>()))
    if (function != entry && function.isPrivate() &&
        SymbolTable::symbolKnownUseEmpty(function,
                                         entry->getParentOfType<ModuleOp>()))
      function.erase();
  return success();
}

LogicalResult refineShapes(func::FuncOp entry, TypeRange argumentTypes) {
  size::Ranges ranges;
  ImportedSizes sizes(ranges);
  return refineShapes(entry, argumentTypes, sizes);
}

FailureOr<func::FuncOp> closeOpenSizes(func::FuncOp entry) {
  auto module = entry->getParentOfType<ModuleOp>();
  bool anyOpen = module
                     .walk([](Operation *op) {
                       return llvm::any_of(op->getResultTypes(), isOpen)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
  if (!anyOpen || llvm::any_of(entry.getArgumentTypes(), isOpen))
    return entry;
  // Of sizes that stay open the program is left as it is.
  OwningOpRef<ModuleOp> copy = module.clone();
  std::optional<std::pair<Location, std::string>> complaint;
  {
    ScopedDiagnosticHandler listen(entry.getContext(), [&](Diagnostic &error) {
      if (!complaint)
        complaint.emplace(error.getLocation(), error.str());
      return success();
    });
    std::string name = entry.getName().str();
    auto function = copy->lookupSymbol<func::FuncOp>(name);
    SmallVector<Type> types(entry.getArgumentTypes());
    if (succeeded(refineShapes(function, types))) {
      complaint.reset();
      if (succeeded(verify(*copy)) || !complaint) {
        module.getBodyRegion().takeBody(copy->getBodyRegion());
        return module.lookupSymbol<func::FuncOp>(name);
      }
    } else if (!complaint || takeErrorCode(complaint->second) !=
                                 ErrorCode::StableHloInvalid) {
      // They are looked at where they are compiled.
      return entry;
    }
  }
  return emitError(complaint->first, ErrorCode::StableHloInvalid)
         << complaint->second << ", with the sizes that are open in its type";
}

} // namespace heddle
