// Operations that move elements to places that depend on a bounded size.

#include "passes/Dynamic/PaddingMasker.h"

#include "passes/Graph/Constants.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

//===----------------------------------------------------------------------===//
// Sizes as data
//===----------------------------------------------------------------------===//

LogicalResult PaddingMasker::visitSizeTensor(size::TensorOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto one = RankedTensorType::get({1}, type.getElementType());
  SmallVector<Value> elements;
  for (size::ExpressionAttr each : op.getElements().getExtents())
    elements.push_back(ReshapeOp::create(
        builder, loc, one,
        values.scalar(size::Expression(each), type.getElementType())));
  Value all =
      elements.empty() ? numberEverywhere(builder, loc, type, 0)
      : elements.size() == 1
          ? elements.front()
          : ConcatenateOp::create(builder, loc,
                                  RankedTensorType::get({type.getNumElements()},
                                                        type.getElementType()),
                                  elements, 0)
                .getResult();
  if (all.getType() != type)
    all = ReshapeOp::create(builder, loc, type, all);
  replace(op, all);
  return success();
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// Whether the true elements are a prefix of dimensions [begin, end): only the
/// first that is not 1 is bounded.
static bool isPrefix(ArrayRef<int64_t> shape,
                     ArrayRef<size::Expression> extents, unsigned begin,
                     unsigned end) {
  bool first = true;
  for (unsigned i = begin; i < end; ++i) {
    if (!extents.empty() && !extents[i].isConstant() && !first)
      return false;
    first &= shape[i] == 1;
  }
  return true;
}

/// Whether a reshape of the padded tensor is one of the true tensor: in each
/// group of dimensions that becomes a group of others, either all sizes are
/// constant or the true elements come first on both sides.
static bool keepsPlaces(ArrayRef<int64_t> from,
                        ArrayRef<size::Expression> fromTrue,
                        ArrayRef<int64_t> to,
                        ArrayRef<size::Expression> toTrue) {
  if (llvm::is_contained(from, 0))
    return true;
  // The bound of a size can be more than what its parts' bounds give.
  auto count = [](ArrayRef<int64_t> shape) {
    int64_t elements = 1;
    for (int64_t size : shape)
      elements *= size;
    return elements;
  };
  if (count(from) != count(to))
    return false;
  unsigned i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    unsigned beginFrom = i, beginTo = j;
    int64_t left = i < from.size() ? from[i++] : 1,
            right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      if (left < right)
        left *= from[i++];
      else
        right *= to[j++];
    }
    // A dimension that is the same on both sides is a group of its own.
    if (!isPrefix(from, fromTrue, beginFrom, i) ||
        !isPrefix(to, toTrue, beginTo, j))
      return false;
    // The true elements of the group must be as many.
    size::Expression before, after;
    auto times = [](size::Expression &product,
                    ArrayRef<size::Expression> extents, ArrayRef<int64_t> shape,
                    unsigned k) {
      size::Expression factor =
          extents.empty() ? size::Expression() : extents[k];
      if (!factor)
        return shape[k];
      if (factor.isConstant())
        return shape[k];
      product = product ? product * factor : factor;
      return int64_t(1);
    };
    int64_t constantBefore = 1, constantAfter = 1;
    for (unsigned k = beginFrom; k < i; ++k)
      constantBefore *= times(before, fromTrue, from, k);
    for (unsigned k = beginTo; k < j; ++k)
      constantAfter *= times(after, toTrue, to, k);
    if (bool(before) != bool(after))
      return false;
    if (before && before * constantBefore != after * constantAfter)
      return false;
  }
  return true;
}

