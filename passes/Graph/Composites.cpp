#include "passes/Graph/Composites.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace heddle {

/// Collects in `slice`, operands before users, what computes `op` from
/// `inputs`.
static LogicalResult collect(Operation *op, const DenseSet<Value> &inputs,
                             llvm::SetVector<Operation *> &slice) {
  if (slice.contains(op))
    return success();
  if (!isMemoryEffectFree(op))
    return failure();
  for (Value operand : op->getOperands()) {
    if (inputs.contains(operand))
      continue;
    Operation *producer = operand.getDefiningOp();
    if (!producer || failed(collect(producer, inputs, slice)))
      return failure();
  }
  slice.insert(op);
  return success();
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
  DenseSet<Value> boundary(inputs.begin(), inputs.end());
  llvm::SetVector<Operation *> slice;
  if (failed(collect(root, boundary, slice)))
    slice.insert(root);
  return fusedLocation(rewriter, slice.getArrayRef());
}

LogicalResult replaceByComposite(PatternRewriter &rewriter, Operation *root,
                                 ValueRange inputs, StringRef name,
                                 ArrayRef<NamedAttribute> attributes) {
  DenseSet<Value> boundary(inputs.begin(), inputs.end());
  llvm::SetVector<Operation *> slice;
  if (failed(collect(root, boundary, slice)))
    return rewriter.notifyMatchFailure(root, "depends on more than the inputs");
  func::FuncOp function =
      decomposition(rewriter, name, slice.getArrayRef(), inputs);
  rewriter.setInsertionPoint(root);
  auto composite = stablehlo::CompositeOp::create(
      rewriter, fusedLocation(rewriter, slice.getArrayRef()),
      root->getResultTypes(), inputs, name,
      rewriter.getDictionaryAttr(attributes), function.getSymName());
  rewriter.replaceOp(root, composite->getResults());
  return success();
}

bool isComposite(Operation *op, StringRef name) {
  auto composite = dyn_cast_or_null<stablehlo::CompositeOp>(op);
  return composite && composite.getName() == name;
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

/// Per dimension of `value`'s shape the dimension of `ancestor` that it
/// repeats, -1 where it is new or has extent 1. `value` must come from
/// `ancestor` by broadcasts and by reshapes that add or drop dimensions of
/// extent 1.
static std::optional<SmallVector<int64_t>> dimensionOrigins(Value value,
                                                            Value ancestor) {
  auto type = cast<RankedTensorType>(value.getType());
  if (value == ancestor)
    return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return std::nullopt;
  auto inner = dimensionOrigins(op->getOperand(0), ancestor);
  if (!inner)
    return std::nullopt;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> origins(type.getRank(), -1);
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    for (auto [index, target] :
         llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (from.getDimSize(index) == type.getDimSize(target))
        origins[target] = (*inner)[index];
    return origins;
  }
  if (isa<stablehlo::ReshapeOp>(op)) {
    int64_t source = 0;
    for (int64_t target = 0; target < type.getRank(); ++target) {
      if (type.getDimSize(target) == 1)
        continue;
      while (source < from.getRank() && from.getDimSize(source) == 1)
        ++source;
      if (source == from.getRank() ||
          from.getDimSize(source) != type.getDimSize(target))
        return std::nullopt;
      origins[target] = (*inner)[source++];
    }
    return origins;
  }
  // Element-wise: one dimension for one.
  return from.getShape() == type.getShape() ? inner : std::nullopt;
}

std::optional<RowReduction>
matchRowReduction(Value value, StringRef bodyOp,
                  function_ref<Value(Value)> through) {
  auto outer = cast<RankedTensorType>(value.getType());
  Value current = value;
  stablehlo::ReduceOp reduce;
  while (!(reduce = current.getDefiningOp<stablehlo::ReduceOp>())) {
    if (current.getDefiningOp<stablehlo::BroadcastInDimOp>() ||
        current.getDefiningOp<stablehlo::ReshapeOp>())
      current = current.getDefiningOp()->getOperand(0);
    else if (!(current = through(current)))
      return std::nullopt;
  }
  Block &body = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || reduce.getDimensions().size() != 1 ||
      body.getOperations().size() != 2 ||
      body.front().getName().getStringRef() != bodyOp)
    return std::nullopt;
  Value input = reduce.getInputs()[0];
  int64_t axis = reduce.getDimensions()[0];
  auto inputType = cast<RankedTensorType>(input.getType());
  if (inputType.getShape() != outer.getShape())
    return std::nullopt;

  // Walk again, now for the dimensions: elements must come back to the row they
  // were reduced from. Element-wise ops on the way keep the shape of their
  // operand.
  Value position = value;
  SmallVector<Value> chain;
  while (position != current) {
    chain.push_back(position);
    Operation *op = position.getDefiningOp();
    position = isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op)
                   ? op->getOperand(0)
                   : through(position);
  }
  std::optional<SmallVector<int64_t>> origins =
      llvm::to_vector(llvm::seq<int64_t>(
          0, cast<RankedTensorType>(current.getType()).getRank()));
  for (Value link : llvm::reverse(chain)) {
    Operation *op = link.getDefiningOp();
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp>(op))
      continue;
    auto step = dimensionOrigins(link, op->getOperand(0));
    if (!step)
      return std::nullopt;
    SmallVector<int64_t> next;
    for (int64_t origin : *step)
      next.push_back(origin < 0 ? -1 : (*origins)[origin]);
    origins = next;
  }
  int64_t kept = 0;
  for (int64_t dimension = 0; dimension < outer.getRank(); ++dimension) {
    int64_t expected = dimension == axis ? -1 : kept++;
    int64_t found = (*origins)[dimension];
    if (found != expected && outer.getDimSize(dimension) != 1)
      return std::nullopt;
  }
  return RowReduction{input, axis, reduce};
}

} // namespace heddle
