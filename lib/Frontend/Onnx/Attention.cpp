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
  int64_t rows = 0, columns = 0;
};

} // namespace

Value heddle::onnx::splitHeads(NodeImporter &node, Value x, int64_t heads) {
  Emitter &emit = node.emit;
  Extents shape = Emitter::shapeOf(x);
  if (shape.size() == 4)
    return x;
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    (void)node.invalid("an input of the shape " + spellShape(shape) +
                       " has no " + Twine(heads) + " heads");
    return {};
  }
  Value split = emit.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  return emit.transpose(split, {0, 2, 1, 3});
}

Value heddle::onnx::emitAttention(Emitter &emit, stablehlo::Attention whole) {
  OwnedExtents shape(Emitter::shapeOf(whole.query));
  shape.back() = Emitter::shapeOf(whole.value).back();
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
static Value repeatHeads(Emitter &emit, Value x, int64_t times) {
  if (times == 1)
    return x;
  Extents shape = Emitter::shapeOf(x);
  Value wide = emit.broadcastInDim(
      x, {shape[0], shape[1], times, shape[2], shape[3]}, {0, 1, 3, 4});
  return emit.reshape(wide, {shape[0], shape[1] * times, shape[2], shape[3]});
}

static Value negativeInfinity(Emitter &emit, RankedTensorType type) {
  return emit.splat(type, -std::numeric_limits<double>::infinity());
}

/// 0 where a condition holds, -inf elsewhere.
static Value biasWhere(Emitter &emit, Value condition, Type element) {
  auto type = RankedTensorType::get(Emitter::shapeOf(condition), element);
  return emit.select(condition, emit.splat(type, 0),
                     negativeInfinity(emit, type));
}

/// The mask as something to add, padded to all columns with what is not to be
/// seen.
static Value maskBias(NodeImporter &node, Value mask, int64_t columns,
                      Type element) {
  Emitter &emit = node.emit;
  bool isBool = Emitter::elementOf(mask).isInteger(1);
  auto scalarType = RankedTensorType::get({}, Emitter::elementOf(mask));
  int64_t rank = Emitter::typeOf(mask).getRank();
  int64_t missing = rank == 0 ? 0 : columns - Emitter::shapeOf(mask).back();
  if (missing > 0 && Emitter::shapeOf(mask).back() != 1) {
    OwnedExtents low(rank, 0), high(rank, 0);
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
  int64_t rows = attention.rows, columns = attention.columns;
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
    auto type = RankedTensorType::get({1, 1, rows, columns},
                                      node.builder().getI64Type());
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
    int64_t batch = node.shape(0)[0];
    auto type = RankedTensorType::get({batch, 1, 1, columns},
                                      node.builder().getI64Type());
    Value filled = emit.broadcastInDim(node.operand(6), type.getShape(), 0);
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
                     double scale, int64_t past) {
  Emitter &emit = node.emit;
  Type element = Emitter::elementOf(attention.query);
  int64_t rows = attention.rows, columns = attention.columns;
  int64_t left = node.integerAttribute("left_window_size", -1);
  int64_t right = node.integerAttribute("right_window_size", -1);
  bool causal = node.integerAttribute("is_causal", 0) != 0 || right == 0;
  bool hasLengths = node.has(6);
  // The composite's last query stands beside its last key.
  bool fitsPlaces = hasLengths ? !node.has(4) : columns - rows == past;
  bool isFloat = isa<FloatType>(element);
  if (node.has(3) || node.wants(3) || !isFloat || columns == 0 ||
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
  Extents shape = Emitter::shapeOf(result);
  // A row that sees no key is zero.
  auto places = RankedTensorType::get({shape[0], 1, rows, 1},
                                      node.builder().getI64Type());
  Value filled = emit.broadcastInDim(
      emit.convert(node.operand(6), node.builder().getI64Type()),
      places.getShape(), 0);
  Value first =
      causal
          ? emit.add(filled, emit.subtract(emit.iota(places, 2),
                                           emit.splatInteger(places, rows - 1)))
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
  int64_t past = 0;
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

  Extents q = Emitter::shapeOf(attention.query);
  Extents k = Emitter::shapeOf(attention.key);
  if (k[1] == 0 || q[1] % k[1] != 0 || q[0] != k[0] || q[3] != k[3] ||
      (node.has(6) && (node.rank(6) != 1 || node.shape(6)[0] != q[0])))
    return node.invalid("queries of the shape " + spellShape(q) +
                        " do not fit keys of the shape " + spellShape(k));
  attention.rows = q[2];
  attention.columns = k[2];
  double scale = node.floatAttribute(
      "scale", 1 / std::sqrt(double(std::max<int64_t>(q[3], 1))));
  auto give = [&](Value result) {
    if (node.rank(0) == 3) {
      Extents shape = Emitter::shapeOf(result);
      OwnedExtents flat{shape[0], shape[2], shape[1] * shape[3]};
      result = emit.reshape(emit.transpose(result, {0, 2, 1, 3}), flat);
    }
    return node.result(result);
  };
  if (Value result = byPlace(node, attention, scale, past))
    return give(result);
  auto single = RankedTensorType::get({1, 1, 1, 1}, builder.getI64Type());
  attention.offset = emit.splatInteger(single, past);
  if (node.has(6) && !node.has(4))
    attention.offset = emit.reshape(
        emit.subtract(
            emit.convert(node.operand(6), builder.getI64Type()),
            emit.splatInteger(
                RankedTensorType::get(node.shape(6), builder.getI64Type()),
                attention.rows)),
        {q[0], 1, 1, 1});

  Value key = repeatHeads(emit, attention.key, q[1] / k[1]);
  Value value = repeatHeads(emit, attention.value, q[1] / k[1]);
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
    scores = emit.add(scores, emit.broadcastTo(bias, Emitter::shapeOf(scores)));
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
    Value wide = emit.broadcastTo(bias, Emitter::shapeOf(scores));
    Value best = emit.reduce(wide, 3, Combine::Maximum, /*keepDims=*/true);
    Value hidden = emit.compare(
        best, negativeInfinity(emit, Emitter::typeOf(best)), Direction::EQ);
    result = emit.select(emit.broadcastTo(hidden, Emitter::shapeOf(result)),
                         emit.splatLike(result, 0), result);
    if (node.wants(3) && outputMode == 3)
      weights = emit.select(emit.broadcastTo(hidden, Emitter::shapeOf(weights)),
                            emit.splatLike(weights, 0), weights);
  }
  if (outputMode == 3)
    shown = weights;
  node.set(3, shown);
  return give(result);
}

Value heddle::onnx::rotatePairs(Emitter &emit, Value x, Value cosine,
                                Value sine, bool interleaved) {
  OwnedExtents shape(Emitter::shapeOf(x));
  int64_t half = Emitter::shapeOf(cosine).back(), turned = 2 * half;
  OwnedExtents angles{shape[0], shape[1], shape[2], half};
  cosine = emit.broadcastInDim(cosine, angles, {0, 1, 3});
  sine = emit.broadcastInDim(sine, angles, {0, 1, 3});
  Value rotated = emit.sliceDim(x, 3, 0, turned), first, second;
  OwnedExtents pairs{shape[0], shape[1], shape[2], half, 2};
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
    OwnedExtents column(angles);
    column.push_back(1);
    rotated = emit.reshape(
        emit.concatenate(
            {emit.reshape(real, column), emit.reshape(imaginary, column)}, 4),
        {shape[0], shape[1], shape[2], turned});
  } else {
    rotated = emit.concatenate({real, imaginary}, 3);
  }
  if (turned == shape[3])
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
  if (isFlat && (heads < 1 || node.shape(0)[2] % heads != 0))
    return node.invalid("num_heads = " + Twine(heads) +
                        " does not divide the last dimension");
  if (!isFlat && node.rank(0) != 4)
    return node.invalid("the input has neither 3 nor 4 dimensions");
  // [batch, sequence, heads, size]
  if (isFlat)
    x = emit.reshape(x, {node.shape(0)[0], node.shape(0)[1], heads,
                         node.shape(0)[2] / heads});
  else
    x = emit.transpose(x, {0, 2, 1, 3});
  OwnedExtents shape(Emitter::shapeOf(x));
  turned = turned == 0 ? shape[3] : turned;
  if (turned < 2 || turned > shape[3] || turned % 2 != 0)
    return node.invalid("rotary_embedding_dim = " + Twine(turned) +
                        " does not fit heads of " + Twine(shape[3]));
  int64_t half = turned / 2;
  Value tables[2];
  size_t places[2] = {cosines, sines};
  for (auto [table, place] : llvm::zip_equal(tables, places)) {
    table = node.operand(place);
    if (node.has(positions))
      table = emit.take(table, node.operand(positions), 0);
    Extents from = Emitter::shapeOf(table);
    if (from.size() != 3 || from[2] != half)
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
