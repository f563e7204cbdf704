// Attention and rotary embeddings. Attention over keys that count by their
// place is a composite; other forms are spelled out the way exporters do, which
// the graph passes recognise.

#include "dialects/StableHlo/Attention.h"
#include "Functions.h"
#include "NodeImporter.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

namespace {

/// The parts of an Attention node, brought to [batch, heads, sequence, size].
struct Attention {
  Value query, key, value;
  /// Queries at position i see keys up to i + offset (causal), or around it
  /// (windows).
  Value offset;
  Extent rows, columns;
};

} // namespace

Value heddle::onnx::splitHeads(NodeImporter &node, Value x, int64_t heads) {
  Emitter &emit = node.emit;
  Shape shape = emit.shapeOf(x);
  if (shape.size() == 4)
    return x;
  std::optional<Extent> size = shape.size() == 3 && heads >= 1
                                   ? shape[2].dividedBy(heads)
                                   : std::nullopt;
  if (!size) {
    (void)node.invalid("an input of the shape " + spellShape(shape) +
                       " has no " + Twine(heads) + " heads");
    return {};
  }
  Value split = emit.reshape(x, {shape[0], shape[1], heads, *size});
  return emit.transpose(split, {0, 2, 1, 3});
}

Value heddle::onnx::emitAttention(Emitter &emit, stablehlo::Attention whole) {
  // The decomposition is written for numbers.
  for (Value input : whole.inputs())
    if (!emit.shapeOf(input).areKnown())
      return {};
  Shape shape = emit.shapeOf(whole.query);
  shape.back() = emit.shapeOf(whole.value).back();
  whole.result = emit.type(shape, Emitter::elementOf(whole.query));
  Type given = whole.result;
  auto body = [&](Emitter &inside, ValueRange arguments) {
    std::optional<stablehlo::Attention> own = stablehlo::Attention::read(
        arguments, whole.attributes(), TypeRange(given));
    return own ? stablehlo::decomposeAttention(inside.builder,
                                               arguments.front().getLoc(), *own)
               : SmallVector<Value>();
  };
  if (!stablehlo::Attention::read(whole.inputs(), whole.attributes(),
                                  TypeRange(given)))
    return {};
  return emit
      .composite("heddle.attention", whole.inputs(), whole.attributes(), body)
      .front();
}

/// Grouped queries: each key and value head serves several query heads.
static Value repeatHeads(Emitter &emit, Value x, const Extent &times) {
  if (times.is(1))
    return x;
  Shape shape = emit.shapeOf(x);
  Value wide = emit.broadcastInDim(
      x, {shape[0], shape[1], times, shape[2], shape[3]}, {0, 1, 3, 4});
  return emit.reshape(wide, {shape[0], shape[1] * times, shape[2], shape[3]});
}

static Value negativeInfinity(Emitter &emit, RankedTensorType type) {
  return emit.splat(type, -std::numeric_limits<double>::infinity());
}

/// 0 where a condition holds, -inf elsewhere.
static Value biasWhere(Emitter &emit, Value condition, Type element) {
  RankedTensorType type = emit.type(emit.shapeOf(condition), element);
  return emit.select(condition, emit.splat(type, 0),
                     negativeInfinity(emit, type));
}

/// The mask as something to add, padded to all columns with what is not to be
/// seen.
static Value maskBias(NodeImporter &node, Value mask, const Extent &columns,
                      Type element) {
  Emitter &emit = node.emit;
  bool isBool = Emitter::elementOf(mask).isInteger(1);
  auto scalarType = RankedTensorType::get({}, Emitter::elementOf(mask));
  int64_t rank = Emitter::typeOf(mask).getRank();
  Extent given = rank == 0 ? columns : emit.shapeOf(mask).back();
  Extent missing = columns - given;
  if (missing.least() >= 0 && !missing.is(0) && !given.is(1)) {
    Shape low(rank, 0), high(rank, 0);
    high.back() = missing;
    Value fill =
        isBool ? emit.splat(scalarType, 0) : negativeInfinity(emit, scalarType);
    mask = emit.pad(mask, fill, low, high);
  }
  if (isBool)
    return biasWhere(emit, mask, element);
  return emit.convert(mask, element);
}

