// Operators whose state goes from one position of a sequence to the next, as
// decoders without a softmax have them: attention by a running sum of outer
// products, and the convolution before it.

#include "Functions.h"
#include "LoopEmitter.h"
#include "NodeImporter.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

//===--- CausalConvWithState ----------------------------------------------===//

/// Each channel by itself, [batch, channel, length], over the positions before
/// and itself. The state holds the last inputs but the first of a window.
static LogicalResult importCausalConvolution(NodeImporter &node) {
  Emitter &emit = node.emit;
  StringRef activation = node.stringAttribute("activation", "none");
  bool isSmooth = activation == "silu" || activation == "swish";
  if (!isSmooth && activation != "none")
    return node.invalid("activation = " + activation);
  if (node.rank(0) != 3 || node.rank(1) != 3)
    return node.invalid("input and weight have the shapes " +
                        spellShape(node.shape(0)) + " and " +
                        spellShape(node.shape(1)));
  OwnedExtents kernel = node.knownShape(1);
  Shape shape = node.shape(0), state = shape;
  if (emit.hasFault() || kernel[1] != 1 || kernel[2] < 1 ||
      !Extent::meet(shape[1], kernel[0]))
    return node.invalid("a weight of the shape " + spellShape(node.shape(1)) +
                        " for an input of the shape " + spellShape(shape));
  state[2] = kernel[2] - 1;
  Value past = node.has(3) ? node.operand(3)
                           : emit.splat(emit.type(state, node.element(0)), 0);
  if (!emit.shapeOf(past).meets(state))
    return node.invalid("a past state of the shape " +
                        spellShape(emit.shapeOf(past)));
  Value all = emit.concatenate({past, node.operand(0)}, 2);
  Window window;
  window.size = {kernel[2]};
  window.strides = window.dilations = {1};
  window.padLow = window.padHigh = {0};
  Value result = emit.convolution(
      emit.widened(all), emit.widened(node.operand(1)), window, {1}, kernel[0]);
  if (emit.hasFault())
    return failure();
  if (node.has(2))
    result =
        emit.add(result, alongDimension(emit, emit.widened(node.operand(2)),
                                        emit.shapeOf(result), 1));
  if (isSmooth)
    result = emit.multiply(result, emit.unary<stablehlo::LogisticOp>(result));
  node.set(0, emit.convert(result, node.element(0)));
  Extent end = emit.extentOf(all, 2);
  node.set(1, emit.sliceDim(all, 2, end - state[2], end));
  return success();
}

//===--- LinearAttention --------------------------------------------------===//

namespace {
/// Of [batch, length, heads * size] tensors, as [batch, length, heads, size].
struct Sequence {
  Value query, key, value;
  Value decay; ///< Of sizes as keys have, or 1; null without.
  Value beta;  ///< How much a position changes, of size 1; null without.

  template <typename Function> Sequence map(Function function) const {
    auto each = [&](Value value) { return value ? function(value) : value; };
    return {each(query), each(key), each(value), each(decay), each(beta)};
  }
};

class LinearAttention {
public:
  explicit LinearAttention(NodeImporter &node) : node(node), emit(node.emit) {}

  LogicalResult import();

private:
  LogicalResult readRule();
  LogicalResult readSequence();
  /// As [batch, length, heads, size]; null after a fault.
  Value split(size_t operand, int64_t count);
  /// The next state, and [batch, heads of queries * size], of one position's
  /// [batch, heads, size].
  std::pair<Value, Value> step(Value state, const Sequence &at);

  NodeImporter &node;
  Emitter &emit;
  int64_t queryHeads = 0, heads = 0;
  bool decays = false, corrects = false;
  double scale = 0;
  Sequence all;
};
} // namespace

LogicalResult LinearAttention::readRule() {
  queryHeads = node.integerAttribute("q_num_heads", 0);
  heads = node.integerAttribute("kv_num_heads", 0);
  scale = node.floatAttribute("scale", 0);
  // How long the pieces are that a computation in parallel would have.
  node.ignoreAttribute("chunk_size");
  StringRef rule = node.stringAttribute("update_rule", "gated_delta");
  decays = rule == "gated" || rule == "gated_delta";
  corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear")
    return node.invalid("update_rule = " + rule);
  if (heads < 1 || queryHeads < 1 || queryHeads % heads != 0)
    return node.invalid(Twine(queryHeads) + " heads of queries for " +
                        Twine(heads) + " of keys");
  if (decays != node.has(4) || corrects != node.has(5))
    return node.invalid("update_rule = " + rule +
                        " takes another choice of decay and beta");
  return success();
}

