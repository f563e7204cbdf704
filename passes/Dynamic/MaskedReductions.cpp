// Operations that combine elements along a bounded dimension.

#include "passes/Dynamic/PaddingMasker.h"

#include "dialects/Chlo/Chlo.h"
#include "heddle/Support/EntrySizes.h"
#include "passes/Graph/Constants.h"
#include "passes/Graph/NeutralElement.h"

#include "mlir/IR/IRMapping.h"

#include <limits>

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

LogicalResult PaddingMasker::visitDot(DotGeneralOp op) {
  if (failed(onlyVaries(op, {})))
    return failure();
  OpBuilder builder(op);
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  // Both sides: a product of zero and what lies beyond may be NaN.
  Value lhs = maskWithZero(builder, op.getLoc(), op.getLhs(),
                           numbers.getLhsContractingDimensions());
  Value rhs = maskWithZero(builder, op.getLoc(), op.getRhs(),
                           numbers.getRhsContractingDimensions());
  if (!lhs || !rhs)
    return refuse(op, "sums over a bounded dimension of such elements");
  setOperand(op, 0, lhs);
  setOperand(op, 1, rhs);
  sayHowFar(op);
  return success();
}

/// The product need not be computed beyond the true sizes.
void PaddingMasker::sayHowFar(DotGeneralOp op) {
  SmallVector<size::Expression> extents;
  for (int64_t dim : llvm::seq(cast<RankedTensorType>(op.getType()).getRank()))
    extents.push_back(extent(op.getResult(), dim));
  for (int64_t dim : op.getDotDimensionNumbers().getLhsContractingDimensions())
    extents.push_back(extent(op.getLhs(), dim));
  // A launch is told what is known before the call.
  if (llvm::any_of(extents,
                   [&](size::Expression e) { return sizes.isComputed(e); }))
    return;
  if (llvm::all_of(extents, [](size::Expression e) { return e.isConstant(); }))
    return;
  op->setAttr(kSizesAttrName, size::extentsAttr(op.getContext(), extents));
}

LogicalResult PaddingMasker::visitConvolution(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto padding = op.getPaddingOrDefault();
  if (const SizeTable::Extents *varying = table.attribute(op, "padding")) {
    // What is added after the end is zero, as the masked padding is.
    for (unsigned i = 0; i < varying->size(); i += 2)
      if (!(*varying)[i].isConstant())
        return refuse(op, "has padding in front that depends on a bounded "
                          "size");
  }
  if (failed(onlyVaries(op, {"padding"})))
    return failure();
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    if (isBounded(op.getRhs(), dim))
      return refuse(op, "has a window of bounded size");
  if (op.getFeatureGroupCount() != 1 || op.getBatchGroupCount() != 1) {
    bool bounded =
        isBounded(op.getLhs(), numbers.getInputFeatureDimension()) ||
        isBounded(op.getRhs(), numbers.getKernelOutputFeatureDimension()) ||
        (op.getBatchGroupCount() != 1 &&
         isBounded(op.getLhs(), numbers.getInputBatchDimension()));
    if (bounded)
      return refuse(op, "has groups along a bounded dimension");
  }
  OpBuilder builder(op);
  SmallVector<int64_t> dims(numbers.getInputSpatialDimensions());
  dims.push_back(numbers.getInputFeatureDimension());
  Value lhs = maskWithZero(builder, op.getLoc(), op.getLhs(), dims);
  Value rhs = maskWithZero(builder, op.getLoc(), op.getRhs(),
                           {numbers.getKernelInputFeatureDimension()});
  if (!lhs || !rhs)
    return refuse(op, "sums over a bounded dimension of such elements");
  setOperand(op, 0, lhs);
  setOperand(op, 1, rhs);
  return success();
}

