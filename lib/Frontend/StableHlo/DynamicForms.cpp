// Operations whose sizes were operands, in the forms that hold them.

#include "heddle/Frontend/DynamicForms.h"

#include "lib/Frontend/StableHlo/SizedForms.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle::stablehlo;
using heddle::size::Expression;

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

using Form = FailureOr<Operation *>;

/// `custom_call @stablehlo.dynamic_reduce_window(inputs, initial values,
/// window, strides, dilations of the base and of the window, padding)`.
static Form fixReduceWindow(CustomCallOp op, ImportedSizes &sizes) {
  if (op.getCallTargetName() != "stablehlo.dynamic_reduce_window" ||
      op.getNumOperands() < 7 || op.getNumOperands() % 2 == 0 ||
      !op.getCalledComputationsAttr() ||
      op.getCalledComputationsAttr().size() != 1)
    return nullptr;
  auto body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, cast<FlatSymbolRefAttr>(op.getCalledComputationsAttr()[0]));
  SmallVector<SizeContents::Elements> held;
  for (Value operand : op.getOperands().take_back(5)) {
    auto values = sizes.contents.of(operand);
    if (!values)
      return nullptr;
    held.push_back(std::move(*values));
  }
  auto input = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
  size_t rank = held[0].size();
  if (!body || !body.getBody().hasOneBlock() || held[1].size() != rank ||
      held[2].size() != rank || held[3].size() != rank ||
      held[4].size() != 2 * rank || !input || !input.hasStaticShape() ||
      input.getRank() != int64_t(rank))
    return nullptr;
  // Strides and dilations are numbers.
  for (size_t i : {1, 2, 3})
    if (!llvm::all_of(held[i],
                      [](Expression each) { return each.isConstant(); }))
      return nullptr;
  SmallVector<int64_t> padding = sizes.bounds(held[4]);
  for (size_t i = 0; i < rank; ++i) {
    Expression window = held[0][i], low = held[4][2 * i],
               high = held[4][2 * i + 1];
    if (window.isConstant() && low.isConstant() && high.isConstant())
      continue;
    // Behind stands what makes the result as long as its bound.
    Expression places = size::extentOf(input, i) + low + high - window;
    padding[2 * i + 1] = sizes.bound(places) + sizes.bound(window) -
                         padding[2 * i] - input.getDimSize(i);
  }
  OpBuilder builder(op);
  OperationState state(op.getLoc(), ReduceWindowOp::getOperationName());
  state.addOperands(op.getOperands().drop_back(5));
  state.addTypes(op.getResultTypes());
  static constexpr llvm::StringLiteral names[] = {
      "window_dimensions", "window_strides", "base_dilations",
      "window_dilations"};
  for (auto [i, name] : llvm::enumerate(names))
    state.addAttribute(name,
                       builder.getDenseI64ArrayAttr(sizes.bounds(held[i])));
  state.addAttribute("padding",
                     DenseIntElementsAttr::get(
                         RankedTensorType::get({static_cast<int64_t>(rank), 2},
                                               builder.getI64Type()),
                         padding));
  Region *region = state.addRegion();
  IRMapping mapping;
  body.getBody().cloneInto(region, mapping);
  Operation *terminator = region->front().getTerminator();
  OpBuilder inside(terminator);
  ReturnOp::create(inside, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  Operation *form = builder.create(state);
  setSized(form, "window_dimensions", held[0]);
  setSized(form, "padding", held[4]);
  return form;
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
static Form fixResultShapes(CustomCallOp op, ImportedSizes &sizes) {
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
    if (!type.hasStaticShape()) {
      auto extents = sizes.contents.of(op->getOperand(first + i));
      if (!extents || extents->size() != size_t(type.getRank()))
        return nullptr;
      type = sizes.typeOf(op, type, *extents);
      if (!type)
        return failure();
    }
    types.push_back(type);
  }
  return createLike(op, op.getCallTargetName(), types,
                    op.getInputs().take_front(first))
      .getOperation();
}