Value LinearAttention::split(size_t operand, int64_t count) {
  Shape shape = node.shape(operand);
  std::optional<Extent> size =
      shape.size() == 3 ? shape[2].dividedBy(count) : std::nullopt;
  if (!size || !shape.leading(2).meets(node.shape(0).leading(2))) {
    (void)node.invalid("input " + Twine(operand) + " has the shape " +
                       spellShape(shape) + " for " + Twine(count) + " heads");
    return {};
  }
  return emit.reshape(emit.widened(node.operand(operand)),
                      {shape[0], shape[1], count, *size});
}

LogicalResult LinearAttention::readSequence() {
  all.query = split(0, queryHeads);
  all.key = split(1, heads);
  all.value = split(2, heads);
  if (!all.query || !all.key || !all.value)
    return failure();
  Extent size = emit.extentOf(all.key, 3);
  if (!Extent::meet(emit.extentOf(all.query, 3), size))
    return node.invalid("heads of queries and keys differ in size");
  if (decays && !(all.decay = split(4, heads)))
    return failure();
  if (decays && !emit.extentOf(all.decay, 3).is(1) &&
      !Extent::meet(emit.extentOf(all.decay, 3), size))
    return node.invalid("a decay of the shape " + spellShape(node.shape(4)));
  if (corrects) {
    bool isShared = node.rank(5) == 3 && node.shape(5)[2].is(1);
    if (!(all.beta = split(5, isShared ? 1 : heads)))
      return failure();
    if (!emit.extentOf(all.beta, 3).is(1))
      return node.invalid("a beta of the shape " + spellShape(node.shape(5)));
  }
  if (scale == 0) {
    if (!size.isKnown() || size.is(0))
      return node.unsupported("heads of open size without a scale");
    scale = 1 / std::sqrt(double(size.bound()));
  }
  return success();
}

std::pair<Value, Value> LinearAttention::step(Value state, const Sequence &at) {
  Shape shape = emit.shapeOf(state); // [batch, heads, size, size of values]
  auto alongKeys = [&](Value value) {
    return emit.broadcastInDim(value, shape, {0, 1, 2});
  };
  if (at.decay)
    state =
        emit.multiply(state, alongKeys(emit.unary<stablehlo::ExpOp>(at.decay)));
  Value value = at.value;
  if (at.beta) {
    Value recalled = emit.dotGeneral(at.key, state, {0, 1}, {0, 1}, {2}, {2});
    value = emit.multiply(emit.subtract(value, recalled), at.beta);
  }
  state = emit.add(state,
                   emit.multiply(alongKeys(at.key),
                                 emit.broadcastInDim(value, shape, {0, 1, 3})));
  // Heads of queries that share one of keys are rows.
  Value queries =
      emit.reshape(at.query, {shape[0], heads, queryHeads / heads, shape[2]});
  Value result = emit.dotGeneral(queries, state, {0, 1}, {0, 1}, {3}, {2});
  result = emit.multiply(result, emit.splatLike(result, scale));
  return {state, emit.reshape(result, {shape[0], shape[3] * queryHeads})};
}

LogicalResult LinearAttention::import() {
  if (failed(readRule()) || failed(readSequence()))
    return failure();
  Extent batch = node.shape(0)[0], length = node.shape(0)[1];
  Shape shape{batch, heads, emit.extentOf(all.key, 3),
              emit.extentOf(all.value, 3)};
  Type element = Emitter::elementOf(all.query);
  if (node.has(3) && !node.shape(3).meets(shape))
    return node.invalid("a past state of the shape " +
                        spellShape(node.shape(3)));
  Value state = node.has(3) ? emit.convert(node.operand(3), element)
                            : emit.splat(emit.type(shape, element), 0);
  auto at = [&](Value position) {
    return all.map([&](Value value) {
      Shape one = emit.shapeOf(value);
      one.erase(one.begin() + 1);
      return emit.reshape(sliceAt(emit, value, 1, position), one);
    });
  };
  Value result;
  if (length.is(1)) {
    auto [next, row] = step(state, at(integerScalar(emit, 0)));
    state = next;
    result = emit.reshape(row, {batch, 1, emit.extentOf(row, 1)});
  } else {
    Value count = integerScalar(emit, length);
    LoopEmitter loop(emit, {state});
    auto [next, row] = step(loop.carried().front(), at(loop.number()));
    Value rows = loop.collect(row, 1, length, loop.number());
    auto last = loop.finish({next, rows}, count);
    if (emit.hasFault() || !last)
      return node.invalid("the state does not keep its shape");
    state = last->front();
    result = last->back();
  }
  node.set(0, emit.convert(result, node.element(0)));
  node.set(1, emit.convert(state, node.element(node.has(3) ? 3 : 0)));
  return emit.hasFault() ? failure() : success();
}

static LogicalResult importLinearAttention(NodeImporter &node) {
  return LinearAttention(node).import();
}

void heddle::onnx::addLinearAttention(OperatorTable &table) {
  table.add("CausalConvWithState", {27}, 2, 4, importCausalConvolution, 2);
  table.add("LinearAttention", {27}, 3, 6, importLinearAttention, 2);
}
