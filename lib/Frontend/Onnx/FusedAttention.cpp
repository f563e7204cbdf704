// Attention of the domain com.microsoft, as onnxruntime's transformer optimizer
// writes it. Spelled out as exporters do, which the graph passes recognise.

#include "Functions.h"
#include "NodeImporter.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

namespace {

/// [batch, heads, sequence, size] each.
struct Parts {
  Value query, key, value;
};

} // namespace

/// What a mask adds to scores of [batch, heads, rows, columns]: `filter` where
/// a key is not to be seen. Its forms: how many keys each row of the batch
/// sees, or a 1 for each key that is seen, per batch, per query, per head.
static FailureOr<Value> maskBias(NodeImporter &node, size_t operand,
                                 const Extent &batch, const Extent &rows,
                                 const Extent &columns, double filter,
                                 Type element) {
  Emitter &emit = node.emit;
  Value mask = node.operand(operand);
  Shape shape = node.shape(operand);
  Value seen;
  if (shape.meets({batch})) {
    auto type = emit.type({batch, columns}, node.element(operand));
    seen = emit.compare(emit.iota(type, 1),
                        emit.broadcastInDim(mask, {batch, columns}, 0),
                        Direction::LT);
  } else if (shape.size() >= 2 && Extent::meet(shape.front(), batch) &&
             Extent::isLess(shape.back(), columns) != true) {
    int64_t rank = shape.size();
    mask = emit.sliceDim(mask, rank - 1, 0, columns);
    // A square as large as the longest sequence holds rows of the past, too.
    if (rank == 4)
      mask = emit.sliceDim(mask, 2, columns - rows, columns);
    seen = emit.compare(mask, emit.splatInteger(Emitter::typeOf(mask), 0),
                        Direction::NE);
  } else {
    return node.unsupported("a mask of the shape " + spellShape(shape));
  }
  Shape wide = emit.shapeOf(seen);
  while (wide.size() < 4)
    wide.insert(wide.begin() + 1, 1);
  seen = emit.reshape(seen, wide);
  auto type = emit.type(wide, element);
  return emit.select(seen, emit.splat(type, 0), emit.splat(type, filter));
}

/// Queries, keys and values to [batch, sequence, heads * size]. `mask` and
/// `bias` are the places of these inputs.
static LogicalResult attend(NodeImporter &node, const Parts &parts, size_t mask,
                            size_t bias) {
  Emitter &emit = node.emit;
  double filter = node.floatAttribute("mask_filter_value", -10000.0f);
  double scale = node.floatAttribute("scale", 0);
  bool isCausal = node.integerAttribute("unidirectional", 0) != 0;
  Shape q = emit.shapeOf(parts.query), k = emit.shapeOf(parts.key);
  Shape v = emit.shapeOf(parts.value);
  if (!Extent::meet(q[0], k[0]) || !Extent::meet(q[1], k[1]) ||
      !Extent::meet(q[3], k[3]) || !v.leading(3).meets(k.leading(3)))
    return node.invalid("queries, keys and values of the shapes " +
                        spellShape(q) + ", " + spellShape(k) + " and " +
                        spellShape(v));
  Extent rows = q[2], columns = k[2];
  if (scale == 0)
    scale = 1 / std::sqrt(double(
                    std::max<int64_t>(emit.knownExtentOf(parts.query, 3), 1)));
  Type element = Emitter::elementOf(parts.query);
  Value scores = emit.dotGeneral(parts.query, parts.key, {0, 1}, {0, 1}, 3, 3);
  scores = emit.multiply(scores, emit.splatLike(scores, scale));
  auto add = [&](Value more) {
    scores = emit.add(scores, emit.broadcastTo(more, emit.shapeOf(scores)));
  };
  if (node.has(mask)) {
    FailureOr<Value> hidden =
        maskBias(node, mask, q[0], rows, columns, filter, element);
    if (failed(hidden))
      return failure();
    add(*hidden);
  }
  if (isCausal) {
    auto type = emit.type({1, 1, rows, columns}, node.builder().getI64Type());
    Value row = emit.iota(type, 2);
    Value last = emit.add(row, emit.numberLike(row, columns - rows));
    auto real = emit.type({1, 1, rows, columns}, element);
    add(emit.select(
        emit.compare(emit.iota(type, 3), last, Direction::LE),
        emit.splat(real, 0),
        emit.splat(real, -std::numeric_limits<double>::infinity())));
  }
  if (node.has(bias))
    add(node.operand(bias));
  Value result = emit.dotGeneral(softmax(emit, scores, 3), parts.value, {0, 1},
                                 {0, 1}, 3, 2);
  return node.result(emit.reshape(emit.transpose(result, {0, 2, 1, 3}),
                                  {q[0], rows, q[1] * v[3]}));
}

