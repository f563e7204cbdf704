// GroupQueryAttention of the domain com.microsoft, as exporters of decoders
// write it: attention over a cache of which each row of the batch has filled
// some, with rotary embeddings inside. It becomes the composite.

#include "Functions.h"
#include "NodeImporter.h"
#include "dialects/StableHlo/Attention.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

namespace {

/// Places of the node's inputs.
enum Input : size_t {
  Query,
  Key,
  Values,
  PastKey,
  PastValue,
  /// How many keys each row of the batch has with those of this node, less one.
  Lengths,
  /// The longest row, which the cache must hold.
  Total,
  Cosines,
  Sines,
  Positions,
  Bias,
  Sink,
  KeyScale,
  ValueScale
};

/// Imports one node.
class GroupedAttention {
public:
  explicit GroupedAttention(NodeImporter &node)
      : node(node), emit(node.emit),
        heads(node.integerAttribute("num_heads", 0)),
        keyHeads(node.integerAttribute("kv_num_heads", 0)) {}

  LogicalResult run();

private:
  LogicalResult checkForm();
  LogicalResult split();
  LogicalResult readLengths();
  LogicalResult turn();
  Value cached(size_t past, Value fresh);
  LogicalResult attend();

  /// [batch, sequence, heads, size] to [batch, heads, sequence, size].
  Value headsFirst(Value x) { return emit.transpose(x, {0, 2, 1, 3}); }

  NodeImporter &node;
  Emitter &emit;
  int64_t heads, keyHeads;
  int64_t batch = 0, rows = 0, size = 0;
  /// [batch, sequence, heads, size].
  Value query, key, value;
  /// Nothing was there before: keys begin at 0 whatever the lengths say.
  bool isFirst = false;
  /// Of the cache.
  int64_t columns = 0;
  /// i32 [batch]: how many keys there are, and where those of this node begin.
  Value filled, start;
};

} // namespace

LogicalResult GroupedAttention::checkForm() {
  if (node.floatAttribute("softcap", 0) != 0)
    return node.unsupported("softcap: scores that are bent before the softmax");
  if (node.integerAttribute("qk_output", 0) != 0 || node.wants(3))
    return node.unsupported("scores as a result");
  if (node.has(KeyScale) || node.has(ValueScale) ||
      node.integerAttribute("kv_cache_bit_width", 0) != 0 ||
      node.stringAttribute("k_quant_type", "NONE") != "NONE" ||
      node.stringAttribute("v_quant_type", "NONE") != "NONE")
    return node.unsupported("a quantized cache");
  if (heads < 1 || keyHeads < 1 || heads % keyHeads != 0)
    return node.invalid("num_heads = " + Twine(heads) +
                        " and kv_num_heads = " + Twine(keyHeads));
  if (node.has(Key) != node.has(Values) ||
      node.has(PastKey) != node.has(PastValue))
    return node.invalid("keys and values must be given together");
  if (node.rank(Query) != 3 || !isa<FloatType>(node.element(Query)))
    return node.invalid("queries must be floats of three dimensions");
  return success();
}

LogicalResult GroupedAttention::split() {
  OwnedExtents shape = node.knownShape(Query);
  batch = shape[0];
  rows = shape[1];
  int64_t parts = node.has(Key) ? heads : heads + 2 * keyHeads;
  if (shape[2] % parts != 0 || shape[2] == 0)
    return node.invalid("queries of the shape " + spellShape(shape) +
                        " have no " + Twine(parts) + " heads");
  size = shape[2] / parts;
  auto part = [&](Value x, int64_t from, int64_t count) {
    x = emit.sliceDim(x, 2, from * size, (from + count) * size);
    return emit.reshape(x, {batch, rows, count, size});
  };
  query = part(node.operand(Query), 0, heads);
  if (!node.has(Key)) {
    key = part(node.operand(Query), heads, keyHeads);
    value = part(node.operand(Query), heads + keyHeads, keyHeads);
    return success();
  }
  OwnedExtents wanted{batch, rows, keyHeads * size};
  for (size_t i : {Key, Values})
    if (node.knownShape(i) != wanted)
      return node.invalid("keys or values of the shape " +
                          spellShape(node.shape(i)) + " instead of " +
                          spellShape(wanted));
  key = part(node.operand(Key), 0, keyHeads);
  value = part(node.operand(Values), 0, keyHeads);
  return success();
}

