// NonMaxSuppression: of boxes that overlap, those of the best scores.
//
// Boxes are sorted by their scores, for each class of each batch. A loop looks
// at one place of all these rows in each step: a box there that is left is
// kept, and what it overlaps is left no longer.

#include "ComputedShapes.h"
#include "LoopEmitter.h"
#include "Selection.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;
using Direction = stablehlo::ComparisonDirection;

namespace {
/// The sides of boxes, and their areas.
struct Boxes {
  Value top, left, bottom, right, area;

  template <typename Function> Boxes map(Function function) const {
    return {function(top), function(left), function(bottom), function(right),
            function(area)};
  }
};
} // namespace

/// Of [batch, box, 4]: two opposite corners y x y x in any order or, if
/// `isCenter`, x y of the center, width and height.
static Boxes readBoxes(Emitter &emit, Value boxes, bool isCenter) {
  Shape shape = emit.shapeOf(boxes).before(1);
  auto column = [&](int64_t i) {
    return emit.reshape(emit.sliceDim(boxes, 2, i, i + 1), shape);
  };
  Value a = column(0), b = column(1), c = column(2), d = column(3);
  Boxes result;
  if (isCenter) {
    Value width = emit.divide(c, emit.splatLike(c, 2)),
          height = emit.divide(d, emit.splatLike(d, 2));
    result = {emit.subtract(b, height),
              emit.subtract(a, width),
              emit.add(b, height),
              emit.add(a, width),
              {}};
  } else {
    result = {emit.minimum(a, c),
              emit.minimum(b, d),
              emit.maximum(a, c),
              emit.maximum(b, d),
              {}};
  }
  result.area = emit.multiply(emit.subtract(result.bottom, result.top),
                              emit.subtract(result.right, result.left));
  return result;
}

/// Whether the areas that two boxes have in common are more than `threshold` of
/// what they cover together.
static Value overlap(Emitter &emit, const Boxes &one, const Boxes &other,
                     Value threshold) {
  auto both = [&](Value from, Value otherFrom, Value to, Value otherTo) {
    Value length =
        emit.subtract(emit.minimum(to, otherTo), emit.maximum(from, otherFrom));
    return emit.maximum(length, emit.splatLike(length, 0));
  };
  Value shared =
      emit.multiply(both(one.top, other.top, one.bottom, other.bottom),
                    both(one.left, other.left, one.right, other.right));
  Value covered = emit.subtract(emit.add(one.area, other.area), shared);
  Value zero = emit.splatLike(shared, 0);
  Value isMore =
      emit.compare(emit.divide(shared, covered), threshold, Direction::GT);
  for (Value positive : {shared, covered, one.area, other.area})
    isMore = emit.binary<stablehlo::AndOp>(
        isMore, emit.compare(positive, zero, Direction::GT));
  return isMore;
}

namespace {
/// What the operator's optional operands say.
struct Limits {
  Value most;      ///< Boxes that are kept of each class, an i64 scalar.
  Value threshold; ///< Of overlaps, as `scores`.
  Value least;     ///< Of scores, a scalar; null if there is none.
};
} // namespace

/// Which of the rows' places are kept, in a loop over these.
static Value keptPlaces(Emitter &emit, Value isCandidate, const Boxes &boxes,
                        const Limits &limits) {
  Type i64 = emit.builder.getI64Type();
  Shape shape = emit.shapeOf(isCandidate), row = shape.before(1);
  Value none = emit.splatLike(isCandidate, 0);
  Value counts = emit.splat(emit.type(row, i64), 0);
  Value iota = emit.iota(emit.type(shape, i64), 2);
  // Candidates come first: no more steps than the most of them.
  Value steps = emit.reduce(
      emit.reduce(emit.convert(isCandidate, i64), {2}, Combine::Add), {0, 1},
      Combine::Maximum);
  // Nor any where all rows have as many as they may.
  auto haveRoom = [&](Value count) {
    return emit.compare(count, emit.broadcastTo(limits.most, row),
                        Direction::LT);
  };
  auto anyRoom = [&](Value count) {
    return emit.reduce(haveRoom(count), {0, 1}, Combine::Or);
  };
  LoopEmitter loop(emit, {isCandidate, counts, none, anyRoom(counts)});
  SmallVector<Value> carried = loop.carried();
  Value left = carried[0], count = carried[1], kept = carried[2];
  Value at = loop.number();
  auto here = [&](Value value) {
    return emit.broadcastTo(sliceAt(emit, value, 2, at), shape);
  };
  Value isLeft = emit.reshape(sliceAt(emit, left, 2, at), row);
  Value isKept = emit.binary<stablehlo::AndOp>(isLeft, haveRoom(count));
  Value inRow = emit.broadcastInDim(isKept, shape, {0, 1});
  Value isHere = emit.compare(iota, emit.broadcastTo(at, shape), Direction::EQ);
  Value overlaps = overlap(emit, boxes.map(here), boxes, limits.threshold);
  Value goes = emit.binary<stablehlo::AndOp>(inRow, overlaps);
  Value next = emit.add(count, emit.convert(isKept, i64));
  std::optional<SmallVector<Value>> last = loop.finish(
      {emit.binary<stablehlo::AndOp>(left, emit.unary<stablehlo::NotOp>(goes)),
       next,
       emit.binary<stablehlo::OrOp>(
           kept, emit.binary<stablehlo::AndOp>(isHere, inRow)),
       anyRoom(next)},
      steps, /*condition=*/3);
  return (*last)[2];
}

