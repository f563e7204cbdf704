// Contractions, reductions, windows, gathers and scatters: the ops with
// dimension numbers or regions.

#include "ComputedShapes.h"
#include "Emitter.h"

#include "dialects/Size/Size.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value Emitter::identity(Type element, Combine how) {
  auto type = RankedTensorType::get({}, element);
  switch (how) {
  case Combine::Add:
  case Combine::Or:
    return splat(type, 0);
  case Combine::Multiply:
  case Combine::And:
    return splat(type, 1);
  case Combine::Maximum:
    return lowest(type);
  case Combine::Minimum:
    return highest(type);
  }
  return splat(type, 0);
}

void Emitter::combineBlock(Region &region, Type element, Combine how) {
  auto scalarType = RankedTensorType::get({}, element);
  OpBuilder::InsertionGuard guard(builder);
  Block *block =
      builder.createBlock(&region, {}, {scalarType, scalarType}, {loc, loc});
  Value lhs = block->getArgument(0), rhs = block->getArgument(1);
  Value result;
  switch (how) {
  case Combine::Add:
    result = stablehlo::AddOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  case Combine::Multiply:
    result = stablehlo::MulOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  case Combine::Maximum:
    result = stablehlo::MaxOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  case Combine::Minimum:
    result = stablehlo::MinOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  case Combine::And:
    result = stablehlo::AndOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  case Combine::Or:
    result = stablehlo::OrOp::create(builder, loc, scalarType, lhs, rhs);
    break;
  }
  stablehlo::ReturnOp::create(builder, loc, result);
}

Value Emitter::dotGeneral(Value lhs, Value rhs, Extents lhsBatch,
                          Extents rhsBatch, Extents lhsContract,
                          Extents rhsContract, Type element) {
  Shape shape, left = shapeOf(lhs), right = shapeOf(rhs);
  bool fits = element || elementOf(lhs) == elementOf(rhs);
  auto meetBoth = [&](int64_t l, int64_t r) {
    fits &= meet(left[l], right[r]);
    right[r] = left[l];
  };
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch)) {
    meetBoth(l, r);
    shape.push_back(left[l]);
  }
  for (auto [l, r] : llvm::zip_equal(lhsContract, rhsContract))
    meetBoth(l, r);
  auto addFree = [&](const Shape &side, Extents batch, Extents summed) {
    for (auto [i, extent] : llvm::enumerate(side))
      if (!llvm::is_contained(batch, i) && !llvm::is_contained(summed, i))
        shape.push_back(extent);
  };
  addFree(left, lhsBatch, lhsContract);
  addFree(right, rhsBatch, rhsContract);
  RankedTensorType result = type(shape, element ? element : elementOf(lhs));
  if (!fits) {
    fault(ErrorCode::OnnxNode, "operands of the shapes " +
                                   spellShape(shapeOf(lhs)) + " and " +
                                   spellShape(shapeOf(rhs)) +
                                   " (and these types) cannot be multiplied");
    return standIn(result);
  }
  if (!hasFault()) {
    lhs = narrowed(lhs, left);
    rhs = narrowed(rhs, right);
  }
  if (hasFault())
    return standIn(result);
  return stablehlo::DotGeneralOp::create(
      builder, loc, result, lhs, rhs,
      stablehlo::DotDimensionNumbersAttr::get(
          builder.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract),
      /*precision_config=*/ArrayAttr(),
      /*algorithm=*/stablehlo::DotAlgorithmAttr());
}

/// The name of the op that combines, as folding knows it.
static StringRef combinerName(Combine how) {
  switch (how) {
  case Combine::Add:
    return "stablehlo.add";
  case Combine::Multiply:
    return "stablehlo.multiply";
  case Combine::Maximum:
    return "stablehlo.maximum";
  case Combine::Minimum:
    return "stablehlo.minimum";
  case Combine::And:
    return "stablehlo.and";
  case Combine::Or:
    return "stablehlo.or";
  }
  return "";
}