Value PaddingMasker::reflow(OpBuilder &builder, Location loc, Value value,
                            ArrayRef<int64_t> shape,
                            ArrayRef<size::Expression> extents) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  SmallVector<size::Expression> trueFrom;
  for (int64_t i = 0; i < type.getRank(); ++i)
    trueFrom.push_back(extent(value, i));
  auto finish = [&](Value result) {
    table.setExtents(result, extents);
    return result;
  };
  if (keepsPlaces(type.getShape(), trueFrom, shape, extents))
    return finish(ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, element), value));
  ++changes;
  // Equal constant dimensions at the end move as one piece.
  ArrayRef<int64_t> from = type.getShape(), to = shape;
  int64_t piece = 1;
  while (!from.empty() && !to.empty() && from.back() == to.back() &&
         trueFrom[from.size() - 1].isConstant() &&
         extents[to.size() - 1].isConstant()) {
    piece *= from.back();
    from = from.drop_back();
    to = to.drop_back();
  }
  int64_t sourceRows = 1, rows = 1;
  for (int64_t size : from)
    sourceRows *= size;
  for (int64_t size : to)
    rows *= size;
  auto indexType = RankedTensorType::get({rows}, builder.getI32Type());
  auto number = [&](Value scalar) {
    return spread(builder, loc, scalar, indexType);
  };
  auto times = [&](Value x, Value y) -> Value {
    return MulOp::create(builder, loc, indexType, x, y);
  };
  auto plus = [&](Value x, Value y) -> Value {
    return y ? Value(AddOp::create(builder, loc, indexType, x, y)) : x;
  };
  // The place of each row among the true ones ...
  auto toType = RankedTensorType::get(to, builder.getI32Type());
  Value place;
  size::Expression stride = constant(1);
  for (size_t i = to.size(); i-- > 0;) {
    Value along = ReshapeOp::create(builder, loc, indexType,
                                    IotaOp::create(builder, loc, toType, i));
    place = plus(times(along, number(values.scalar(stride))), place);
    stride = stride * extents[i];
  }
  if (!place)
    place = numberEverywhere(builder, loc, indexType, 0);
  // ... and where that is in the source. An extent of 0 has no rows at all.
  Value source, rest = place;
  int64_t padded = 1;
  for (size_t i = from.size(); i-- > 0;) {
    Value coordinate = rest;
    if (i > 0) {
      Value size = number(values.scalar(trueFrom[i]));
      size = MaxOp::create(builder, loc, indexType, size,
                           numberEverywhere(builder, loc, indexType, 1));
      coordinate = RemOp::create(builder, loc, indexType, rest, size);
      rest = DivOp::create(builder, loc, indexType, rest, size);
    }
    source = plus(
        times(coordinate, numberEverywhere(builder, loc, indexType, padded)),
        source);
    padded *= from[i];
  }
  if (!source)
    source = numberEverywhere(builder, loc, indexType, 0);
  Value table2d = ReshapeOp::create(
      builder, loc, RankedTensorType::get({sourceRows, piece}, element), value);
  Value indices = ReshapeOp::create(
      builder, loc, RankedTensorType::get({rows, 1}, builder.getI32Type()),
      source);
  auto numbers = GatherDimensionNumbersAttr::get(
      builder.getContext(), /*offsetDims=*/{1}, /*collapsedSliceDims=*/{0},
      /*operandBatchingDims=*/{}, /*startIndicesBatchingDims=*/{},
      /*startIndexMap=*/{0}, /*indexVectorDim=*/1);
  Value gathered = GatherOp::create(
      builder, loc, RankedTensorType::get({rows, piece}, element), table2d,
      indices, numbers, builder.getDenseI64ArrayAttr({1, piece}),
      builder.getBoolAttr(false));
  return finish(ReshapeOp::create(
      builder, loc, RankedTensorType::get(shape, element), gathered));
}

LogicalResult PaddingMasker::visitReshape(ReshapeOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<size::Expression> trueFrom, trueTo;
  for (int64_t i = 0; i < from.getRank(); ++i)
    trueFrom.push_back(extent(op.getOperand(), i));
  for (int64_t i = 0; i < type.getRank(); ++i)
    trueTo.push_back(extent(op.getResult(), i));
  if (keepsPlaces(from.getShape(), trueFrom, type.getShape(), trueTo))
    return success();
  if (std::max(from.getNumElements(), type.getNumElements()) > INT32_MAX)
    return refuse(op, "has too many elements");
  OpBuilder builder(op);
  replace(op, reflow(builder, op.getLoc(), op.getOperand(), type.getShape(),
                     trueTo));
  return success();
}

//===----------------------------------------------------------------------===//
// Slices and the like
//===----------------------------------------------------------------------===//

/// What is kept comes first already.
LogicalResult PaddingMasker::visitCut(SetDimensionSizeOp op) {
  OpBuilder builder(op);
  replace(op,
          ReshapeOp::create(builder, op.getLoc(), op.getType(), op.getOperand())
              .getResult());
  return success();
}

LogicalResult PaddingMasker::visitSlice(SliceOp op) {
  if (failed(onlyVaries(op, {"start_indices", "limit_indices"})))
    return failure();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<size::Expression> starts;
  bool moves = false;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    starts.push_back(integer(op, "start_indices", i, op.getStartIndices()[i]));
    moves |= !starts.back().isConstant();
    size::Expression limit =
        integer(op, "limit_indices", i, op.getLimitIndices()[i]);
    if (!isNeverNegative(extent(op.getOperand(), i) - limit) ||
        !isNeverNegative(starts[i]) || !isNeverNegative(limit - starts[i]))
      return refuse(op, "takes elements that a bounded dimension may lack");
  }
  if (!moves)
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> lengths;
  for (int64_t i = 0; i < type.getRank(); ++i)
    lengths.push_back(op.getLimitIndices()[i] - op.getStartIndices()[i]);
  Value longer = lengthen(builder, loc, op.getOperand(), lengths);
  if (!longer)
    return refuse(op, "moves such elements by a bounded size");
  SmallVector<Value> places = llvm::map_to_vector(
      starts, [&](size::Expression start) { return values.scalar(start); });
  Value piece = DynamicSliceOp::create(
      builder, loc, RankedTensorType::get(lengths, type.getElementType()),
      longer, places, builder.getDenseI64ArrayAttr(lengths));
  SmallVector<int64_t> zeros(type.getRank(), 0);
  Value result = SliceOp::create(builder, loc, op.getType(), piece, zeros,
                                 lengths, op.getStrides());
  replace(op, result);
  return success();
}

