// Operations whose sizes were operands, in the forms that hold them.

#include "heddle/Frontend/DynamicForms.h"

#include "dialects/Chlo/Broadcasting.h"
#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/KnownForms.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// On a custom call: the numbers of the operands that hold its results' shapes.
constexpr llvm::StringLiteral kShapeOperandsAttrName =
    "indices_of_shape_operands";

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

/// A call like `op` of these operands, which are its first.
static CustomCallOp createLike(CustomCallOp op, StringRef target,
                               TypeRange types, ValueRange operands) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(kShapeOperandsAttrName);
  attributes.set(op.getCallTargetNameAttrName(),
                 StringAttr::get(op.getContext(), target));
  if (auto layouts = op.getOperandLayouts())
    attributes.set(
        op.getOperandLayoutsAttrName(),
        ArrayAttr::get(op.getContext(),
                       layouts->getValue().take_front(operands.size())));
  OpBuilder builder(op);
  return CustomCallOp::create(builder, op.getLoc(), types, operands,
                              attributes.getAttrs());
}

/// A call that is told its results' shapes: the last operands are these, one
/// for each result.
static Operation *fixResultShapes(CustomCallOp op) {
  auto numbers =
      op->getAttrOfType<DenseIntElementsAttr>(kShapeOperandsAttrName);
  unsigned count = op->getNumResults();
  if (!numbers || numbers.getNumElements() != count ||
      count > op->getNumOperands())
    return nullptr;
  unsigned first = op->getNumOperands() - count;
  SmallVector<Type> types;
  for (auto [i, number, result] :
       llvm::enumerate(numbers.getValues<APInt>(), op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || number != first + i)
      return nullptr;
    SmallVector<int64_t> shape(type.getShape());
    if (!type.hasStaticShape()) {
      auto sizes = integersOf(op->getOperand(first + i));
      if (!sizes || sizes->size() != shape.size())
        return nullptr;
      for (auto [known, size] : llvm::zip(shape, *sizes)) {
        if (size < 0 || (ShapedType::isStatic(known) && known != size))
          return nullptr;
        known = size;
      }
    }
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  return createLike(op, op.getCallTargetName(), types,
                    op.getInputs().take_front(first));
}

/// `custom_call @stablehlo.dynamic_top_k(x, k)`, and `@mhlo.topk(x)` with the
/// size k of its results, whose others are open.
static Operation *fixTopK(CustomCallOp op) {
  bool isDynamic = op.getCallTargetName() == "stablehlo.dynamic_top_k";
  auto options = op->getAttrOfType<DictionaryAttr>("mhlo.attributes");
  auto largest = options ? options.getAs<BoolAttr>("largest") : BoolAttr();
  if ((!isDynamic && op.getCallTargetName() != "mhlo.topk") ||
      op.getNumOperands() != 1u + isDynamic || op->getNumResults() != 2 ||
      (largest && !largest.getValue()))
    return nullptr;
  auto from = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !from.hasStaticShape() || from.getRank() == 0 || !to ||
      to.getRank() != from.getRank() || (!isDynamic && to.hasStaticShape()))
    return nullptr;
  auto count =
      isDynamic
          ? integersOf(op.getOperand(1))
          : std::optional(SmallVector<int64_t>(to.getShape().take_back()));
  if (!count || count->size() != 1 || count->front() < 0 ||
      count->front() > from.getShape().back())
    return nullptr;
  SmallVector<int64_t> shape(from.getShape());
  shape.back() = count->front();
  OpBuilder builder(op);
  op.getContext()->getOrLoadDialect<chlo::ChloDialect>();
  return chlo::TopKOp::create(
      builder, op.getLoc(), from.clone(shape),
      from.clone(shape, getElementTypeOrSelf(op->getResult(1))),
      op.getOperand(0), count->front());
}

/// `custom_call @stablehlo.dynamic_approx_top_k(keys, others..., initial key,
/// initial others..., k)`: the results' sizes say k, too.
static Operation *fixApproximateTopK(CustomCallOp op) {
  unsigned count = op->getNumResults();
  if (op.getCallTargetName() != "stablehlo.dynamic_approx_top_k" ||
      op.getNumOperands() != 2 * count + 1 ||
      op->hasAttr(kShapeOperandsAttrName))
    return nullptr;
  return createLike(op, "ApproxTopK", op->getResultTypes(),
                    op.getInputs().take_front(2 * count));
}

/// `custom_call @stablehlo.dynamic_rng_bit_generator(state, shape)`.
static Operation *fixRandomBits(CustomCallOp op) {
  auto algorithm = op->getAttrOfType<RngAlgorithmAttr>("rng_algorithm");
  if (op.getCallTargetName() != "stablehlo.dynamic_rng_bit_generator" ||
      op.getNumOperands() != 2 || op->getNumResults() != 2 || !algorithm)
    return nullptr;
  auto shape = integersOf(op.getOperand(1));
  auto type = dyn_cast<RankedTensorType>(op->getResult(1).getType());
  if (!shape || !type || shape->size() != static_cast<size_t>(type.getRank()) ||
      llvm::any_of(*shape, [](int64_t size) { return size < 0; }))
    return nullptr;
  OpBuilder builder(op);
  return RngBitGeneratorOp::create(
      builder, op.getLoc(), op.getOperand(0).getType(), type.clone(*shape),
      algorithm, op.getOperand(0));
}

/// JAX's calls whose sizes are operands.
static Operation *fixCall(CustomCallOp op) {
  for (auto *fix : {fixResultShapes, fixReduceWindow, fixTopK,
                    fixApproximateTopK, fixRandomBits})
    if (Operation *fixed = fix(op))
      return fixed;
  return nullptr;
}

Operation *fixDynamicForm(Operation *op) {
  Operation *fixed = nullptr;
  if (auto slice = dyn_cast<RealDynamicSliceOp>(op))
    fixed = fixSlice(slice);
  else if (auto set = dyn_cast<SetDimensionSizeOp>(op))
    fixed = fixSize(set);
  else if (auto call = dyn_cast<CustomCallOp>(op))
    fixed = fixCall(call);
  OpBuilder builder(op);
  if (isa<DynamicGatherOp, DynamicConvOp>(op))
    fixed = createKnownForm(builder, op);
  if (!fixed)
    return op;
  op->replaceAllUsesWith(fixed);
  op->erase();
  // What was told its results' shapes may have sizes besides.
  return fixDynamicForm(fixed);
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