/// Where the elements that a reduction makes one lie in its result.
static int64_t placeInResult(Extents index, Extents dims, Extents result) {
  OwnedExtents kept;
  for (size_t d = 0; d < index.size(); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(index[d]);
  return linearIndex(kept, result);
}

Value Emitter::reducedSizes(Value value, Extents dims, RankedTensorType result,
                            Combine how) {
  Shape elements = *sizesIn(value);
  auto scalar = RankedTensorType::get({}, result.getElementType());
  SmallVector<Value> totals(result.getNumElements());
  IndexWalk walk(typeOf(value).getShape());
  for (size_t i = 0; i < elements.size(); ++i, walk.advance()) {
    Value &total = totals[placeInResult(walk.index(), dims, result.getShape())];
    Value element = integers({elements[i]}, scalar);
    total = total ? folded2(combinerName(how), total, element) : element;
    if (!total)
      return {};
  }
  Shape sums;
  for (Value total : totals)
    sums.push_back(sizesIn(total)->front());
  return integers(sums, result);
}

Value Emitter::foldedReduction(Value value, Extents dims,
                               RankedTensorType result, Combine how) {
  if (value.getDefiningOp<size::TensorOp>())
    return reducedSizes(value, dims, result, how);
  // Sums of floats depend on their order: that is for the kernels to fix.
  std::optional<Literal> known = readLiteral(value);
  bool isExtreme = how == Combine::Maximum || how == Combine::Minimum;
  if (!known || (known->isFloat() && !isExtreme) || !folds(result))
    return {};
  std::optional<Literal> unit =
      readLiteral(identity(result.getElementType(), how));
  if (!unit)
    return {};
  Literal totals = Literal::zeros(result);
  for (int64_t i = 0, e = totals.size(); i < e; ++i)
    totals.copy(i, *unit, 0);
  auto scalarType = RankedTensorType::get({}, result.getElementType());
  IndexWalk walk(known->type.getShape());
  for (int64_t i = 0, e = known->size(); i < e; ++i, walk.advance()) {
    int64_t at = placeInResult(walk.index(), dims, result.getShape());
    Literal lhs = Literal::zeros(scalarType), rhs = lhs;
    lhs.copy(0, totals, at);
    rhs.copy(0, *known, i);
    std::optional<Literal> total = foldBinary(combinerName(how), lhs, rhs);
    if (!total)
      return {};
    totals.copy(at, *total, 0);
  }
  return constant(totals);
}

Value Emitter::reduce(Value value, Extents dims, Combine how, bool keepDims) {
  Shape kept, reduced = shapeOf(value);
  for (auto [i, extent] : llvm::enumerate(reduced)) {
    if (llvm::is_contained(dims, i))
      extent = 1;
    else
      kept.push_back(extent);
  }
  OwnedExtents sorted(dims);
  llvm::sort(sorted);
  if (sorted.empty())
    return value;
  Type element = elementOf(value);
  RankedTensorType result = type(kept, element);
  if (Value known = foldedReduction(value, sorted, result, how))
    return keepDims ? reshape(known, reduced) : known;
  auto op = stablehlo::ReduceOp::create(
      builder, loc, TypeRange{result}, ValueRange{value},
      ValueRange{identity(element, how)}, list(sorted));
  combineBlock(op.getBody(), element, how);
  Value reduction = op->getResult(0);
  return keepDims ? reshape(reduction, reduced) : reduction;
}

Value Emitter::widened(Value value) {
  Type element = elementOf(value);
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? convert(value, builder.getF32Type()) : value;
}

Value Emitter::mean(Value value, Extents dims) {
  Extent count = 1;
  for (int64_t dim : dims)
    count *= extentOf(value, dim);
  Value sum = reduce(widened(value), dims, Combine::Add, /*keepDims=*/true);
  Value divisor = broadcastTo(number(count, elementOf(sum)), shapeOf(sum));
  return convert(divide(sum, divisor), elementOf(value));
}

/// Rows of (low, high) as the padding attribute of windows and convolutions
/// holds them.
static DenseIntElementsAttr paddingAttr(OpBuilder &builder, Extents low,
                                        Extents high) {
  SmallVector<int64_t> rows;
  for (auto [before, after] : llvm::zip_equal(low, high)) {
    rows.push_back(before);
    rows.push_back(after);
  }
  return DenseIntElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(low.size()), 2},
                            builder.getI64Type()),
      rows);
}

/// Positions of a window along one dimension; 0 if it is longer than that.
static Extent windowPositions(const Extent &extent, const Extent &size,
                              int64_t stride, int64_t dilation, int64_t low,
                              int64_t high) {
  Extent span = (size - 1) * dilation + 1;
  Extent room = extent + (low + high) - span;
  return Extent::maximum(room.floorDiv(stride) + 1, 0);
}

