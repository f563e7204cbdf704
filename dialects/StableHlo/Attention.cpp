// Reads heddle.attention, and writes it out in operations of StableHLO.

#include "dialects/StableHlo/Attention.h"
#include "dialects/Size/SizedTypes.h"
#include "heddle/Support/TensorTypes.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::stablehlo;

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<FloatType>(tensor.getElementType());
}

int64_t Attention::numBatchDims() const { return typeOf(query).getRank() - 2; }
int64_t Attention::rows() const { return *std::next(shapeOf(query).rbegin()); }
int64_t Attention::columns() const { return *std::next(shapeOf(key).rbegin()); }

int64_t Attention::headsPerKey() const {
  int64_t batch = numBatchDims();
  if (batch == 0 || shapeOf(key)[batch - 1] == 0)
    return 1;
  return shapeOf(query)[batch - 1] / shapeOf(key)[batch - 1];
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether trailing dimensions of `shape` are those of `wide`, or 1.
static bool broadcastsTo(RankedTensorType shape, RankedTensorType wide) {
  int64_t missing = wide.getRank() - shape.getRank();
  if (missing < 0)
    return false;
  for (int64_t i = 0; i < shape.getRank(); ++i)
    if (!size::isOne(shape, i) &&
        !size::isSameSize(shape, i, wide, missing + i))
      return false;
  return true;
}

/// Whether key's dimension `i` is one of heads that several of query read.
static bool sharesHeads(RankedTensorType query, RankedTensorType key,
                        int64_t i) {
  return i + 3 == query.getRank() && size::isKnown(query, i) &&
         size::isKnown(key, i) && key.getDimSize(i) != 0 &&
         query.getDimSize(i) % key.getDimSize(i) == 0;
}

/// [batch.., M, N].
static RankedTensorType scoresOf(const Attention &attention, Type element) {
  RankedTensorType query = typeOf(attention.query), key = typeOf(attention.key);
  int64_t rank = query.getRank();
  return size::SizedShape()
      .add(query, 0, rank - 1)
      .add(key, rank - 2)
      .of(element);
}

static bool fitsTogether(const Attention &attention) {
  RankedTensorType query = typeOf(attention.query), key = typeOf(attention.key),
                   value = typeOf(attention.value);
  int64_t rank = query.getRank();
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank ||
      !size::isSameSize(query, rank - 1, key, rank - 1) ||
      !size::isSameSize(value, rank - 2, key, rank - 2))
    return false;
  for (int64_t i = 0; i + 2 < rank; ++i)
    if (!size::isSameSize(key, i, value, i) ||
        (!size::isSameSize(query, i, key, i) && !sharesHeads(query, key, i)))
      return false;
  Type element = attention.result.getElementType();
  size::SizedShape rows;
  rows.add(query, 0, rank - 1);
  RankedTensorType row = rows.of(element);
  RankedTensorType out = rows.add(value, rank - 1).of(element);
  if (!size::haveSameSizes(attention.result, out) ||
      (attention.logSumExp && !size::haveSameSizes(attention.logSumExp, row)))
    return false;
  if (attention.mask &&
      !broadcastsTo(typeOf(attention.mask), scoresOf(attention, element)))
    return false;
  if (attention.sink &&
      !broadcastsTo(typeOf(attention.sink),
                    size::SizedShape().add(query, 0, rank - 2).of(element)))
    return false;
  if (!attention.lengths)
    return true;
  RankedTensorType lengths = typeOf(attention.lengths);
  return lengths.getRank() == 0 || (rank > 2 && lengths.getRank() == 1 &&
                                    size::isSameSize(lengths, 0, query, 0));
}

