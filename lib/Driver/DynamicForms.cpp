// Operations whose sizes were operands, in the forms that hold them.

#include "lib/Driver/DynamicForms.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Graph/KnownSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

std::optional<SmallVector<int64_t>> integersOf(Value value) {
  DenseIntElementsAttr dense;
  if (!matchPattern(value, m_Constant(&dense)))
    return std::nullopt;
  return llvm::map_to_vector(dense.getValues<APInt>(), [](const APInt &each) {
    return each.getSExtValue();
  });
}

bool isSizeOperand(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  Operation *op = operand.getOwner();
  if (isa<DynamicIotaOp>(op))
    return true;
  if (isa<DynamicBroadcastInDimOp, DynamicReshapeOp, RealDynamicSliceOp>(op))
    return number > 0;
  // Behind the indices, both sides, or the padding's value.
  if (isa<DynamicGatherOp, DynamicConvOp, DynamicPadOp>(op))
    return number > 1;
  return false;
}

/// `limit` = start + sizes and strides of 1: the sizes are known although the
/// start is not.
static Operation *fixSlice(RealDynamicSliceOp op) {
  auto limit = op.getLimitIndices().getDefiningOp<AddOp>();
  auto strides = integersOf(op.getStrides());
  Value start = op.getStartIndices();
  if (!limit || !strides || !llvm::all_equal(*strides) ||
      (!strides->empty() && strides->front() != 1))
    return nullptr;
  Value other = limit.getLhs() == start   ? limit.getRhs()
                : limit.getRhs() == start ? limit.getLhs()
                                          : Value();
  auto sizes = other ? integersOf(other) : std::nullopt;
  if (!sizes)
    return nullptr;
  OpBuilder builder(op);
  Type element = cast<RankedTensorType>(start.getType()).getElementType();
  SmallVector<Value> starts;
  for (int64_t i = 0, e = sizes->size(); i < e; ++i) {
    Value one = SliceOp::create(
        builder, op.getLoc(), RankedTensorType::get({1}, element), start,
        builder.getDenseI64ArrayAttr(i), builder.getDenseI64ArrayAttr(i + 1),
        builder.getDenseI64ArrayAttr(1));
    starts.push_back(ReshapeOp::create(
        builder, op.getLoc(), RankedTensorType::get({}, element), one));
  }
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  return DynamicSliceOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(*sizes, operand.getElementType()), op.getOperand(),
      starts, builder.getDenseI64ArrayAttr(*sizes));
}

/// A dimension cut to a known size is a slice.
static Operation *fixSize(SetDimensionSizeOp op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  auto size = integersOf(op.getSize());
  int64_t dimension = op.getDimension();
  if (!size || size->size() != 1 || !operand.hasStaticShape() ||
      size->front() < 0 || size->front() > operand.getDimSize(dimension))
    return nullptr;
  SmallVector<int64_t> starts(operand.getRank(), 0);
  SmallVector<int64_t> limits(operand.getShape());
  SmallVector<int64_t> strides(operand.getRank(), 1);
  limits[dimension] = size->front();
  OpBuilder builder(op);
  return SliceOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(limits, operand.getElementType()), op.getOperand(),
      starts, limits, strides);
}

/// `custom_call @stablehlo.dynamic_reduce_window(inputs, initial values,
/// window, strides, dilations of the base and of the window, padding)`.
static Operation *fixReduceWindow(CustomCallOp op) {
  if (op.getCallTargetName() != "stablehlo.dynamic_reduce_window" ||
      op.getNumOperands() < 7 || op.getNumOperands() % 2 == 0 ||
      !op.getCalledComputationsAttr() ||
      op.getCalledComputationsAttr().size() != 1)
    return nullptr;
  auto body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, cast<FlatSymbolRefAttr>(op.getCalledComputationsAttr()[0]));
  SmallVector<SmallVector<int64_t>> sizes;
  for (Value operand : op.getOperands().take_back(5)) {
    auto values = integersOf(operand);
    if (!values)
      return nullptr;
    sizes.push_back(std::move(*values));
  }
  size_t rank = sizes[0].size();
  if (!body || !body.getBody().hasOneBlock() || sizes[1].size() != rank ||
      sizes[2].size() != rank || sizes[3].size() != rank ||
      sizes[4].size() != 2 * rank)
    return nullptr;
  OpBuilder builder(op);
  OperationState state(op.getLoc(), ReduceWindowOp::getOperationName());
  state.addOperands(op.getOperands().drop_back(5));
  state.addTypes(op.getResultTypes());
  static constexpr llvm::StringLiteral names[] = {
      "window_dimensions", "window_strides", "base_dilations",
      "window_dilations"};
  for (auto [i, name] : llvm::enumerate(names))
    state.addAttribute(name, builder.getDenseI64ArrayAttr(sizes[i]));
  state.addAttribute("padding",
                     DenseIntElementsAttr::get(
                         RankedTensorType::get({static_cast<int64_t>(rank), 2},
                                               builder.getI64Type()),
                         sizes[4]));
  Region *region = state.addRegion();
  IRMapping mapping;
  body.getBody().cloneInto(region, mapping);
  Operation *terminator = region->front().getTerminator();
  OpBuilder inside(terminator);
  ReturnOp::create(inside, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  return builder.create(state);
}

Operation *fixDynamicForm(Operation *op) {
  Operation *fixed = nullptr;
  if (auto slice = dyn_cast<RealDynamicSliceOp>(op))
    fixed = fixSlice(slice);
  else if (auto set = dyn_cast<SetDimensionSizeOp>(op))
    fixed = fixSize(set);
  else if (auto call = dyn_cast<CustomCallOp>(op))
    fixed = fixReduceWindow(call);
  OpBuilder builder(op);
  if (isa<DynamicGatherOp, DynamicConvOp>(op))
    fixed = createKnownForm(builder, op);
  if (!fixed)
    return op;
  op->replaceAllUsesWith(fixed);
  op->erase();
  return fixed;
}

/// A dimension's size where it is known; null elsewhere.
static Operation *sizeOf(OpBuilder &builder, GetDimensionSizeOp op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  if (operand.isDynamicDim(op.getDimension()))
    return nullptr;
  auto type = cast<RankedTensorType>(op.getType());
  return ConstantOp::create(
      builder, op.getLoc(),
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(),
                                       operand.getDimSize(op.getDimension()))));
}

void fixDynamicForms(ModuleOp module) {
  module.walk([](Operation *op) {
    OpBuilder builder(op);
    if (llvm::is_contained(chlo::broadcastingOperations(),
                           op->getName().getStringRef())) {
      Value expanded = chlo::expandBroadcasting(builder, op, op->getOperands(),
                                                /*always=*/true);
      if (expanded) {
        op->getResult(0).replaceAllUsesWith(expanded);
        op->erase();
      }
      return;
    }
    auto size = dyn_cast<GetDimensionSizeOp>(op);
    Operation *known =
        size ? sizeOf(builder, size) : createKnownForm(builder, op);
    if (!known)
      return;
    op->replaceAllUsesWith(known);
    op->erase();
  });
  // Users come after what they use.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace heddle