/// An operand of one element as a scalar; null if it is not given.
static Value scalarOperand(NodeImporter &node, size_t i) {
  if (!node.has(i))
    return {};
  if (node.type(i).getNumElements() != 1) {
    (void)node.invalid("input " + Twine(i) + " is not one number");
    return {};
  }
  return node.emit.reshape(node.operand(i), {});
}

/// Wants a threshold of overlaps from 0 to 1: of the node or, where it is data,
/// of each call.
static LogicalResult wantShare(NodeImporter &node, Value threshold) {
  Emitter &emit = node.emit;
  if (std::optional<Literal> known = readLiteral(threshold)) {
    double share = known->floats.front();
    if (share >= 0 && share <= 1)
      return success();
    return node.invalid("the threshold of overlaps is " +
                        std::to_string(share) + ", not from 0 to 1");
  }
  emit.wantAtCall(emit.binary<stablehlo::AndOp>(
      emit.compare(threshold, emit.splatLike(threshold, 0), Direction::GE),
      emit.compare(threshold, emit.splatLike(threshold, 1), Direction::LE)));
  return success();
}

static LogicalResult importNonMaxSuppression(NodeImporter &node) {
  Emitter &emit = node.emit;
  Type i64 = node.builder().getI64Type();
  bool isCenter = node.integerAttribute("center_point_box", 0) != 0;
  Shape boxShape = node.shape(0), shape = node.shape(1);
  if (boxShape.size() != 3 || shape.size() != 3 || !boxShape[2].is(4) ||
      !isa<FloatType>(node.element(0)) || node.element(0) != node.element(1) ||
      !Extent::meet(boxShape[0], shape[0]) ||
      !Extent::meet(boxShape[1], shape[2]))
    return node.invalid("boxes of the shape " + spellShape(boxShape) +
                        " and scores of the shape " + spellShape(shape) +
                        " do not fit");
  if (!emit.mayComputeSizes())
    return refuseWithin(node);
  Limits limits;
  limits.most = scalarOperand(node, 2);
  limits.threshold = scalarOperand(node, 3);
  limits.least = scalarOperand(node, 4);
  if (emit.hasFault())
    return failure();
  limits.most =
      limits.most ? emit.convert(limits.most, i64) : integerScalar(emit, 0);
  if (!limits.threshold)
    limits.threshold = emit.scalar(node.element(0), 0);
  if (failed(wantShare(node, limits.threshold)))
    return failure();
  limits.threshold = emit.broadcastTo(limits.threshold, shape);
  if (shape.product().is(0))
    return node.result(emit.splat(emit.type({0, 3}, i64), 0));

  // The best first, and behind them what is no candidate.
  Value scores = node.operand(1);
  Value isCandidate =
      emit.splat(emit.type(shape, node.builder().getI1Type()), 1);
  if (limits.least) {
    isCandidate = emit.compare(scores, emit.broadcastTo(limits.least, shape),
                               Direction::GT);
    scores = emit.select(
        isCandidate, scores,
        emit.broadcastTo(
            emit.lowest(RankedTensorType::get({}, node.element(1))), shape));
  }
  Value places = emit.iota(emit.type(shape, i64), 2);
  Value order = emit.sortPairs(scores, places, 2, /*descending=*/true).second;
  if (limits.least) {
    Value sums = emit.reduce(emit.convert(isCandidate, i64), {2}, Combine::Add);
    isCandidate = emit.compare(places, emit.broadcastInDim(sums, shape, {0, 1}),
                               Direction::LT);
  }
  Value batch = emit.iota(emit.type(shape, i64), 0);
  Value inAll =
      emit.add(emit.multiply(batch, emit.numberLike(batch, shape[2])), order);
  Boxes sorted =
      readBoxes(emit, node.operand(0), isCenter).map([&](Value side) {
        Value row = emit.reshape(side, {boxShape.before(1).product()});
        return emit.take(neverEmpty(emit, row, 0), inAll, 0);
      });
  Value kept = keptPlaces(emit, isCandidate, sorted, limits);

  Shape all{shape.product()};
  int64_t most = all[0].bound();
  if (std::optional<Literal> known = readLiteral(limits.most))
    most = std::min(most, shape.before(1).product().bound() *
                              std::clamp<int64_t>(known->integers.front(), 0,
                                                  shape[2].bound()));
  Value at = select(emit, emit.reshape(kept, all)).first(emit, most);
  Value row = emit.divide(at, emit.numberLike(at, shape[2]));
  Value classes = emit.numberLike(at, shape[1]);
  Value box = emit.take(neverEmpty(emit, emit.reshape(order, all), 0), at, 0);
  SmallVector<Value> columns = {emit.divide(row, classes),
                                emit.binary<stablehlo::RemOp>(row, classes),
                                box};
  for (Value &column : columns)
    column = emit.reshape(column, {emit.extentOf(column, 0), 1});
  return node.result(emit.concatenate(columns, 1));
}

void heddle::onnx::addBoxSelection(OperatorTable &table) {
  table.add("NonMaxSuppression", {10, 11}, 2, 5, importNonMaxSuppression);
}