Value Emitter::padded(Value value, Window &window, Value fill) {
  if (window.padLow.areKnown() && window.padHigh.areKnown())
    return value;
  size_t spatial = window.size.size(), lead = shapeOf(value).size() - spatial;
  Shape low(lead, 0), high(lead, 0);
  low.append(window.padLow);
  high.append(window.padHigh);
  window.padLow = window.padHigh = Shape(spatial, 0);
  // Pads before are as wide as the widest, and cut to what they truly are.
  Shape widest = low.bounds(), starts(low.size(), 0);
  value = pad(value, fill, widest, high);
  for (auto [start, most, truly] : llvm::zip_equal(starts, widest, low))
    start = most - truly;
  return slice(value, starts, shapeOf(value), OwnedExtents(low.size(), 1),
               /*isClamped=*/true);
}

Value Emitter::reduceWindow(Value value, const Window &given, Combine how) {
  Window window = given;
  value = padded(value, window, identity(elementOf(value), how));
  size_t lead = typeOf(value).getRank() - window.size.size();
  Shape shape = shapeOf(value);
  OwnedExtents size(lead, 1), strides(lead, 1), dilations(lead, 1),
      low(lead, 0), high(lead, 0);
  size.append(window.size);
  strides.append(window.strides);
  dilations.append(window.dilations);
  low.append(window.padLow.bounds());
  high.append(window.padHigh.bounds());
  for (size_t i = lead; i < shape.size(); ++i)
    shape[i] = windowPositions(shape[i], size[i], strides[i], dilations[i],
                               low[i], high[i]);
  Type element = elementOf(value);
  OwnedExtents baseDilations(shape.size(), 1);
  auto op = stablehlo::ReduceWindowOp::create(
      builder, loc, TypeRange{type(shape, element)}, ValueRange{value},
      ValueRange{identity(element, how)}, list(size), list(strides),
      list(baseDilations), list(dilations), paddingAttr(builder, low, high));
  combineBlock(op.getBody(), element, how);
  return op->getResult(0);
}

Value Emitter::convolution(Value input, Value weights, const Window &given,
                           Extents inputDilation, int64_t groups,
                           Type element) {
  Window window = given;
  int64_t spatial = window.size.size();
  input = padded(input, window, scalar(elementOf(input), 0));
  OwnedExtents kernel = knownShapeOf(weights), inputDims;
  Shape from = shapeOf(input), shape{from[0], kernel[0]};
  for (int64_t i = 0; i < spatial; ++i) {
    Extent dilated =
        inputDilation[i] == 1
            ? from[2 + i]
            : Extent::maximum((from[2 + i] - 1) * inputDilation[i] + 1, 0);
    shape.push_back(windowPositions(
        dilated, window.size[i], window.strides[i], window.dilations[i],
        window.padLow[i].bound(), window.padHigh[i].bound()));
    inputDims.push_back(2 + i);
  }
  RankedTensorType result = type(shape, element ? element : elementOf(input));
  // Weights have a number of channels, and so have the inputs.
  bool fits = false;
  if (auto channels = Extent::meet(from[1], kernel[1] * groups)) {
    from[1] = *channels;
    input = narrowed(input, from);
    fits = true;
  }
  if (groups < 1 || !fits || kernel[0] % groups != 0 ||
      (!element && elementOf(input) != elementOf(weights))) {
    fault(ErrorCode::OnnxNode,
          "group = " + Twine(groups) + ", an input of the shape " +
              spellShape(shapeOf(input)) + " and weights of the shape " +
              spellShape(shapeOf(weights)) + " do not fit together");
    return standIn(result);
  }
  if (hasFault())
    return standIn(result);
  auto numbers = stablehlo::ConvDimensionNumbersAttr::get(
      builder.getContext(), /*inputBatch=*/0, /*inputFeature=*/1, inputDims,
      /*kernelInput=*/1, /*kernelOutput=*/0, inputDims, /*outputBatch=*/0,
      /*outputFeature=*/1, inputDims);
  return stablehlo::ConvolutionOp::create(
      builder, loc, result, input, weights, list(window.strides),
      paddingAttr(builder, window.padLow.bounds(), window.padHigh.bounds()),
      list(inputDilation), list(window.dilations),
      /*window_reversal=*/DenseBoolArrayAttr(), numbers,
      builder.getI64IntegerAttr(groups), builder.getI64IntegerAttr(1),
      /*precision_config=*/ArrayAttr());
}