LogicalResult PaddingMasker::visitReduce(ReduceOp op) {
  if (failed(onlyVaries(op, {})))
    return failure();
  Value first = op.getInputs().front();
  if (llvm::none_of(op.getDimensions(),
                    [&](int64_t dim) { return isBounded(first, dim); }))
    return success();
  Type element = cast<RankedTensorType>(first.getType()).getElementType();
  Attribute neutral =
      op.getInputs().size() == 1
          ? neutralElement(joiningOperation(op.getBody().front()), element)
          : Attribute();
  if (!neutral)
    return reduceFlagged(op);
  OpBuilder builder(op);
  Value fill = createSplat(builder, op.getLoc(),
                           RankedTensorType::get({}, element), neutral);
  op->setOperand(0,
                 mask(builder, op.getLoc(), first, op.getDimensions(), fill));
  return success();
}

/// Any region: a flag goes along, false for padding; what is combined with
/// padding stays as it is.
LogicalResult PaddingMasker::reduceFlagged(ReduceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  unsigned count = op.getInputs().size();
  Value flags =
      inside(builder, loc, op.getInputs().front(), op.getDimensions());
  auto scalar = RankedTensorType::get({}, builder.getI1Type());
  Value yes = createSplat(builder, loc, scalar, builder.getBoolAttr(true));
  SmallVector<Value> operands(op.getInputs());
  operands.push_back(flags);
  llvm::append_range(operands, op.getInitValues());
  operands.push_back(yes);
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(RankedTensorType::get(
      cast<RankedTensorType>(types.front()).getShape(), builder.getI1Type()));
  OperationState state(loc, ReduceOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttribute("dimensions", op.getDimensionsAttr());
  Region *region = state.addRegion();
  Block &old = op.getBody().front();
  Block *body = new Block();
  region->push_back(body);
  SmallVector<Value> left, right;
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned i = 0; i <= count; ++i)
      (side ? right : left)
          .push_back(body->addArgument(
              i == count ? Type(scalar) : old.getArgument(i).getType(), loc));
  IRMapping mapping;
  for (unsigned i = 0; i < count; ++i) {
    mapping.map(old.getArgument(i), left[i]);
    mapping.map(old.getArgument(count + i), right[i]);
  }
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(body);
  for (Operation &each : old.without_terminator())
    inner.clone(each, mapping);
  SmallVector<Value> results;
  for (unsigned i = 0; i < count; ++i) {
    Value combined =
        mapping.lookupOrDefault(old.getTerminator()->getOperand(i));
    Type type = combined.getType();
    Value one =
        SelectOp::create(inner, loc, type, right[count], combined, left[i]);
    results.push_back(
        SelectOp::create(inner, loc, type, left[count], one, right[i]));
  }
  results.push_back(
      OrOp::create(inner, loc, scalar, left[count], right[count]));
  ReturnOp::create(inner, loc, results);
  Operation *made = builder.create(state);
  replace(op, made->getResults().drop_back());
  return success();
}

/// Whether a window that grows with the dimension covers all elements up to
/// each, or all from each on.
static bool isCumulative(size::Expression window, size::Expression low,
                         size::Expression high) {
  size::Expression rest = window - 1;
  return (low == rest && high.isConstant(0)) ||
         (high == rest && low.isConstant(0));
}

LogicalResult PaddingMasker::visitReduceWindow(ReduceWindowOp op) {
  if (failed(onlyVaries(op, {"window_dimensions", "padding"})))
    return failure();
  Value first = op.getInputs().front();
  ArrayRef<int64_t> windows = op.getWindowDimensions();
  auto strides = op.getWindowStridesOrDefault();
  auto base = op.getBaseDilationsOrDefault();
  auto dilations = op.getWindowDilationsOrDefault();
  auto padding = op.getPaddingOrDefault();
  SmallVector<int64_t> dims;
  for (int64_t i = 0, e = windows.size(); i < e; ++i) {
    size::Expression window = integer(op, "window_dimensions", i, windows[i]);
    size::Expression low = integer(op, "padding", 2 * i, padding[i].first);
    size::Expression high =
        integer(op, "padding", 2 * i + 1, padding[i].second);
    bool plain = strides[i] == 1 && base[i] == 1 && dilations[i] == 1;
    bool varies = !window.isConstant() || !low.isConstant();
    if (varies && !(plain && window == extent(first, i) &&
                    isCumulative(window, low, high)))
      return refuse(op, "has a window or padding that depends on a bounded "
                        "size");
    if (isBounded(first, i) &&
        !(plain && windows[i] == 1 && padding[i].first == 0 &&
          padding[i].second == 0))
      dims.push_back(i);
  }
  OpBuilder builder(op);
  // Beyond the end there are initial values, as in the padding of the op.
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    setOperand(op, i,
               mask(builder, op.getLoc(), input, dims, op.getInitValues()[i]));
  return success();
}

