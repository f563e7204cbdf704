// Normalization over channels, groups or trailing dimensions.

#include "Functions.h"
#include "NodeImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static OwnedExtents range(int64_t from, int64_t to) {
  OwnedExtents dims;
  for (int64_t i = from; i < to; ++i)
    dims.push_back(i);
  return dims;
}

/// (x - mean) / sqrt(variance + epsilon) over `dims`, and the two statistics
/// with those dimensions kept.
struct Normalized {
  Value value, mean, inverseDeviation;
};
static Normalized normalize(Emitter &emit, Value x, Extents dims,
                            double epsilon) {
  Value mean = emit.mean(x, dims);
  Value centred = emit.subtract(x, mean);
  Value variance = emit.mean(emit.multiply(centred, centred), dims);
  Value inverse =
      rsqrt(emit, emit.add(variance, emit.splatLike(variance, epsilon)));
  return {emit.multiply(centred, inverse), mean, inverse};
}

//===--- Batch normalization ----------------------------------------------===//

static LogicalResult importBatchNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  double momentum = node.floatAttribute("momentum", 0.9f);
  bool training = node.integerAttribute("training_mode", 0) != 0;
  if (node.version() < 9 && node.integerAttribute("spatial", 1) != 1)
    return node.unsupported("spatial = 0, statistics for each element");
  Value x = node.operand(0);
  if (node.rank(0) < 2)
    return node.invalid("the input has no channel dimension");
  Shape shape = node.shape(0);
  for (size_t i = 1; i < 5; ++i) {
    std::optional<Extent> channels =
        node.rank(i) == 1 ? Extent::meet(node.shape(i)[0], shape[1])
                          : std::nullopt;
    if (!channels)
      return node.invalid("scale, bias, mean and variance must have one number "
                          "per channel (" +
                          shape[1].text() + ")");
    shape[1] = *channels;
  }
  x = emit.narrowed(x, shape);
  auto perChannel = [&](size_t i) {
    return emit.narrowed(node.operand(i), {shape[1]});
  };
  Value scale = perChannel(1), bias = perChannel(2);
  Value mean = perChannel(3), variance = perChannel(4);
  if (training) {
    OwnedExtents others = range(0, node.rank(0));
    others.erase(others.begin() + 1);
    Extent count = 1;
    for (int64_t other : others)
      count *= shape[other];
    Value batchMean = emit.reduce(x, others, Combine::Add);
    batchMean = emit.divide(batchMean, emit.numberLike(batchMean, count));
    Value centred = emit.subtract(x, alongDimension(emit, batchMean, shape, 1));
    Value batchVariance =
        emit.reduce(emit.multiply(centred, centred), others, Combine::Add);
    batchVariance =
        emit.divide(batchVariance, emit.numberLike(batchVariance, count));
    auto running = [&](Value old, Value now) {
      return emit.add(emit.multiply(old, emit.splatLike(old, momentum)),
                      emit.multiply(emit.convert(now, Emitter::elementOf(old)),
                                    emit.splatLike(old, 1 - momentum)));
    };
    node.set(1, running(mean, batchMean));
    node.set(2, running(variance, batchVariance));
    mean = batchMean;
    variance = batchVariance;
  }
  // One type for all, as stablehlo asks; the statistics may be wider than the
  // data.
  Type element = node.element(0);
  for (Value *value : {&scale, &bias, &mean, &variance})
    *value = emit.convert(*value, element);
  if (emit.hasFault())
    return failure();
  return node.result(stablehlo::BatchNormInferenceOp::create(
      node.builder(), emit.loc, x.getType(), x, scale, bias, mean, variance,
      node.builder().getF32FloatAttr(epsilon),
      node.builder().getI64IntegerAttr(1)));
}

//===--- Instance and group normalization ---------------------------------===//

static LogicalResult importInstanceNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  if (node.rank(0) < 3)
    return node.invalid("the input has no spatial dimensions");
  Value x = emit.widened(node.operand(0));
  Type wide = Emitter::elementOf(x);
  Value normal = normalize(emit, x, range(2, node.rank(0)), epsilon).value;
  Value scale = alongDimension(emit, emit.convert(node.operand(1), wide),
                               node.shape(0), 1);
  Value bias = alongDimension(emit, emit.convert(node.operand(2), wide),
                              node.shape(0), 1);
  Value result = emit.add(emit.multiply(normal, scale), bias);
  return node.result(emit.convert(result, node.element(0)));
}