Value Emitter::wrapIndices(Value indices, const Extent &extent) {
  if (elementOf(indices).isUnsignedInteger())
    return indices;
  Value zero = splatInteger(typeOf(indices), 0);
  Value wrapped = add(indices, number(extent, elementOf(indices)));
  return select(compare(indices, zero, stablehlo::ComparisonDirection::LT),
                wrapped, indices);
}

static bool isNothing(const Extent &extent) { return extent.is(0); }

/// Whether there is no element of `taken`, a dimension of a result, where a
/// dimension of `extent` elements has none.
static bool isEmptyWith(const Extent &taken, const Extent &extent,
                        MLIRContext *context) {
  return Extent::isLess(extent, taken) == false ||
         taken.expression(context).dividedExactly(extent.expression(context));
}

/// Whether a dimension of `extent` elements has one wherever a result of the
/// shape has: calls are asked for it where they can be.
static bool mayIndex(Emitter &emit, const Extent &extent, const Shape &result) {
  MLIRContext *context = emit.builder.getContext();
  if (extent.least() > 0)
    return true;
  Extent wanted = 1;
  std::string text = extent.text() + " >= 1";
  StringRef joint = " where ";
  for (const Extent &each : result) {
    if (each.least() > 0)
      continue;
    if (isEmptyWith(each, extent, context))
      return true;
    wanted *= Extent::minimum(each, 1);
    text += (joint + each.text() + " >= 1").str();
    joint = " and ";
  }
  Extent gap = wanted.is(1) ? extent - 1 : Extent::minimum(extent, 1) - wanted;
  if (Extent::isLess(gap, 0) == false)
    return true;
  // No call is asked for what its end tells, nor for what a branch or a loop
  // wants that it need not come to.
  if (!emit.mayComputeSizes() ||
      (gap.owner() && gap.owner()->isComputed(gap.expression(context))))
    return false;
  if (!gap.wantNotNegative(text))
    emit.fault(ErrorCode::OnnxNode,
               "there is nothing to index in a dimension of " + extent.text() +
                   " elements");
  return true;
}

/// `operand` with an element along the dimensions of `startIndexMap` wherever
/// there is one in the result; `indices` are held within those before it.
static Value withPlaces(Emitter &emit, Value operand, Value &indices,
                        Extents startIndexMap, const Shape &resultShape) {
  Shape from = emit.shapeOf(operand), last;
  Value result = operand;
  for (int64_t dim : startIndexMap) {
    last.push_back(from[dim] - 1);
    if (!mayIndex(emit, from[dim], resultShape))
      result = neverEmpty(emit, result, dim);
  }
  if (result == operand || emit.hasFault())
    return operand;
  Shape shape = emit.shapeOf(indices);
  Value limits = emit.integers(last, Emitter::elementOf(indices));
  indices = emit.minimum(
      indices, emit.broadcastInDim(limits, shape,
                                   {static_cast<int64_t>(shape.size()) - 1}));
  return result;
}

Value Emitter::gather(Value operand, Value indices, const Shape &resultShape,
                      Extents offsetDims, Extents collapsedDims,
                      Extents operandBatchingDims, Extents indicesBatchingDims,
                      Extents startIndexMap, const Shape &sliceSizes) {
  RankedTensorType result = type(resultShape, elementOf(operand));
  if (hasFault())
    return standIn(result);
  if (llvm::any_of(resultShape, isNothing))
    return splat(result, 0);
  operand = withPlaces(*this, operand, indices, startIndexMap, resultShape);
  for (auto [size, extent] : llvm::zip_equal(sliceSizes, shapeOf(operand))) {
    if (Extent::isLess(extent, size) == true) {
      fault(ErrorCode::OnnxNode, "there is nothing to index in a value of the "
                                 "shape " +
                                     spellShape(shapeOf(operand)));
      return standIn(result);
    }
  }
  if (hasFault())
    return standIn(result);
  auto op = stablehlo::GatherOp::create(
      builder, loc, result, operand, indices,
      stablehlo::GatherDimensionNumbersAttr::get(
          builder.getContext(), offsetDims, collapsedDims, operandBatchingDims,
          indicesBatchingDims, startIndexMap,
          /*indexVectorDim=*/typeOf(indices).getRank() - 1),
      list(sliceSizes.bounds()), builder.getBoolAttr(false));
  setSized(op, {{"slice_sizes", sliceSizes}});
  return op;
}