LogicalResult GroupedAttention::readLengths() {
  if (!node.has(Lengths) || !node.has(Total))
    return node.invalid("seqlens_k and total_sequence_length are missing");
  std::optional<int64_t> total = node.integer(Total, "total_sequence_length");
  if (!total)
    return failure();
  if (node.type(Lengths).getNumElements() != batch ||
      !isa<IntegerType>(node.element(Lengths)))
    return node.invalid(
        "seqlens_k of the shape " + spellShape(node.shape(Lengths)) +
        " are not an integer for each of " + Twine(batch) + " rows");
  isFirst = *total == rows;
  int64_t past = 0;
  if (node.has(PastKey)) {
    for (size_t i : {PastKey, PastValue})
      if (OwnedExtents given = node.knownShape(i);
          given.size() != 4 || given[0] != batch || given[1] != keyHeads ||
          given[3] != size || given[2] != node.knownShape(PastKey)[2])
        return node.invalid("a cache of the shape " +
                            spellShape(node.shape(i)));
    past = node.knownShape(PastKey)[2];
  }
  if (*total < rows || (!isFirst && !node.has(PastKey)))
    return node.invalid("total_sequence_length = " + Twine(*total) + " for " +
                        Twine(rows) + " new keys and " + Twine(past) +
                        " before");
  if (!isFirst && batch > 1 && rows > 1)
    return node.unsupported("several new keys for each of several rows, behind "
                            "what these have");
  columns = std::max(past, *total);
  Type i32 = node.builder().getI32Type();
  auto type = emit.type({batch}, i32);
  Value last = emit.reshape(emit.convert(node.operand(Lengths), i32), {batch});
  filled = emit.add(last, emit.splatInteger(type, 1));
  start = isFirst ? emit.splatInteger(type, 0)
                  : emit.subtract(filled, emit.splatInteger(type, rows));
  return success();
}

/// Rotary embeddings of queries and of the new keys.
LogicalResult GroupedAttention::turn() {
  bool interleaved = node.integerAttribute("rotary_interleaved", 0) != 0;
  if (node.integerAttribute("do_rotary", 0) == 0)
    return success();
  if (!node.has(Cosines) || !node.has(Sines))
    return node.invalid("do_rotary needs cos_cache and sin_cache");
  Type i32 = node.builder().getI32Type();
  Value positions, first = start;
  if (node.has(Positions) &&
      (node.rank(Positions) != 2 || !isa<IntegerType>(node.element(Positions))))
    return node.invalid("position_ids are not an integer for each query");
  if (node.has(Positions) && isFirst) {
    // Of these the first call reads the first alone.
    Value given = emit.convert(node.operand(Positions), i32);
    first = emit.sliceDim(emit.sliceDim(given, 0, 0, 1), 1, 0, 1);
    first = emit.broadcastTo(emit.reshape(first, {1}), {batch});
  } else if (node.has(Positions)) {
    positions = node.operand(Positions);
  }
  if (!positions) {
    auto type = emit.type({batch, rows}, i32);
    positions = emit.add(emit.broadcastInDim(first, {batch, rows}, 0),
                         emit.iota(type, 1));
  }
  Value tables[2];
  Input places[2] = {Cosines, Sines};
  OwnedExtents wanted{batch, rows};
  for (auto [table, place] : llvm::zip_equal(tables, places)) {
    table = node.operand(place);
    OwnedExtents given = node.knownShape(place);
    if (given.size() != 2 || given[1] < 1 || 2 * given[1] > size ||
        given != node.knownShape(Cosines))
      return node.invalid("a table of the shape " +
                          spellShape(node.shape(place)) +
                          " does not fit heads of " + Twine(size));
    table = emit.take(table, positions, 0);
    if (emit.hasFault() || !emit.shapeOf(table).before(1).meets(wanted))
      return node.invalid("position_ids are not an integer for each query");
  }
  query = rotatePairs(emit, query, tables[0], tables[1], interleaved);
  key = rotatePairs(emit, key, tables[0], tables[1], interleaved);
  return success();
}