LogicalResult PaddingMasker::visitPad(PadOp op) {
  if (failed(onlyVaries(op, {"edge_padding_high"})))
    return failure();
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  auto maskType = RankedTensorType::get(type.getShape(), builder.getI1Type());
  Value valid;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    size::Expression size = table.extent(op.getOperand(), i);
    size::Expression high =
        integer(op, "edge_padding_high", i, op.getEdgePaddingHigh()[i]);
    std::optional<int64_t> constantHigh = high.asConstant();
    if (!size || (constantHigh && *constantHigh <= 0))
      continue;
    int64_t interior = op.getInteriorPadding()[i];
    // Without an element there is nothing between elements.
    size::Expression spread = size * (interior + 1) - interior;
    if (interior != 0)
      spread = sizes.ranges().simplified(
          size::Expression::maximum(spread, constant(0)));
    size::Expression end = spread + op.getEdgePaddingLow()[i];
    Value part = BroadcastInDimOp::create(
        builder, loc, maskType, values.inside(end, type.getDimSize(i)),
        builder.getDenseI64ArrayAttr({i}));
    valid = valid ? Value(AndOp::create(builder, loc, maskType, valid, part))
                  : part;
  }
  if (!valid)
    return success();
  ++changes;
  Value fill = spread(builder, loc, op.getPaddingValue(), type);
  auto chosen =
      SelectOp::create(builder, loc, type, valid, op.getResult(), fill);
  table.setExtents(chosen.getResult(),
                   Extents(SizeTable::Extents(table.extents(op.getResult()))));
  op.getResult().replaceAllUsesExcept(chosen.getResult(), chosen);
  return success();
}

/// Each piece is written where the one before truly ends, over its padding.
LogicalResult PaddingMasker::visitConcatenate(ConcatenateOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  int64_t dim = op.getDimension();
  if (llvm::none_of(op.getInputs().drop_back(),
                    [&](Value input) { return isBounded(input, dim); }))
    return success();
  OpBuilder builder(op);
  Location loc = op.getLoc();
  // Room for every piece wherever it begins: all together may be longer than
  // the result's bound, where the pieces are never at their bounds together.
  SmallVector<int64_t> room(type.getShape());
  room[dim] = 0;
  for (Value input : op.getInputs())
    room[dim] += cast<RankedTensorType>(input.getType()).getDimSize(dim);
  auto wide = RankedTensorType::get(room, type.getElementType());
  Value result;
  size::Expression offset = constant(0);
  Value zero = numberEverywhere(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()), 0);
  for (Value input : op.getInputs()) {
    if (!result) {
      SmallVector<int64_t> extra(type.getRank(), 0);
      extra[dim] =
          room[dim] - cast<RankedTensorType>(input.getType()).getDimSize(dim);
      result = lengthen(builder, loc, input, extra);
      if (!result)
        return refuse(op, "joins such elements along a bounded dimension");
    } else {
      SmallVector<Value> places(type.getRank(), zero);
      places[dim] = values.scalar(offset);
      result = DynamicUpdateSliceOp::create(builder, loc, wide, result, input,
                                            places);
    }
    offset = offset + extent(input, dim);
  }
  if (wide != type)
    result = SliceOp::create(
        builder, loc, type, result, SmallVector<int64_t>(type.getRank(), 0),
        type.getShape(), SmallVector<int64_t>(type.getRank(), 1));
  replace(op, result);
  return success();
}

/// What is reversed with its padding begins with it.
LogicalResult PaddingMasker::visitReverse(ReverseOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> extra(type.getRank(), 0);
  SmallVector<Value> places(
      type.getRank(),
      numberEverywhere(builder, loc,
                       RankedTensorType::get({}, builder.getI32Type()), 0));
  bool moves = false;
  for (int64_t dim : op.getDimensions()) {
    size::Expression size = table.extent(op.getOperand(), dim);
    if (!size)
      continue;
    moves = true;
    extra[dim] = type.getDimSize(dim);
    places[dim] = values.scalar(constant(type.getDimSize(dim)) - size);
  }
  if (!moves)
    return success();
  auto again = cast<ReverseOp>(builder.clone(*op));
  Value longer = lengthen(builder, loc, again.getResult(), extra);
  if (!longer)
    return refuse(op, "moves such elements by a bounded size");
  Value result =
      DynamicSliceOp::create(builder, loc, type, longer, places,
                             builder.getDenseI64ArrayAttr(type.getShape()));
  replace(op, result);
  return success();
}

} // namespace heddle
