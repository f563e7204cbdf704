// Steps that combine elements along dimensions and in windows, or order them.

#include "test/unit/Dynamic/SizedProgram.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;

namespace heddle::sized {

/// Whether `count` elements of `x` are combined to the same in any order.
static bool isOrderFree(SizedProgram &p, Value x, StringRef how, double count) {
  return p.scale() == Scale::Huge || how != "stablehlo.add" ||
         p.isExact(x, count);
}

static StringRef combination(SizedProgram &p) {
  return p.oneOf<StringRef>(
      {"stablehlo.add", "stablehlo.maximum", "stablehlo.minimum"});
}

static bool reduce(SizedProgram &p) {
  Type type = p.numberType();
  StringRef how = combination(p);
  Value x = p.any(type);
  SmallVector<int64_t> dimensions;
  double count = 1;
  for (int64_t i = 0; i < p.rank(x); ++i)
    if (p.chance(50)) {
      dimensions.push_back(i);
      count *= double(p.high(p.shape(x)[i]));
    }
  SmallVector<Value> operands = {x};
  if (p.chance(25))
    operands.push_back(p.like(p.nearly(x), type));
  for (Value input : SmallVector<Value>(operands))
    if (!isOrderFree(p, input, how, count))
      return false;
  SmallVector<Type> elements(operands.size(), type);
  Value first = p.scalar(type, p.number(-2, 2));
  double most = p.largest(x) * count + 2;
  operands.append(operands.size(), first);
  Operation *op =
      p.emit("stablehlo.reduce", operands, p.list("dimensions", dimensions),
             type, [&](OpBuilder &, OperationState &state) {
               p.addCombiner(state, how, elements);
             });
  if (op && how == "stablehlo.add")
    p.setLargest(op->getResult(0), most);
  return op;
}

static bool reduceWindow(SizedProgram &p) {
  Type type = p.numberType();
  StringRef how = combination(p);
  Value x = p.any(type);
  TrueShape sizes, padding;
  SmallVector<int64_t> strides, base, dilations;
  double count = 1;
  for (Expression extent : p.shape(x)) {
    if (p.chance(15) && p.low(extent) > 0) {
      // All of a dimension: a global pooling or sums of what came before.
      sizes.push_back(extent);
      bool cumulative = p.chance(50);
      padding.push_back(cumulative ? extent - 1 : p.constant(0));
      padding.push_back(p.constant(0));
      strides.push_back(1);
      base.push_back(1);
      dilations.push_back(1);
      count *= double(p.high(extent));
      continue;
    }
    int64_t size = p.chance(40) ? 1 : p.number(2, 3);
    count *= double(size);
    sizes.push_back(p.constant(size));
    padding.push_back(p.constant(p.number(-1, 2)));
    padding.push_back(p.constant(p.number(-1, 2)));
    strides.push_back(p.chance(50) ? 1 : p.number(2, 3));
    base.push_back(p.chance(75) ? 1 : p.number(2, 3));
    dilations.push_back(p.chance(75) ? 1 : 2);
  }
  if (!isOrderFree(p, x, how, count))
    return false;
  SmallVector<NamedAttribute> attributes = {
      p.list("window_dimensions", p.highs(sizes)),
      p.list("window_strides", strides), p.list("base_dilations", base),
      p.list("window_dilations", dilations), p.padding(p.highs(padding))};
  p.addSized(attributes, {{"window_dimensions", sizes}, {"padding", padding}});
  Value first = p.scalar(type, how == "stablehlo.add" ? 0 : p.number(-9, 9));
  Operation *op = p.emit("stablehlo.reduce_window", {x, first}, attributes,
                         type, [&](OpBuilder &, OperationState &state) {
                           p.addCombiner(state, how, type);
                         });
  if (op && how == "stablehlo.add")
    p.setLargest(op->getResult(0), p.largest(x) * count);
  return op;
}

static bool selectAndScatter(SizedProgram &p) {
  Type type = p.f32();
  Value x = p.any(type);
  SmallVector<int64_t> sizes, strides, padding;
  for (int64_t i = 0; i < p.rank(x); ++i) {
    sizes.push_back(p.number(1, 2));
    strides.push_back(p.number(1, 2));
    padding.append({0, p.number(0, 1)});
  }
  SmallVector<NamedAttribute> attributes = {p.list("window_dimensions", sizes),
                                            p.list("window_strides", strides),
                                            p.padding(padding)};
  Value none = p.scalar(type, -100), zero = p.scalar(type, 0);
  // There is an element of the source for each window.
  Operation *source = p.emit("stablehlo.reduce_window", {x, none}, attributes,
                             type, [&](OpBuilder &, OperationState &state) {
                               p.addCombiner(state, "stablehlo.maximum", type);
                             });
  if (!source)
    return false;
  Value values = p.like(p.shape(source->getResult(0)), type);
  if (p.scale() != Scale::Huge && !p.isExact(values, 4))
    return false;
  return p.emit("stablehlo.select_and_scatter", {x, values, zero}, attributes,
                type, [&](OpBuilder &, OperationState &state) {
                  p.addComparator(state, "GE", type);
                  p.addCombiner(state, "stablehlo.add", type);
                });
}

static bool sort(SizedProgram &p) {
  Type type = p.numberType();
  Value x = p.any(type);
  SmallVector<Value> operands = {x};
  if (p.chance(40))
    operands.push_back(p.like(p.nearly(x), type));
  SmallVector<Type> elements(operands.size(), type);
  return p.emit("stablehlo.sort", operands,
                {p.integer("dimension", p.number(0, p.rank(x) - 1)),
                 p.named("is_stable", p.builder.getBoolAttr(true))},
                type, [&](OpBuilder &, OperationState &state) {
                  p.addComparator(state, p.oneOf<StringRef>({"LT", "GT"}),
                                  elements);
                });
}

static bool topK(SizedProgram &p) {
  Value x = p.any([&](Value value) { return p.low(p.shape(value).back()) > 0; },
                  p.f32());
  if (!x)
    return false;
  TrueShape shape = p.shape(x);
  int64_t k = p.number(1, std::min<int64_t>(p.low(shape.back()), 3));
  shape.back() = p.constant(k);
  return p.tell("chlo.top_k", x, p.integer("k", k),
                {p.type(shape, p.f32()), p.type(shape, p.i32())});
}

/// Normalizations: the operand's extents, and those of one of its dimensions.
static bool batchNorm(SizedProgram &p) {
  Value x = p.any(p.f32());
  int64_t feature = p.number(0, p.rank(x) - 1);
  TrueShape row = {p.shape(x)[feature]};
  auto each = [&] { return p.like(row, p.f32()); };
  return p.emit("stablehlo.batch_norm_inference",
                {x, each(), each(), each(), each()},
                {p.named("epsilon", p.builder.getF32FloatAttr(0.5)),
                 p.integer("feature_index", feature)},
                p.f32());
}

static bool trainedNorm(SizedProgram &p, bool isGradient) {
  Value x = p.any(p.f32());
  int64_t feature = p.number(0, p.rank(x) - 1);
  TrueShape row = {p.shape(x)[feature]};
  Type all = p.type(p.shape(x), p.f32()), one = p.type(row, p.f32());
  auto each = [&] { return p.like(row, p.f32()); };
  SmallVector<NamedAttribute> attributes = {
      p.named("epsilon", p.builder.getF32FloatAttr(0.5)),
      p.integer("feature_index", feature)};
  // Means are refused of what calls choose; of numbers they are computed in
  // another order than that of the interpreter.
  p.typesOnly = true;
  if (!isGradient)
    return p.tell("stablehlo.batch_norm_training", {x, each(), each()},
                  attributes, {all, one, one});
  return p.tell("stablehlo.batch_norm_grad",
                {x, each(), each(), each(), p.like(p.shape(x), p.f32())},
                attributes, {all, one, one});
}

static bool batchNormTraining(SizedProgram &p) {
  return trainedNorm(p, /*isGradient=*/false);
}

static bool batchNormGrad(SizedProgram &p) {
  return trainedNorm(p, /*isGradient=*/true);
}

/// Bits of as many elements as sizes say.
static bool randomBits(SizedProgram &p) {
  Type state = RankedTensorType::get({2}, p.builder.getIntegerType(64, false));
  TrueShape shape = p.extents(p.number(1, 2));
  Value from = p.argument({p.constant(2)}, p.builder.getIntegerType(64, false));
  return p.tell(
      "stablehlo.rng_bit_generator", from,
      p.named("rng_algorithm",
              stablehlo::RngAlgorithmAttr::get(
                  p.builder.getContext(), stablehlo::RngAlgorithm::THREE_FRY)),
      {state, p.type(shape, p.builder.getIntegerType(32, false))});
}

ArrayRef<Step> reductionSteps() {
  static const Step steps[] = {
      {"stablehlo.reduce", reduce},
      {"stablehlo.reduce", reduce},
      {"stablehlo.reduce_window", reduceWindow},
      {"stablehlo.reduce_window", reduceWindow},
      {"stablehlo.select_and_scatter", selectAndScatter},
      {"stablehlo.sort", sort},
      {"chlo.top_k", topK},
      {"stablehlo.batch_norm_inference", batchNorm},
      {"stablehlo.batch_norm_training", batchNormTraining, false},
      {"stablehlo.batch_norm_grad", batchNormGrad, false},
      {"stablehlo.rng_bit_generator", randomBits, false},
  };
  return steps;
}

} // namespace heddle::sized