/// All that is added to the scores, broadcastable to [batch, heads, rows,
/// columns]; null for nothing.
static Value scoreBias(NodeImporter &node, const Attention &attention,
                       bool &mayHideRows) {
  Emitter &emit = node.emit;
  Type element = Emitter::elementOf(attention.query);
  Extent rows = attention.rows, columns = attention.columns;
  bool causal = node.integerAttribute("is_causal", 0) != 0;
  int64_t left = node.integerAttribute("left_window_size", -1);
  int64_t right = node.integerAttribute("right_window_size", -1);
  Value bias;
  auto addBias = [&](Value more) { bias = bias ? emit.add(bias, more) : more; };
  if (node.has(3)) {
    addBias(maskBias(node, node.operand(3), columns, element));
    mayHideRows = true;
  }
  if (causal || left >= 0 || right >= 0) {
    RankedTensorType type =
        emit.type({1, 1, rows, columns}, node.builder().getI64Type());
    Value row = emit.iota(type, 2), column = emit.iota(type, 3);
    // Per batch for caches of a fixed size, where it may be negative and hide
    // whole rows.
    Value at = emit.add(row, attention.offset);
    mayHideRows |= node.has(6) || left >= 0 || right >= 0;
    if (causal)
      addBias(
          biasWhere(emit, emit.compare(column, at, Direction::LE), element));
    Value distance = emit.subtract(at, column);
    if (left >= 0)
      addBias(biasWhere(
          emit,
          emit.compare(distance, emit.splatLike(distance, left), Direction::LE),
          element));
    if (right >= 0)
      addBias(biasWhere(emit,
                        emit.compare(distance, emit.splatLike(distance, -right),
                                     Direction::GE),
                        element));
  }
  if (node.has(6)) {
    mayHideRows = true;
    Shape places{node.shape(0)[0], 1, 1, columns};
    RankedTensorType type = emit.type(places, node.builder().getI64Type());
    Value filled = emit.broadcastInDim(node.operand(6), places, 0);
    addBias(biasWhere(emit,
                      emit.compare(emit.iota(type, 3), filled, Direction::LT),
                      element));
  }
  return bias;
}

/// `attention` where keys count by their place alone, as the composite
/// `heddle.attention`: causal, in a window, or as many as the cache is filled
/// with. Null for other forms.
static Value byPlace(NodeImporter &node, const Attention &attention,
                     double scale, const Extent &past) {
  Emitter &emit = node.emit;
  Type element = Emitter::elementOf(attention.query);
  Extent rows = attention.rows, columns = attention.columns;
  int64_t left = node.integerAttribute("left_window_size", -1);
  int64_t right = node.integerAttribute("right_window_size", -1);
  bool causal = node.integerAttribute("is_causal", 0) != 0 || right == 0;
  bool hasLengths = node.has(6);
  // The composite's last query stands beside its last key.
  bool fitsPlaces = hasLengths ? !node.has(4) : (columns - rows).isSame(past);
  bool isFloat = isa<FloatType>(element);
  if (node.has(3) || node.wants(3) || !isFloat || columns.is(0) ||
      node.floatAttribute("softcap", 0) > 0 ||
      node.typeAttribute("softmax_precision", element) != element ||
      (right > 0 && !causal) || !fitsPlaces ||
      !(causal || left >= 0 || hasLengths))
    return {};

  stablehlo::Attention whole;
  whole.query = attention.query;
  whole.key = attention.key;
  whole.value = attention.value;
  if (hasLengths)
    whole.lengths = node.operand(6);
  whole.scale = scale;
  whole.causal = causal;
  if (left >= 0)
    whole.window = std::min<int64_t>(left, INT32_MAX) + 1;
  whole.accumulator = cast<FloatType>(element);
  Value result = emitAttention(emit, whole);
  if (!result || !hasLengths)
    return result;
  Shape shape = emit.shapeOf(result);
  // A row that sees no key is zero.
  Shape column{shape[0], 1, rows, 1};
  RankedTensorType places = emit.type(column, node.builder().getI64Type());
  Value filled = emit.broadcastInDim(
      emit.convert(node.operand(6), node.builder().getI64Type()), column, 0);
  Value first =
      causal
          ? emit.add(filled, emit.subtract(emit.iota(places, 2),
                                           emit.numberLike(filled, rows - 1)))
          : filled;
  Value seen = emit.compare(first, emit.splatInteger(places, 0), Direction::GT);
  return emit.select(emit.broadcastTo(seen, shape), result,
                     emit.splatLike(result, 0));
}

