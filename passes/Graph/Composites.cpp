// Makes composites of subgraphs, and answers what the recognizers ask in
// common.

#include "passes/Graph/Composites.h"

#include "passes/Graph/OperandSlice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace heddle {

/// What computes `op` from `inputs`, all of it pure.
static std::optional<llvm::SetVector<Operation *>>
pureSlice(Operation *op, ValueRange inputs) {
  DenseSet<Value> boundary(inputs.begin(), inputs.end());
  return operandSlice(
      op, [](Operation *step) { return isMemoryEffectFree(step); },
      [&](Value value) { return boundary.contains(value); });
}

/// A private function that holds a clone of `slice`, taking `inputs` and
/// returning the result of the last op; one that is there already when an equal
/// one is.
static func::FuncOp decomposition(PatternRewriter &rewriter, StringRef name,
                                  ArrayRef<Operation *> slice,
                                  ValueRange inputs) {
  Operation *root = slice.back();
  auto module = root->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(module.getBody());
  auto type =
      rewriter.getFunctionType(inputs.getTypes(), root->getResultTypes());
  auto function = func::FuncOp::create(rewriter, root->getLoc(), name, type);
  function.setPrivate();
  Block *block = function.addEntryBlock();
  rewriter.setInsertionPointToStart(block);
  IRMapping mapping;
  mapping.map(inputs, block->getArguments());
  for (Operation *op : slice)
    rewriter.clone(*op, mapping);
  func::ReturnOp::create(rewriter, root->getLoc(),
                         mapping.lookup(root->getResult(0)));

  // The name with the lowest number that is free, or that stands for the same
  // function.
  SymbolTable symbols(module);
  for (unsigned number = 0;; ++number) {
    std::string candidate = (name + "_" + Twine(number)).str();
    auto existing = symbols.lookup<func::FuncOp>(candidate);
    if (!existing && !symbols.lookup(candidate)) {
      function.setSymName(candidate);
      return function;
    }
    if (existing && existing.isPrivate() &&
        existing.getFunctionType() == type &&
        OperationEquivalence::isRegionEquivalentTo(
            &existing.getBody(), &function.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      rewriter.eraseOp(function);
      return existing;
    }
  }
}

/// Constants have no node of their own.
static Location fusedLocation(Builder &builder, ArrayRef<Operation *> ops) {
  SmallVector<Location> locations;
  for (Operation *op : ops)
    if (!op->hasTrait<OpTrait::ConstantLike>())
      locations.push_back(op->getLoc());
  return builder.getFusedLoc(locations);
}

Location locationBetween(PatternRewriter &rewriter, Operation *root,
                         ValueRange inputs) {
  if (auto slice = pureSlice(root, inputs))
    return fusedLocation(rewriter, slice->getArrayRef());
  return fusedLocation(rewriter, root);
}

LogicalResult replaceByComposite(PatternRewriter &rewriter, Operation *root,
                                 ValueRange inputs, StringRef name,
                                 ArrayRef<NamedAttribute> attributes) {
  auto slice = pureSlice(root, inputs);
  if (!slice)
    return rewriter.notifyMatchFailure(root, "depends on more than the inputs");
  func::FuncOp function =
      decomposition(rewriter, name, slice->getArrayRef(), inputs);
  rewriter.setInsertionPoint(root);
  auto composite = stablehlo::CompositeOp::create(
      rewriter, fusedLocation(rewriter, slice->getArrayRef()),
      root->getResultTypes(), inputs, name,
      rewriter.getDictionaryAttr(attributes), function.getSymName());
  rewriter.replaceOp(root, composite->getResults());
  return success();
}

std::optional<double> splatValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
            stablehlo::ConvertOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    SplatElementsAttr splat;
    if (!matchPattern(value, m_Constant(&splat)) ||
        !isa<FloatType>(splat.getElementType()))
      return std::nullopt;
    APFloat element = splat.getSplatValue<APFloat>();
    bool losesInformation;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInformation);
    return element.convertToDouble();
  }
  return std::nullopt;
}

} // namespace heddle