/// One product makes queries, keys and values. Inputs: [batch, sequence, in],
/// weights [in, out], bias, mask, past [2, batch, heads, sequence, size], bias
/// of the scores.
static LogicalResult importAttention(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t heads = node.integerAttribute("num_heads", 0);
  if (node.integerAttribute("do_rotary", 0) != 0 ||
      node.integerAttribute("past_present_share_buffer", 0) != 0)
    return node.unsupported("rotary embeddings and shared caches inside it");
  node.ignoreAttribute("rotary_embedding_dim");
  if (node.rank(0) != 3 || node.rank(1) != 2)
    return node.invalid("it needs an input of three dimensions and weights of "
                        "two");
  int64_t width = node.knownShape(1)[1];
  OwnedExtents sizes{width / 3, width / 3, width / 3};
  if (std::optional<OwnedExtents> given =
          node.integersAttribute("qkv_hidden_sizes"))
    sizes = *given;
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != width)
    return node.invalid("qkv_hidden_sizes do not add up to " + Twine(width));
  Value all = matmul(emit, node.operand(0), node.operand(1));
  if (node.has(2))
    all = emit.add(all, node.operand(2));
  int64_t start = 0;
  SmallVector<Value> pieces;
  for (int64_t size : sizes) {
    if (emit.hasFault())
      return failure();
    pieces.push_back(
        splitHeads(node, emit.sliceDim(all, 2, start, start + size), heads));
    start += size;
  }
  if (emit.hasFault())
    return failure();
  Parts parts{pieces[0], pieces[1], pieces[2]};
  if (node.has(4)) {
    Shape past = node.shape(4);
    if (past.size() != 5 || !past.front().is(2))
      return node.invalid("the past has the shape " + spellShape(past));
    past.erase(past.begin());
    auto half = [&](int64_t i) {
      return emit.reshape(emit.sliceDim(node.operand(4), 0, i, i + 1), past);
    };
    parts.key = emit.concatenate({half(0), parts.key}, 2);
    parts.value = emit.concatenate({half(1), parts.value}, 2);
    if (emit.hasFault())
      return failure();
  }
  if (node.wants(1)) {
    Shape one = emit.shapeOf(parts.key);
    one.insert(one.begin(), 1);
    if (!emit.shapeOf(parts.value).meets(emit.shapeOf(parts.key)))
      return node.unsupported("a cache of keys and values of different sizes");
    node.set(1, emit.concatenate({emit.reshape(parts.key, one),
                                  emit.reshape(parts.value, one)},
                                 0));
  }
  return attend(node, parts, 3, 5);
}

/// Inputs: queries, keys, values, a bias for the three, a mask, a bias of the
/// scores, past keys and values.
static LogicalResult importMultiHeadAttention(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t heads = node.integerAttribute("num_heads", 0);
  if (!node.has(1) || !node.has(2) || node.rank(0) != 3)
    return node.unsupported("queries, keys and values packed into one input");
  if (node.has(6) != node.has(7))
    return node.invalid("past keys and values must be given together");
  if (node.has(8) || node.has(9))
    return node.unsupported("caches that several beams share");
  SmallVector<Value> pieces(node.allOperands().take_front(3));
  if (node.has(3)) {
    Extent start = 0;
    for (Value &piece : pieces) {
      if (Emitter::typeOf(piece).getRank() != 3)
        return node.unsupported("a bias for keys that are already split");
      Extent size = emit.shapeOf(piece)[2];
      piece = emit.add(piece,
                       emit.sliceDim(node.operand(3), 0, start, start + size));
      start += size;
      if (emit.hasFault())
        return failure();
    }
  }
  for (Value &piece : pieces) {
    piece = splitHeads(node, piece, heads);
    if (emit.hasFault())
      return failure();
  }
  Parts parts{pieces[0], pieces[1], pieces[2]};
  if (node.has(6)) {
    parts.key = emit.concatenate({node.operand(6), parts.key}, 2);
    parts.value = emit.concatenate({node.operand(7), parts.value}, 2);
    if (emit.hasFault())
      return failure();
  }
  node.set(1, parts.key);
  node.set(2, parts.value);
  return attend(node, parts, 4, 5);
}

void heddle::onnx::addFusedAttention(OperatorTable &table) {
  table.add("com.microsoft.Attention", {1}, 2, 6, importAttention, 2);
  table.add("com.microsoft.MultiHeadAttention", {1}, 1, 10,
            importMultiHeadAttention, 3);
}