/// [batch, heads, columns, size]: the cache with what is new behind what each
/// row has. Beyond that it is what it was, or zero where it grows.
Value GroupedAttention::cached(size_t past, Value fresh) {
  fresh = headsFirst(fresh);
  auto grown = [&](Value x) {
    int64_t missing = columns - emit.knownExtentOf(x, 2);
    if (missing == 0)
      return x;
    return emit.pad(x, emit.scalar(Emitter::elementOf(x), 0), {0, 0, 0, 0},
                    {0, 0, missing, 0});
  };
  if (isFirst)
    return grown(fresh);
  Value old = grown(node.operand(past));
  if (emit.hasFault())
    return old;
  if (batch == 1) {
    Value zero =
        emit.splatInteger(emit.type({}, node.builder().getI32Type()), 0);
    return stablehlo::DynamicUpdateSliceOp::create(
        node.builder(), emit.loc, old.getType(), old, fresh,
        ValueRange{zero, zero, emit.reshape(start, {}), zero});
  }
  // One key for each row of the batch.
  Shape column{batch, 1, columns, 1};
  auto places = emit.type(column, node.builder().getI32Type());
  Value isNew =
      emit.compare(emit.iota(places, 2), emit.broadcastInDim(start, column, 0),
                   Direction::EQ);
  Shape shape = emit.shapeOf(old);
  return emit.select(emit.broadcastTo(isNew, shape),
                     emit.broadcastTo(fresh, shape), old);
}

LogicalResult GroupedAttention::attend() {
  Value presentKey = cached(PastKey, key),
        presentValue = cached(PastValue, value);
  if (emit.hasFault())
    return failure();
  node.set(1, presentKey);
  node.set(2, presentValue);
  stablehlo::Attention whole;
  whole.query = headsFirst(query);
  whole.key = isFirst ? headsFirst(key) : presentKey;
  whole.value = isFirst ? headsFirst(value) : presentValue;
  if (!isFirst)
    whole.lengths = filled;
  double scale = node.floatAttribute("scale", 0);
  whole.scale = scale != 0 ? scale : 1 / std::sqrt(double(size));
  whole.causal = true;
  int64_t window = node.integerAttribute("local_window_size", -1);
  if (window == 0 || window < -1)
    return node.invalid("local_window_size = " + Twine(window));
  if (window > 0)
    whole.window = std::min<int64_t>(window, INT32_MAX);
  Type element = node.element(Query);
  whole.accumulator = element.isF64() ? cast<FloatType>(element)
                                      : FloatType(node.builder().getF32Type());
  if (node.has(Bias)) {
    Value bias = emit.convert(node.operand(Bias), element);
    int64_t keys = emit.knownExtentOf(whole.key, 2), rank = node.rank(Bias);
    int64_t given = rank == 4 ? node.knownShape(Bias)[3] : 0;
    if (rank != 4 || given > keys)
      return node.invalid("attention_bias of the shape " +
                          spellShape(node.shape(Bias)));
    // What is not given is for keys that do not count.
    if (given < keys)
      bias = emit.pad(bias, emit.scalar(element, 0), {0, 0, 0, 0},
                      {0, 0, 0, keys - given});
    whole.mask = bias;
  }
  bool smooth = node.integerAttribute("smooth_softmax", 0) > 0;
  if (node.has(Sink))
    whole.sink = emit.convert(node.operand(Sink), element);
  else if (smooth)
    whole.sink = emit.splat(emit.type({heads}, element), 0);
  Value result = emitAttention(emit, whole);
  if (emit.hasFault())
    return failure();
  if (!result)
    return node.invalid("its inputs' shapes do not fit");
  return node.result(
      emit.reshape(headsFirst(result), {batch, rows, heads * size}));
}

LogicalResult GroupedAttention::run() {
  if (failed(checkForm()) || failed(split()) || emit.hasFault() ||
      failed(readLengths()) || failed(turn()) || emit.hasFault())
    return failure();
  return attend();
}

static LogicalResult importGroupQueryAttention(NodeImporter &node) {
  return GroupedAttention(node).run();
}

void heddle::onnx::addGroupedAttention(OperatorTable &table) {
  table.add("com.microsoft.GroupQueryAttention", {1}, 1, 14,
            importGroupQueryAttention, 4);
}