/// `custom_call @stablehlo.dynamic_top_k(x, k)`, and `@mhlo.topk(x)` with the
/// size k of its results, whose others are open.
static Form fixTopK(CustomCallOp op, ImportedSizes &sizes) {
  bool isDynamic = op.getCallTargetName() == "stablehlo.dynamic_top_k";
  auto options = op->getAttrOfType<DictionaryAttr>("mhlo.attributes");
  auto largest = options ? options.getAs<BoolAttr>("largest") : BoolAttr();
  if ((!isDynamic && op.getCallTargetName() != "mhlo.topk") ||
      op.getNumOperands() != 1u + isDynamic || op->getNumResults() != 2 ||
      (largest && !largest.getValue()))
    return nullptr;
  auto from = dyn_cast<RankedTensorType>(op.getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto indices = dyn_cast<RankedTensorType>(op->getResult(1).getType());
  if (!from || !from.hasStaticShape() || from.getRank() == 0 || !to ||
      !indices || to.getRank() != from.getRank() ||
      indices.getRank() != from.getRank() ||
      (!isDynamic && to.hasStaticShape()))
    return nullptr;
  std::optional<Expression> count;
  if (isDynamic)
    count = sizes.contents.scalarOf(op.getOperand(1));
  else if (!to.isDynamicDim(to.getRank() - 1))
    count = Expression::constant(op.getContext(), to.getShape().back());
  if (!count || !count->isConstant())
    return nullptr;
  SmallVector<Expression> extents = size::extentsOf(from);
  if (failed(sizes.wantWithin(*count, extents.back(), op)))
    return failure();
  extents.back() = *count;
  RankedTensorType values = sizes.typeOf(op, to, extents),
                   places = sizes.typeOf(op, indices, extents);
  if (!values || !places)
    return failure();
  OpBuilder builder(op);
  op.getContext()->getOrLoadDialect<chlo::ChloDialect>();
  return chlo::TopKOp::create(builder, op.getLoc(), values, places,
                              op.getOperand(0), *count->asConstant())
      .getOperation();
}

/// `custom_call @stablehlo.dynamic_approx_top_k(keys, others..., initial key,
/// initial others..., k)`: the results' sizes say k, too.
static Form fixApproximateTopK(CustomCallOp op, ImportedSizes &) {
  unsigned count = op->getNumResults();
  if (op.getCallTargetName() != "stablehlo.dynamic_approx_top_k" ||
      op.getNumOperands() != 2 * count + 1 ||
      op->hasAttr(kShapeOperandsAttrName))
    return nullptr;
  return createLike(op, "ApproxTopK", op->getResultTypes(),
                    op.getInputs().take_front(2 * count))
      .getOperation();
}

/// `custom_call @stablehlo.dynamic_rng_bit_generator(state, shape)`.
static Form fixRandomBits(CustomCallOp op, ImportedSizes &sizes) {
  auto algorithm = op->getAttrOfType<RngAlgorithmAttr>("rng_algorithm");
  if (op.getCallTargetName() != "stablehlo.dynamic_rng_bit_generator" ||
      op.getNumOperands() != 2 || op->getNumResults() != 2 || !algorithm)
    return nullptr;
  auto shape = sizes.contents.of(op.getOperand(1));
  auto type = dyn_cast<RankedTensorType>(op->getResult(1).getType());
  if (!shape || !type || shape->size() != static_cast<size_t>(type.getRank()))
    return nullptr;
  type = sizes.typeOf(op, type, *shape);
  if (!type)
    return failure();
  OpBuilder builder(op);
  return RngBitGeneratorOp::create(builder, op.getLoc(),
                                   op.getOperand(0).getType(), type, algorithm,
                                   op.getOperand(0))
      .getOperation();
}

/// JAX's calls whose sizes are operands.
static Form fixCall(CustomCallOp op, ImportedSizes &sizes) {
  for (auto *fix : {fixResultShapes, fixReduceWindow, fixTopK,
                    fixApproximateTopK, fixRandomBits}) {
    Form fixed = fix(op, sizes);
    if (failed(fixed) || *fixed)
      return fixed;
  }
  return nullptr;
}

/// A slice whose start is computed, which no type tells.
static bool needsForm(Operation *op, ImportedSizes &sizes) {
  auto slice = dyn_cast<RealDynamicSliceOp>(op);
  return slice && !(sizes.contents.of(slice.getStartIndices()) &&
                    sizes.contents.of(slice.getLimitIndices()));
}

Form fixDynamicForm(Operation *op, ImportedSizes &sizes) {
  Form fixed = createComputedForm(op, sizes);
  if (failed(fixed) || *fixed)
    ; // The data decides its size.
  else if (auto call = dyn_cast<CustomCallOp>(op))
    fixed = fixCall(call, sizes);
  // The others stay as they are where their types say all.
  else if (isa<SetDimensionSizeOp, DynamicGatherOp, DynamicConvOp>(op) ||
           (isa<DynamicReshapeOp, DynamicBroadcastInDimOp, DynamicIotaOp,
                DynamicPadOp, RealDynamicSliceOp, ConcatenateOp>(op) &&
            (isSized(op, sizes) || needsForm(op, sizes))))
    fixed = createSizedForm(op, sizes);
  if (failed(fixed))
    return failure();
  if (!*fixed)
    return op;
  op->replaceAllUsesWith(*fixed);
  sizes.contents.forget(op);
  op->erase();
  // What was told its results' shapes may have sizes besides.
  return fixDynamicForm(*fixed, sizes);
}

} // namespace heddle