/// The positions of a known index tensor without the dimensions along which
/// they repeat.
static OwnedExtents withoutRepeats(Extents positions, Extents shape,
                                   SmallVectorImpl<int64_t> &keptDims) {
  OwnedExtents kept(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    bool repeats = true;
    IndexWalk walk(shape);
    for (size_t i = 0; repeats && i < positions.size(); ++i, walk.advance()) {
      OwnedExtents first(walk.index());
      first[dim] = 0;
      repeats = positions[i] == positions[linearIndex(first, shape)];
    }
    if (repeats)
      kept[dim] = 1;
    else
      keptDims.push_back(dim);
  }
  OwnedExtents result;
  IndexWalk walk(kept);
  for (int64_t i = 0, e = ShapedType::getNumElements(kept); i < e;
       ++i, walk.advance())
    result.push_back(positions[linearIndex(walk.index(), shape)]);
  return result;
}

/// The step of an arithmetic progression; nothing if the numbers are none, or
/// do not ascend.
static std::optional<int64_t> ascendingStep(Extents numbers) {
  if (numbers.size() == 1)
    return 1;
  int64_t step = numbers[1] - numbers[0];
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != step)
      return std::nullopt;
  return step > 0 ? std::optional<int64_t>(step) : std::nullopt;
}

/// Known indices: a constant if the values are known as well; evenly spaced
/// ones are a slice, repeated ones a broadcast of it. Exporters index by ranges
/// where they mean these.
Value Emitter::takeKnown(Value value, const Literal &indices, int64_t axis) {
  Shape from = shapeOf(value), shape(from.leading(axis));
  Extents at = indices.type.getShape();
  // Of a dimension that calls choose, one place is a slice; of more, which are
  // the same is not known.
  if (!from[axis].isKnown())
    return takeOne(value, indices, axis);
  int64_t length = from[axis].bound();
  OwnedExtents positions;
  for (int64_t index : indices.integers) {
    positions.push_back(index < 0 ? index + length : index);
    if (positions.back() < 0 || positions.back() >= length) {
      fault(ErrorCode::OnnxNode, "index " + Twine(index) +
                                     " is outside a dimension of extent " +
                                     Twine(length));
      return value;
    }
  }
  shape.append(at.begin(), at.end());
  shape.append(from.begin() + axis + 1, from.end());
  RankedTensorType result = type(shape, elementOf(value));
  if (positions.empty() || hasFault())
    return splat(result, 0);
  OwnedExtents places = from.bounds();
  if (Value known = moved(value, result, [&](Extents index) {
        OwnedExtents source(index.take_front(axis));
        source.push_back(
            positions[linearIndex(index.slice(axis, at.size()), at)]);
        source.append(index.begin() + axis + at.size(), index.end());
        return linearIndex(source, places);
      }))
    return known;

  SmallVector<int64_t> keptDims;
  OwnedExtents distinct = withoutRepeats(positions, at, keptDims);
  std::optional<int64_t> step = ascendingStep(distinct);
  if (!step)
    return {};
  Shape starts(OwnedExtents(from.size(), 0)), limits = from;
  OwnedExtents strides(from.size(), 1);
  starts[axis] = distinct.front();
  limits[axis] = distinct.back() + 1;
  strides[axis] = *step;
  Value sliced = slice(value, starts, limits, strides);

  Shape narrow(from.leading(axis));
  OwnedExtents dims;
  for (int64_t i = 0; i < axis; ++i)
    dims.push_back(i);
  for (int64_t dim : keptDims) {
    narrow.push_back(at[dim]);
    dims.push_back(axis + dim);
  }
  for (int64_t i = axis + 1, e = from.size(); i < e; ++i) {
    narrow.push_back(from[i]);
    dims.push_back(i - 1 + at.size());
  }
  return broadcastInDim(reshape(sliced, narrow), shape, dims);
}

Value Emitter::takeOne(Value value, const Literal &indices, int64_t axis) {
  if (indices.size() != 1)
    return {};
  Shape shape = shapeOf(value);
  int64_t index = indices.integers.front();
  Extent place = index < 0 ? shape[axis] + index : Extent(index);
  // Where it is outside for some sizes, the call that chooses these is at
  // fault: it reads what is nearest, as any index does.
  if (Extent::isLess(place, 0) != false ||
      Extent::isLess(place, shape[axis]) != true)
    return {};
  Value one = sliceDim(value, axis, place, place + 1);
  Shape result(shape.leading(axis));
  Extents at = indices.type.getShape();
  result.append(at.begin(), at.end());
  result.append(shape.begin() + axis + 1, shape.end());
  return reshape(one, result);
}