std::optional<Attention> Attention::read(ValueRange inputs,
                                         DictionaryAttr attributes,
                                         TypeRange results) {
  if (inputs.size() < 3 || results.empty() || results.size() > 2 ||
      !llvm::all_of(results, isFloatTensor) ||
      !llvm::all_of(inputs.take_front(3).getTypes(), isFloatTensor))
    return std::nullopt;
  Attention attention;
  attention.query = inputs[0];
  attention.key = inputs[1];
  attention.value = inputs[2];
  attention.result = cast<RankedTensorType>(results[0]);
  attention.accumulator = cast<FloatType>(attention.result.getElementType());
  if (results.size() == 2) {
    attention.logSumExp = cast<RankedTensorType>(results[1]);
    if (!attention.logSumExp.getElementType().isF32())
      return std::nullopt;
  }
  if (typeOf(inputs[0]).getElementType() != typeOf(inputs[1]).getElementType())
    return std::nullopt;

  // An option that is not known here could mean anything.
  ArrayAttr optional;
  for (NamedAttribute attr : attributes) {
    StringRef name = attr.getName().getValue();
    if (name == "scale" && isa<FloatAttr>(attr.getValue()))
      attention.scale = cast<FloatAttr>(attr.getValue()).getValueAsDouble();
    else if (name == "causal" && isa<BoolAttr>(attr.getValue()))
      attention.causal = cast<BoolAttr>(attr.getValue()).getValue();
    else if (name == "zero_nan_rows" && isa<BoolAttr>(attr.getValue()))
      attention.zeroNanRows = cast<BoolAttr>(attr.getValue()).getValue();
    else if (name == "window" && isa<IntegerAttr>(attr.getValue()) &&
             cast<IntegerAttr>(attr.getValue()).getType().isInteger(64) &&
             cast<IntegerAttr>(attr.getValue()).getInt() > 0)
      attention.window = cast<IntegerAttr>(attr.getValue()).getInt();
    else if (name == "accumulator" && isa<TypeAttr>(attr.getValue()) &&
             isa<FloatType>(cast<TypeAttr>(attr.getValue()).getValue()))
      attention.accumulator =
          cast<FloatType>(cast<TypeAttr>(attr.getValue()).getValue());
    else if (name == "optional" && isa<ArrayAttr>(attr.getValue()))
      optional = cast<ArrayAttr>(attr.getValue());
    else
      return std::nullopt;
  }
  ArrayRef<Attribute> names =
      optional ? optional.getValue() : ArrayRef<Attribute>();
  if (names.size() != inputs.size() - 3)
    return std::nullopt;
  for (auto [name, input] : llvm::zip_equal(names, inputs.drop_front(3))) {
    auto text = dyn_cast<StringAttr>(name);
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!text || !type || !type.hasStaticShape())
      return std::nullopt;
    Type element = type.getElementType();
    StringRef kind = text.getValue();
    Value *place = nullptr;
    if (kind == "mask" && (element.isInteger(1) || isa<FloatType>(element)))
      place = &attention.mask;
    if (kind == "lengths" &&
        (element.isSignlessInteger(32) || element.isSignlessInteger(64)))
      place = &attention.lengths;
    if (kind == "sink" && isa<FloatType>(element))
      place = &attention.sink;
    if (!place || *place)
      return std::nullopt;
    *place = input;
  }
  // Sums are rounded to the result, which cannot hold more than they do. What
  // does not count has the score -infinity.
  bool isWide = attention.accumulator.getWidth() >=
                attention.result.getElementTypeBitWidth();
  bool hasInfinity =
      llvm::APFloat::semanticsHasInf(attention.accumulator.getFloatSemantics());
  if (!isWide || !hasInfinity || !fitsTogether(attention))
    return std::nullopt;
  return attention;
}

SmallVector<Value> Attention::inputs() const {
  SmallVector<Value> inputs{query, key, value};
  for (Value more : {mask, lengths, sink})
    if (more)
      inputs.push_back(more);
  return inputs;
}

DictionaryAttr Attention::attributes() const {
  Builder b(query.getContext());
  NamedAttrList list;
  list.set("causal", b.getBoolAttr(causal));
  list.set("scale", b.getF32FloatAttr(scale));
  if (window)
    list.set("window", b.getI64IntegerAttr(*window));
  if (zeroNanRows)
    list.set("zero_nan_rows", b.getBoolAttr(true));
  if (accumulator != result.getElementType())
    list.set("accumulator", TypeAttr::get(accumulator));
  SmallVector<StringRef> optional;
  if (mask)
    optional.push_back("mask");
  if (lengths)
    optional.push_back("lengths");
  if (sink)
    optional.push_back("sink");
  if (!optional.empty())
    list.set("optional", b.getStrArrayAttr(optional));
  return list.getDictionary(query.getContext());
}

//===----------------------------------------------------------------------===//
// Writing out
//===----------------------------------------------------------------------===//

namespace {
/// Writes the operations of one attention.
struct Decomposition {
  OpBuilder &b;
  Location loc;
  const Attention &attention;
  const AttentionProducts &products;
  /// [batch.., M, N] of the accumulator's type, and of i32.
  RankedTensorType scores, positions;