/// Scale and bias are per group in opset 18, per channel since 21.
static LogicalResult importGroupNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  int64_t groups = node.integerAttribute("num_groups", 0);
  node.ignoreAttribute("stash_type");
  std::optional<Extent> share = node.rank(0) >= 2 && groups >= 1
                                    ? node.shape(0)[1].dividedBy(groups)
                                    : std::nullopt;
  if (!share)
    return node.invalid("num_groups = " + Twine(groups) +
                        " does not divide the channels");
  Shape shape = node.shape(0), split = shape;
  split[1] = *share;
  split.insert(split.begin() + 1, groups);
  bool perGroup = node.version() < 21;
  auto stash = [&](Emitter &emit, Value x) {
    Value grouped = emit.reshape(x, split);
    Value normal =
        normalize(emit, grouped, range(2, split.size()), epsilon).value;
    Type element = Emitter::elementOf(x);
    Value scale = emit.convert(node.operand(1), element);
    Value bias = emit.convert(node.operand(2), element);
    if (perGroup) {
      scale = alongDimension(emit, scale, split, 1);
      bias = alongDimension(emit, bias, split, 1);
      return emit.reshape(emit.add(emit.multiply(normal, scale), bias), shape);
    }
    normal = emit.reshape(normal, shape);
    scale = alongDimension(emit, scale, shape, 1);
    bias = alongDimension(emit, bias, shape, 1);
    return emit.add(emit.multiply(normal, scale), bias);
  };
  return node.result(inAtLeastFloat32(emit, node.operand(0), stash));
}

//===--- Layer and RMS normalization --------------------------------------===//

/// Several trailing dimensions are one, along which scale and bias lie.
Value heddle::onnx::trailingNorm(Emitter &emit, Norm norm, Value value,
                                 Value scale, Value bias, int64_t axis,
                                 double epsilon) {
  Shape shape = emit.shapeOf(value);
  Extent row = shape.after(axis).product();
  Shape flat = shape.leading(axis);
  flat.push_back(row);
  auto alongRows = [&](Value parameter) {
    Value spread = emit.broadcastTo(parameter, shape.after(axis));
    return alongDimension(emit, emit.reshape(spread, {row}), flat, axis);
  };
  // Statistics of half-width floats are kept in f32 (stash_type); scale and
  // bias apply to the narrowed result.
  Value normal = inAtLeastFloat32(
      emit, emit.reshape(value, flat), [&](Emitter &emit, Value x) {
        if (norm == Norm::Layer)
          return normalize(emit, x, axis, epsilon).value;
        Value square = emit.mean(emit.multiply(x, x), axis);
        return emit.multiply(
            x, rsqrt(emit, emit.add(square, emit.splatLike(square, epsilon))));
      });
  normal = emit.convert(normal, Emitter::elementOf(scale));
  Value result = emit.multiply(normal, alongRows(scale));
  if (bias)
    result = emit.add(result, alongRows(bias));
  return emit.reshape(result, shape);
}

static LogicalResult importLayerNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  node.ignoreAttribute("stash_type");
  if (emit.hasFault())
    return failure();
  node.set(0, trailingNorm(emit, Norm::Layer, node.operand(0), node.operand(1),
                           node.has(2) ? node.operand(2) : Value(), axis,
                           epsilon));
  if (node.wants(1) || node.wants(2)) {
    Value x = node.operand(0);
    if (Emitter::elementOf(x).getIntOrFloatBitWidth() < 32)
      x = emit.convert(x, node.builder().getF32Type());
    Normalized statistics =
        normalize(emit, x, range(axis, node.rank(0)), epsilon);
    node.set(1, statistics.mean);
    node.set(2, statistics.inverseDeviation);
  }
  return success();
}

LogicalResult heddle::onnx::importRmsNormalization(NodeImporter &node) {
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  node.ignoreAttribute("stash_type");
  if (node.emit.hasFault())
    return failure();
  return node.result(trailingNorm(node.emit, Norm::Rms, node.operand(0),
                                  node.operand(1), Value(), axis, epsilon));
}