Value Emitter::take(Value value, Value indices, int64_t axis) {
  Shape from = shapeOf(value), at = shapeOf(indices), sizes = from;
  Shape shape(from.leading(axis));
  OwnedExtents offsetDims;
  for (int64_t i = 0; i < axis; ++i)
    offsetDims.push_back(i);
  shape.append(at.begin(), at.end());
  for (int64_t i = axis + 1, e = from.size(); i < e; ++i) {
    offsetDims.push_back(shape.size());
    shape.push_back(from[i]);
  }
  // Of nothing, nothing is taken.
  if (from[axis].is(0) && llvm::any_of(shape, isNothing))
    return splat(type(shape, elementOf(value)), 0);
  // What is wanted of the dimension tells that a known place is in it.
  bool isPlace = mayIndex(*this, from[axis], shape);
  if (std::optional<Literal> known = readLiteral(indices); known && isPlace)
    if (Value result = takeKnown(value, *known, axis))
      return result;
  sizes[axis] = 1;
  Shape vectors = at;
  vectors.push_back(1);
  Value wrapped = reshape(wrapIndices(indices, from[axis]), vectors);
  return gather(value, wrapped, shape, offsetDims, {axis}, {}, {}, {axis},
                sizes);
}

Value Emitter::scatter(Value operand, Value indices, Value updates,
                       Extents updateWindowDims, Extents insertedWindowDims,
                       Extents inputBatchingDims, Extents indicesBatchingDims,
                       Extents scatterDims, std::optional<Combine> how) {
  Type element = elementOf(operand);
  if (element != elementOf(updates))
    fault(ErrorCode::OnnxNode, "updates and data have different types");
  if (hasFault())
    return operand;
  auto op = stablehlo::ScatterOp::create(
      builder, loc, TypeRange{operand.getType()}, ValueRange{operand}, indices,
      ValueRange{updates},
      stablehlo::ScatterDimensionNumbersAttr::get(
          builder.getContext(), updateWindowDims, insertedWindowDims,
          inputBatchingDims, indicesBatchingDims, scatterDims,
          /*indexVectorDim=*/typeOf(indices).getRank() - 1),
      builder.getBoolAttr(false), builder.getBoolAttr(false));
  if (how) {
    combineBlock(op.getUpdateComputation(), element, *how);
    return op->getResult(0);
  }
  auto scalarType = RankedTensorType::get({}, element);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&op.getUpdateComputation(), {},
                                     {scalarType, scalarType}, {loc, loc});
  stablehlo::ReturnOp::create(builder, loc, block->getArgument(1));
  return op->getResult(0);
}

std::pair<Value, Value> Emitter::sortPairs(Value keys, Value payload,
                                           int64_t dimension, bool descending) {
  auto op = stablehlo::SortOp::create(
      builder, loc, TypeRange{keys.getType(), payload.getType()},
      ValueRange{keys, payload}, builder.getI64IntegerAttr(dimension),
      builder.getBoolAttr(true));
  auto key = RankedTensorType::get({}, elementOf(keys));
  auto carried = RankedTensorType::get({}, elementOf(payload));
  OpBuilder::InsertionGuard guard(builder);
  Block *block =
      builder.createBlock(&op.getComparator(), {}, {key, key, carried, carried},
                          {loc, loc, loc, loc});
  using Direction = stablehlo::ComparisonDirection;
  Value first = block->getArgument(0), second = block->getArgument(1);
  Value before;
  if (!isa<FloatType>(elementOf(keys))) {
    before = compare(first, second, descending ? Direction::GT : Direction::LT);
  } else {
    // NaN is the largest, and every NaN equal to the others: the larger of two
    // is in front unless it is no larger, and the smaller is a number.
    Value larger = descending ? first : second;
    Value smaller = descending ? second : first;
    Value notLarger = compare(larger, smaller, Direction::LE);
    Value isNumber = compare(smaller, smaller, Direction::EQ);
    before =
        binary<stablehlo::AndOp>(unary<stablehlo::NotOp>(notLarger), isNumber);
  }
  stablehlo::ReturnOp::create(builder, loc, before);
  return {op->getResult(0), op->getResult(1)};
}