  SmallVector<Value> write();

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  int64_t rank() const { return scores.getRank(); }
  Value splat(RankedTensorType type, double value);
  Value splatInteger(RankedTensorType type, int64_t value);
  Value along(RankedTensorType type, Value value, ArrayRef<int64_t> dims);
  Value trailing(RankedTensorType type, Value value);
  Value converted(Value value, Type element);
  Value repeatedHeads(Value value);
  Value product(RankedTensorType type, Value lhs, Value rhs,
                int64_t rhsContracted, ArrayAttr precision,
                DotAlgorithmAttr algorithm);
  template <typename Body> Value reduced(Value input, double initial);
  Value alongKeys(Value rows);
  Value compare(Value lhs, Value rhs, ComparisonDirection direction);
  Value lengths();
  Value counted(Value lengths);
};
} // namespace

Value Decomposition::splat(RankedTensorType type, double value) {
  auto element = cast<FloatType>(type.getElementType());
  return ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, b.getFloatAttr(element, value)));
}

Value Decomposition::splatInteger(RankedTensorType type, int64_t value) {
  return ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type,
                             b.getIntegerAttr(type.getElementType(), value)));
}

Value Decomposition::along(RankedTensorType type, Value value,
                           ArrayRef<int64_t> dims) {
  return BroadcastInDimOp::create(b, loc,
                                  type.clone(typeOf(value).getElementType()),
                                  value, b.getDenseI64ArrayAttr(dims));
}

/// `value` along the last dimensions of `type`.
Value Decomposition::trailing(RankedTensorType type, Value value) {
  int64_t missing = type.getRank() - typeOf(value).getRank();
  if (size::haveSameSizes(typeOf(value), type))
    return value;
  return along(type, value,
               llvm::to_vector(llvm::seq<int64_t>(missing, type.getRank())));
}

Value Decomposition::converted(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return ConvertOp::create(b, loc, typeOf(value).clone(element), value);
}

/// A key's or value's heads, each as often as queries read it.
Value Decomposition::repeatedHeads(Value value) {
  int64_t times = attention.headsPerKey();
  if (times == 1)
    return value;
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> dims;
  int64_t head = rank() - 3;
  for (int64_t i = 0; i < rank(); ++i)
    dims.push_back(i <= head ? i : i + 1);
  size::SizedShape apart, together;
  apart.add(type, 0, head + 1).add(times).add(type, head + 1, rank());
  together.add(type, 0, head)
      .add(type.getDimSize(head) * times)
      .add(type, head + 1, rank());
  Value wide = along(apart.of(type.getElementType()), value, dims);
  return ReshapeOp::create(b, loc, together.of(type.getElementType()), wide);
}

Value Decomposition::product(RankedTensorType type, Value lhs, Value rhs,
                             int64_t rhsContracted, ArrayAttr precision,
                             DotAlgorithmAttr algorithm) {
  auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank() - 2));
  return DotGeneralOp::create(
      b, loc, type, lhs, rhs,
      DotDimensionNumbersAttr::get(b.getContext(), batch, batch, {rank() - 1},
                                   {rhsContracted}),
      precision, algorithm);
}

/// A reduction of `input` over its last dimension.
template <typename Body>
Value Decomposition::reduced(Value input, double initial) {
  RankedTensorType type = typeOf(input);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  RankedTensorType row = size::SizedShape()
                             .add(type, 0, type.getRank() - 1)
                             .of(type.getElementType());
  auto reduce = ReduceOp::create(b, loc, TypeRange(row), ValueRange(input),
                                 ValueRange(splat(scalar, initial)),
                                 b.getDenseI64ArrayAttr({type.getRank() - 1}));
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&reduce.getBody(), {}, {scalar, scalar}, {loc, loc});
  Value combined =
      Body::create(b, loc, block->getArgument(0), block->getArgument(1));
  ReturnOp::create(b, loc, combined);
  return reduce->getResult(0);
}

/// One value for each row, for all of its keys.
Value Decomposition::alongKeys(Value rows) {
  return along(scores, rows,
               llvm::to_vector(llvm::seq<int64_t>(0, rank() - 1)));
}

Value Decomposition::compare(Value lhs, Value rhs,
                             ComparisonDirection direction) {
  return CompareOp::create(b, loc, lhs, rhs, direction);
}

/// How many keys there are, at most N, in the shape of `positions`.
Value Decomposition::lengths() {
  if (!attention.lengths)
    return splatInteger(positions, attention.columns());
  RankedTensorType type = typeOf(attention.lengths);
  auto bound = [&](int64_t value) {
    return splatInteger(RankedTensorType::get({}, type.getElementType()),
                        value);
  };
  Value inside = ClampOp::create(b, loc, type, bound(0), attention.lengths,
                                 bound(attention.columns()));
  SmallVector<int64_t> dims;
  if (type.getRank() == 1)
    dims.push_back(0);
  return along(positions, converted(inside, b.getI32Type()), dims);
}