//===--- The rest ---------------------------------------------------------===//

/// x / (bias + alpha / size * sum of squares over neighbouring channels)^beta
static LogicalResult importLrn(NodeImporter &node) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1e-4f);
  double beta = node.floatAttribute("beta", 0.75f);
  double bias = node.floatAttribute("bias", 1);
  int64_t size = node.integerAttribute("size", 0);
  if (node.rank(0) < 2 || size < 1)
    return node.invalid("size must be positive, the input have channels");
  Value x = emit.widened(node.operand(0));
  Window window;
  for (int64_t i = 0; i < node.rank(0); ++i) {
    bool channels = i == 1;
    window.size.push_back(channels ? size : 1);
    window.strides.push_back(1);
    window.dilations.push_back(1);
    window.padLow.push_back(channels ? (size - 1) / 2 : 0);
    window.padHigh.push_back(channels ? size - 1 - (size - 1) / 2 : 0);
  }
  Value sum = emit.reduceWindow(emit.multiply(x, x), window, Combine::Add);
  Value base = emit.add(emit.multiply(sum, emit.splatLike(x, alpha / size)),
                        emit.splatLike(x, bias));
  Value result = emit.divide(
      x, emit.binary<stablehlo::PowOp>(base, emit.splatLike(x, beta)));
  return node.result(emit.convert(result, node.element(0)));
}

/// A row of zeros stays zero.
static LogicalResult importLpNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  int64_t p = node.integerAttribute("p", 2);
  if (p != 1 && p != 2)
    return node.invalid("p is neither 1 nor 2");
  if (emit.hasFault())
    return failure();
  Value x = emit.widened(node.operand(0));
  Value powers = p == 1 ? emit.unary<stablehlo::AbsOp>(x) : emit.multiply(x, x);
  Value norm = emit.reduce(powers, axis, Combine::Add, /*keepDims=*/true);
  if (p == 2)
    norm = emit.unary<stablehlo::SqrtOp>(norm);
  Value isZero = emit.compare(norm, emit.splatLike(norm, 0),
                              stablehlo::ComparisonDirection::EQ);
  Value result =
      emit.divide(x, emit.select(isZero, emit.splatLike(norm, 1), norm));
  return node.result(emit.convert(result, node.element(0)));
}

/// (x - mean) / (deviation + 1e-9), as the function body of the definition
/// says.
static LogicalResult importMeanVarianceNormalization(NodeImporter &node) {
  Emitter &emit = node.emit;
  OwnedExtents axes =
      node.integersAttribute("axes").value_or(OwnedExtents{0, 2, 3});
  std::optional<OwnedExtents> dims = node.normalizeAxes(axes, node.rank(0));
  if (!dims)
    return failure();
  Value x = emit.widened(node.operand(0));
  Value mean = emit.mean(x, *dims);
  Value variance = emit.subtract(emit.mean(emit.multiply(x, x), *dims),
                                 emit.multiply(mean, mean));
  Value deviation = emit.unary<stablehlo::SqrtOp>(variance);
  Value result =
      emit.divide(emit.subtract(x, mean),
                  emit.add(deviation, emit.splatLike(deviation, 1e-9)));
  return node.result(emit.convert(result, node.element(0)));
}

void heddle::onnx::addNormalization(OperatorTable &table) {
  table.add("BatchNormalization", {7, 9, 14, 15}, 5, 5,
            importBatchNormalization, 5);
  table.add("InstanceNormalization", {6, 22}, 3, 3,
            importInstanceNormalization);
  table.add("GroupNormalization", {18, 21}, 3, 3, importGroupNormalization);
  // onnxruntime's optimizer writes it into models of older operator sets.
  table.add("LayerNormalization", {1, 17}, 2, 3, importLayerNormalization, 3);
  table.add("RMSNormalization", {23}, 2, 2, importRmsNormalization);
  table.add("LRN", {1, 13}, 1, 1, importLrn);
  table.add("LpNormalization", {1, 22}, 1, 1, importLpNormalization);
  table.add("MeanVarianceNormalization", {9, 13}, 1, 1,
            importMeanVarianceNormalization);
}