static LogicalResult importAttention(NodeImporter &node) {
  Emitter &emit = node.emit;
  Builder &builder = node.builder();
  int64_t queryHeads = node.integerAttribute("q_num_heads", 0);
  int64_t keyHeads = node.integerAttribute("kv_num_heads", 0);
  double softcap = node.floatAttribute("softcap", 0);
  int64_t outputMode = node.integerAttribute("qk_matmul_output_mode", 0);
  Attention attention;
  attention.query = splitHeads(node, node.operand(0), queryHeads);
  attention.key = splitHeads(node, node.operand(1), keyHeads);
  attention.value = splitHeads(node, node.operand(2), keyHeads);
  if (emit.hasFault())
    return failure();
  if (node.has(4) != node.has(5))
    return node.invalid("past_key and past_value must be given together");
  Extent past = 0;
  if (node.has(4)) {
    if (node.rank(4) != 4 || node.rank(5) != 4)
      return node.invalid("past_key and past_value need four dimensions");
    past = node.shape(4)[2];
    attention.key = emit.concatenate({node.operand(4), attention.key}, 2);
    attention.value = emit.concatenate({node.operand(5), attention.value}, 2);
  }
  if (emit.hasFault())
    return failure();
  node.set(1, attention.key);
  node.set(2, attention.value);

  Shape q = emit.shapeOf(attention.query);
  Shape k = emit.shapeOf(attention.key);
  std::optional<Extent> share = q[1].dividedBy(k[1]);
  if (!share || !Extent::meet(q[0], k[0]) || !Extent::meet(q[3], k[3]) ||
      (node.has(6) &&
       (node.rank(6) != 1 || !Extent::meet(node.shape(6)[0], q[0]))))
    return node.invalid("queries of the shape " + spellShape(q) +
                        " do not fit keys of the shape " + spellShape(k));
  attention.rows = q[2];
  attention.columns = k[2];
  double scale = node.floatAttribute(
      "scale", 1 / std::sqrt(double(std::max<int64_t>(
                       emit.knownExtentOf(attention.query, 3), 1))));
  auto give = [&](Value result) {
    if (node.rank(0) == 3) {
      Shape shape = emit.shapeOf(result);
      Shape flat{shape[0], shape[2], shape[1] * shape[3]};
      result = emit.reshape(emit.transpose(result, {0, 2, 1, 3}), flat);
    }
    return node.result(result);
  };
  if (Value result = byPlace(node, attention, scale, past))
    return give(result);
  attention.offset =
      emit.reshape(emit.number(past, builder.getI64Type()), {1, 1, 1, 1});
  if (node.has(6) && !node.has(4)) {
    Value lengths = emit.convert(node.operand(6), builder.getI64Type());
    attention.offset = emit.reshape(
        emit.subtract(lengths, emit.numberLike(lengths, attention.rows)),
        {q[0], 1, 1, 1});
  }

  Value key = repeatHeads(emit, attention.key, *share);
  Value value = repeatHeads(emit, attention.value, *share);
  Value scores = emit.dotGeneral(attention.query, key, {0, 1}, {0, 1}, 3, 3);
  scores = emit.multiply(scores, emit.splatLike(scores, scale));
  Value shown = scores;
  if (softcap > 0) {
    Value cap = emit.splatLike(scores, softcap);
    scores = emit.multiply(
        emit.unary<stablehlo::TanhOp>(emit.divide(scores, cap)), cap);
    if (outputMode == 1)
      shown = scores;
  }
  bool mayHideRows = false;
  Value bias = scoreBias(node, attention, mayHideRows);
  if (emit.hasFault())
    return failure();
  if (bias)
    scores = emit.add(scores, emit.broadcastTo(bias, emit.shapeOf(scores)));
  if (outputMode == 2)
    shown = scores;
  Type element = Emitter::elementOf(attention.query);
  Type precise = node.typeAttribute("softmax_precision", element);
  if (!precise)
    return failure();
  Value weights =
      emit.convert(softmax(emit, emit.convert(scores, precise), 3), element);
  Value result = emit.dotGeneral(weights, value, {0, 1}, {0, 1}, 3, 2);

  // A row that sees no key is zero. Chosen at the very end, so that softmax and
  // product stay side by side.
  if (mayHideRows && !emit.hasFault()) {
    Value wide = emit.broadcastTo(bias, emit.shapeOf(scores));
    Value best = emit.reduce(wide, 3, Combine::Maximum, /*keepDims=*/true);
    Value hidden = emit.compare(
        best, negativeInfinity(emit, Emitter::typeOf(best)), Direction::EQ);
    result = emit.select(emit.broadcastTo(hidden, emit.shapeOf(result)),
                         emit.splatLike(result, 0), result);
    if (node.wants(3) && outputMode == 3)
      weights = emit.select(emit.broadcastTo(hidden, emit.shapeOf(weights)),
                            emit.splatLike(weights, 0), weights);
  }
  if (outputMode == 3)
    shown = weights;
  node.set(3, shown);
  return give(result);
}