/// Which keys count by their position; null for all.
Value Decomposition::counted(Value lengths) {
  auto iota = [&](int64_t dimension) -> Value {
    return IotaOp::create(b, loc, positions, b.getI64IntegerAttr(dimension));
  };
  Value key = iota(rank() - 1), counted;
  auto wants = [&](Value condition) {
    counted = counted ? AndOp::create(b, loc, counted, condition).getResult()
                      : condition;
  };
  if (attention.lengths)
    wants(compare(key, lengths, ComparisonDirection::LT));
  if (!attention.causal && !attention.window)
    return counted;
  Value before = SubtractOp::create(b, loc, lengths,
                                    splatInteger(positions, attention.rows()));
  Value at = AddOp::create(b, loc, iota(rank() - 2), before);
  if (attention.causal)
    wants(compare(key, at, ComparisonDirection::LE));
  if (attention.window) {
    int64_t window = std::min<int64_t>(*attention.window,
                                       std::numeric_limits<int32_t>::max());
    wants(compare(SubtractOp::create(b, loc, at, key),
                  splatInteger(positions, window), ComparisonDirection::LT));
  }
  return counted;
}

SmallVector<Value> Decomposition::write() {
  Type element = attention.accumulator;
  Value weights =
      product(scores, attention.query, repeatedHeads(attention.key), rank() - 1,
              products.scorePrecision, products.scoreAlgorithm);
  weights = MulOp::create(b, loc, weights, splat(scores, attention.scale));
  Value dropped = splat(scores, -infinity);
  if (attention.mask && typeOf(attention.mask).getElementType().isInteger(1))
    weights = SelectOp::create(b, loc, trailing(scores, attention.mask),
                               weights, dropped);
  else if (attention.mask)
    weights = AddOp::create(
        b, loc, weights, trailing(scores, converted(attention.mask, element)));
  Value value = repeatedHeads(converted(attention.value, element));
  if (attention.lengths || attention.causal || attention.window) {
    Value length = lengths();
    weights = SelectOp::create(b, loc, counted(length), weights, dropped);
    if (attention.lengths) {
      // What lies beyond the keys may be anything.
      RankedTensorType type = typeOf(value);
      RankedTensorType places = type.clone(b.getI32Type());
      Decomposition ofValues{b, loc, attention, products, type, places};
      Value key =
          IotaOp::create(b, loc, places, b.getI64IntegerAttr(rank() - 2));
      value = SelectOp::create(
          b, loc, compare(key, ofValues.lengths(), ComparisonDirection::LT),
          value, splat(type, 0));
    }
  }

  Value largest = reduced<MaxOp>(weights, -infinity);
  RankedTensorType rows = typeOf(largest);
  Value sink;
  if (attention.sink) {
    int64_t batch = attention.numBatchDims();
    Value logits = converted(attention.sink, element);
    sink = along(rows, logits,
                 llvm::to_vector(llvm::seq<int64_t>(
                     batch - typeOf(logits).getRank(), batch)));
    largest = MaxOp::create(b, loc, largest, sink);
  }
  Value shifted = SubtractOp::create(b, loc, weights, alongKeys(largest));
  weights = ExpOp::create(b, loc, shifted);
  Value sum = reduced<AddOp>(weights, 0);
  if (sink) {
    Value distance = SubtractOp::create(b, loc, sink, largest);
    Value weight = ExpOp::create(b, loc, distance);
    sum = AddOp::create(b, loc, sum, weight);
  }
  weights = DivOp::create(b, loc, weights, alongKeys(sum));
  if (attention.zeroNanRows)
    weights = SelectOp::create(
        b, loc, compare(weights, weights, ComparisonDirection::NE),
        splat(scores, 0), weights);
  SmallVector<Value> results{product(attention.result, weights, value,
                                     rank() - 2, products.valuePrecision,
                                     products.valueAlgorithm)};
  if (attention.logSumExp) {
    Value logarithm = LogOp::create(b, loc, sum);
    logarithm = AddOp::create(b, loc, largest, logarithm);
    if (attention.zeroNanRows)
      logarithm = SelectOp::create(
          b, loc, compare(logarithm, logarithm, ComparisonDirection::NE),
          splat(rows, -infinity), logarithm);
    results.push_back(converted(logarithm, b.getF32Type()));
  }
  return results;
}

SmallVector<Value>
heddle::stablehlo::decomposeAttention(OpBuilder &builder, Location location,
                                      const Attention &attention,
                                      const AttentionProducts &products) {
  RankedTensorType scores = scoresOf(attention, attention.accumulator);
  return Decomposition{builder,  location, attention,
                       products, scores,   scores.clone(builder.getI32Type())}
      .write();
}
