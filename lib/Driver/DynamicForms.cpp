// Operations whose sizes were operands, in the forms that hold them.

#include "lib/Driver/DynamicForms.h"

#include "dialects/StableHlo/StableHlo.h"

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

static Operation *fixGather(DynamicGatherOp op) {
  auto sizes = integersOf(op.getSliceSizes());
  if (!sizes)
    return nullptr;
  OpBuilder builder(op);
  return GatherOp::create(builder, op.getLoc(), op.getType(), op.getOperand(),
                          op.getStartIndices(), op.getDimensionNumbersAttr(),
                          builder.getDenseI64ArrayAttr(*sizes),
                          op.getIndicesAreSortedAttr());
}

bool hasStrideForEach(DynamicConvOp op) {
  std::optional<ArrayRef<int64_t>> strides = op.getWindowStrides();
  return !strides ||
         strides->size() ==
             op.getDimensionNumbers().getInputSpatialDimensions().size();
}

/// dynamic_conv whose padding is known is a convolution: their attributes are
/// the same but for the padding.
static Operation *fixConvolution(DynamicConvOp op) {
  auto padding = integersOf(op.getPadding());
  if (!padding || !hasStrideForEach(op))
    return nullptr;
  OpBuilder builder(op);
  OperationState state(op.getLoc(), ConvolutionOp::getOperationName());
  state.addOperands({op.getLhs(), op.getRhs()});
  state.addTypes(op->getResultTypes());
  state.addAttributes(op->getAttrDictionary().getValue());
  state.addAttribute(
      "padding",
      DenseIntElementsAttr::get(
          RankedTensorType::get({static_cast<int64_t>(padding->size() / 2), 2},
                                builder.getI64Type()),
          *padding));
  return builder.create(state);
}

Operation *fixDynamicForm(Operation *op) {
  Operation *fixed = nullptr;
  if (auto slice = dyn_cast<RealDynamicSliceOp>(op))
    fixed = fixSlice(slice);
  else if (auto gather = dyn_cast<DynamicGatherOp>(op))
    fixed = fixGather(gather);
  else if (auto convolution = dyn_cast<DynamicConvOp>(op))
    fixed = fixConvolution(convolution);
  else if (auto call = dyn_cast<CustomCallOp>(op))
    fixed = fixReduceWindow(call);
  if (!fixed)
    return op;
  op->replaceAllUsesWith(fixed);
  op->erase();
  return fixed;
}

/// The form with known sizes of an operation whose result has a known shape;
/// null if there is none.
static Value fixKnown(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return nullptr;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto list = [&](ArrayRef<int64_t> values) {
    return builder.getDenseI64ArrayAttr(values);
  };
  if (auto size = dyn_cast<GetDimensionSizeOp>(op)) {
    auto operand = cast<RankedTensorType>(size.getOperand().getType());
    if (operand.isDynamicDim(size.getDimension()))
      return nullptr;
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type,
            builder.getIntegerAttr(type.getElementType(),
                                   operand.getDimSize(size.getDimension()))));
  }
  if (auto broadcast = dyn_cast<DynamicBroadcastInDimOp>(op))
    return BroadcastInDimOp::create(builder, loc, type, broadcast.getOperand(),
                                    broadcast.getBroadcastDimensionsAttr());
  if (auto reshape = dyn_cast<DynamicReshapeOp>(op))
    return ReshapeOp::create(builder, loc, type, reshape.getOperand());
  if (auto iota = dyn_cast<DynamicIotaOp>(op))
    return IotaOp::create(builder, loc, type, iota.getIotaDimensionAttr());
  if (auto slice = dyn_cast<RealDynamicSliceOp>(op)) {
    auto start = integersOf(slice.getStartIndices()),
         limit = integersOf(slice.getLimitIndices()),
         stride = integersOf(slice.getStrides());
    if (!start || !limit || !stride)
      return nullptr;
    return SliceOp::create(builder, loc, type, slice.getOperand(), list(*start),
                           list(*limit), list(*stride));
  }
  if (auto pad = dyn_cast<DynamicPadOp>(op)) {
    auto low = integersOf(pad.getEdgePaddingLow()),
         high = integersOf(pad.getEdgePaddingHigh()),
         interior = integersOf(pad.getInteriorPadding());
    if (!low || !high || !interior)
      return nullptr;
    return PadOp::create(builder, loc, type, pad.getOperand(),
                         pad.getPaddingValue(), list(*low), list(*high),
                         list(*interior));
  }
  return nullptr;
}

void fixDynamicForms(ModuleOp module) {
  module.walk([](Operation *op) {
    Value known = op->getNumResults() == 1 ? fixKnown(op) : Value();
    if (!known)
      return;
    op->getResult(0).replaceAllUsesWith(known);
    op->erase();
  });
  // Users come after what they use.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

} // namespace heddle