Value heddle::onnx::rotatePairs(Emitter &emit, Value x, Value cosine,
                                Value sine, bool interleaved) {
  Shape shape = emit.shapeOf(x);
  Extent half = emit.shapeOf(cosine).back(), turned = half * 2;
  Shape angles{shape[0], shape[1], shape[2], half};
  cosine = emit.broadcastInDim(cosine, angles, {0, 1, 3});
  sine = emit.broadcastInDim(sine, angles, {0, 1, 3});
  Value rotated = emit.sliceDim(x, 3, 0, turned), first, second;
  Shape pairs{shape[0], shape[1], shape[2], half, 2};
  if (interleaved) {
    Value split = emit.reshape(rotated, pairs);
    first = emit.reshape(emit.sliceDim(split, 4, 0, 1), angles);
    second = emit.reshape(emit.sliceDim(split, 4, 1, 2), angles);
  } else {
    first = emit.sliceDim(rotated, 3, 0, half);
    second = emit.sliceDim(rotated, 3, half, turned);
  }
  Value real =
      emit.subtract(emit.multiply(cosine, first), emit.multiply(sine, second));
  Value imaginary =
      emit.add(emit.multiply(sine, first), emit.multiply(cosine, second));
  if (emit.hasFault())
    return x;
  if (interleaved) {
    Shape column(angles);
    column.push_back(1);
    rotated = emit.reshape(
        emit.concatenate(
            {emit.reshape(real, column), emit.reshape(imaginary, column)}, 4),
        {shape[0], shape[1], shape[2], turned});
  } else {
    rotated = emit.concatenate({real, imaginary}, 3);
  }
  if (turned.isSame(shape[3]))
    return rotated;
  return emit.concatenate({rotated, emit.sliceDim(x, 3, turned, shape[3])}, 3);
}

/// `cosines`, `sines` and `positions` are the places of its other inputs.
static LogicalResult rotate(NodeImporter &node, size_t cosines, size_t sines,
                            size_t positions) {
  Emitter &emit = node.emit;
  bool interleaved = node.integerAttribute("interleaved", 0) != 0;
  int64_t heads = node.integerAttribute("num_heads", 0);
  int64_t turned = node.integerAttribute("rotary_embedding_dim", 0);
  bool isFlat = node.rank(0) == 3;
  Value x = node.operand(0);
  std::optional<Extent> size =
      isFlat && heads >= 1 ? node.shape(0)[2].dividedBy(heads) : std::nullopt;
  if (isFlat && !size)
    return node.invalid("num_heads = " + Twine(heads) +
                        " does not divide the last dimension");
  if (!isFlat && node.rank(0) != 4)
    return node.invalid("the input has neither 3 nor 4 dimensions");
  // [batch, sequence, heads, size]
  if (isFlat)
    x = emit.reshape(x, {node.shape(0)[0], node.shape(0)[1], heads, *size});
  else
    x = emit.transpose(x, {0, 2, 1, 3});
  int64_t width = emit.knownExtentOf(x, 3);
  turned = turned == 0 ? width : turned;
  if (turned < 2 || turned > width || turned % 2 != 0)
    return node.invalid("rotary_embedding_dim = " + Twine(turned) +
                        " does not fit heads of " + Twine(width));
  int64_t half = turned / 2;
  Value tables[2];
  size_t places[2] = {cosines, sines};
  for (auto [table, place] : llvm::zip_equal(tables, places)) {
    table = node.operand(place);
    if (node.has(positions))
      table = emit.take(table, node.operand(positions), 0);
    Shape from = emit.shapeOf(table);
    if (from.size() != 3 || !Extent::meet(from[2], half))
      return node.invalid("a cache of the shape " + spellShape(from) +
                          " does not fit " + Twine(half) + " angles");
  }
  Value result = rotatePairs(emit, x, tables[0], tables[1], interleaved);
  if (emit.hasFault())
    return failure();
  result = isFlat ? emit.reshape(result, node.shape(0))
                  : emit.transpose(result, {0, 2, 1, 3});
  return node.result(result);
}

static LogicalResult importRotaryEmbedding(NodeImporter &node) {
  return rotate(node, 1, 2, 3);
}

/// The form of com.microsoft: positions come before the tables.
static LogicalResult importFusedRotaryEmbedding(NodeImporter &node) {
  if (node.rank(1) != 2)
    return node.unsupported("one position for all rows");
  if (node.integerAttribute("is_packed_batching", 0) != 0 ||
      node.floatAttribute("scale", 1) != 1)
    return node.unsupported("packed rows and scales");
  return rotate(node, 2, 3, 1);
}

void heddle::onnx::addAttention(OperatorTable &table) {
  table.add("Attention", {23, 24, 25}, 3, 7, importAttention, 4);
  table.add("RotaryEmbedding", {23}, 3, 4, importRotaryEmbedding);
  table.add("com.microsoft.RotaryEmbedding", {1}, 4, 4,
            importFusedRotaryEmbedding);
}