/// Padding goes behind everything else: its flag is the first key.
LogicalResult PaddingMasker::visitSort(SortOp op) {
  if (failed(onlyVaries(op, {})))
    return failure();
  Value first = op.getInputs().front();
  auto type = cast<RankedTensorType>(first.getType());
  int64_t dim = op.getDimension();
  if (dim < 0)
    dim += type.getRank();
  if (!isBounded(first, dim))
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto scalar = RankedTensorType::get({}, builder.getI32Type());
  auto keyType = RankedTensorType::get(type.getShape(), builder.getI32Type());
  Value valid = inside(builder, loc, first, {dim});
  Value key = SelectOp::create(builder, loc, keyType, valid,
                               numberEverywhere(builder, loc, keyType, 0),
                               numberEverywhere(builder, loc, keyType, 1));
  SmallVector<Value> operands(op.getInputs());
  operands.push_back(key);
  SmallVector<Type> types(op->getResultTypes());
  types.push_back(keyType);
  OperationState state(loc, SortOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getAttrDictionary().getValue());
  state.addRegion()->takeBody(op.getComparator());
  Operation *made = builder.create(state);
  Block &body = made->getRegion(0).front();
  Value x = body.addArgument(scalar, loc), y = body.addArgument(scalar, loc);
  Operation *end = body.getTerminator();
  OpBuilder inner(end);
  auto flag = RankedTensorType::get({}, builder.getI1Type());
  Value less = CompareOp::create(inner, loc, flag, x, y,
                                 ComparisonDirection::LT, ComparisonTypeAttr());
  Value equal = CompareOp::create(
      inner, loc, flag, x, y, ComparisonDirection::EQ, ComparisonTypeAttr());
  Value both = AndOp::create(inner, loc, flag, equal, end->getOperand(0));
  end->setOperand(0, OrOp::create(inner, loc, flag, less, both));
  replace(op, made->getResults().drop_back());
  return success();
}

LogicalResult PaddingMasker::visitTopK(Operation *op) {
  auto top = cast<chlo::TopKOp>(op);
  if (failed(onlyVaries(op, {})))
    return failure();
  auto type = cast<RankedTensorType>(top.getOperand().getType());
  int64_t last = type.getRank() - 1;
  size::Expression size = table.extent(top.getOperand(), last);
  if (!size)
    return success();
  if (!isNeverNegative(size - int64_t(top.getK())))
    return refuse(op, "wants " + Twine(top.getK()) +
                          " elements of a dimension that may have fewer");
  // Of equal elements the first comes first: padding loses against all.
  Block body;
  Type scalar = RankedTensorType::get({}, type.getElementType());
  OpBuilder inner(op->getContext());
  inner.setInsertionPointToEnd(&body);
  Value x = body.addArgument(scalar, op->getLoc()),
        y = body.addArgument(scalar, op->getLoc());
  Value larger = MaxOp::create(inner, op->getLoc(), scalar, x, y);
  ReturnOp::create(inner, op->getLoc(), larger);
  Attribute lowest =
      neutralElement(joiningOperation(body), type.getElementType());
  if (!lowest)
    return refuse(op, "orders such elements of a bounded dimension");
  OpBuilder builder(op);
  Value fill = createSplat(builder, op->getLoc(),
                           cast<RankedTensorType>(scalar), lowest);
  op->setOperand(0,
                 mask(builder, op->getLoc(), top.getOperand(), {last}, fill));
  return success();
}

} // namespace heddle
