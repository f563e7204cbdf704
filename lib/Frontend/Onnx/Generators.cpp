// Operators that make values out of nothing.

#include "ComputedShapes.h"
#include "heddle/Support/MappedFile.h"

#include <cmath>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

static LogicalResult importConstant(NodeImporter &node) {
  Emitter &emit = node.emit;
  Builder &builder = node.builder();
  if (node.hasAttribute("value")) {
    const Tensor *tensor = node.tensorAttribute("value");
    if (!tensor)
      return failure();
    std::string message;
    ElementsAttr value = node.constant(*tensor, message);
    if (!value)
      return node.invalid("the constant cannot be read: " + message);
    return node.result(emit.constant(value));
  }
  if (node.hasAttribute("value_int"))
    return node.result(
        emit.splatInteger(RankedTensorType::get({}, builder.getI64Type()),
                          node.integerAttribute("value_int", 0)));
  if (node.hasAttribute("value_float"))
    return node.result(emit.scalar(builder.getF32Type(),
                                   node.floatAttribute("value_float", 0)));
  if (std::optional<OwnedExtents> values = node.integersAttribute("value_ints"))
    return node.result(emit.integers(*values, builder.getI64Type()));
  if (auto values = node.floatsAttribute("value_floats")) {
    Literal literal = Literal::zeros(
        RankedTensorType::get({int64_t(values->size())}, builder.getF32Type()));
    literal.floats.assign(values->begin(), values->end());
    return node.result(emit.constant(literal));
  }
  if (node.hasAttribute("sparse_value"))
    return node.unsupported("sparse constants are not supported");
  return node.unsupported("constants of strings are not supported");
}

static LogicalResult importConstantOfShape(NodeImporter &node) {
  Emitter &emit = node.emit;
  Type element = node.builder().getF32Type();
  std::optional<Shape> shape = isComputed(node, 0)
                                   ? computedSizes(node, 0, "size")
                                   : node.sizes(0, "the shape");
  std::optional<Literal> value;
  if (node.hasAttribute("value")) {
    const Tensor *tensor = node.tensorAttribute("value");
    std::string message;
    ElementsAttr attribute = tensor ? node.constant(*tensor, message) : nullptr;
    if (attribute)
      value = readLiteral(attribute);
    if (!value || value->size() != 1)
      return node.invalid("attribute 'value' is not one number " + message);
    element = value->type.getElementType();
  }
  if (!shape)
    return failure();
  RankedTensorType type = emit.type(*shape, element);
  if (emit.hasFault())
    return failure();
  if (value && !value->isFloat())
    return node.result(emit.splatInteger(type, value->integers.front()));
  return node.result(emit.splat(type, value ? value->floats.front() : 0));
}

/// start + i * delta for as many as `count` elements.
static LogicalResult countedRange(NodeImporter &node, const Extent &count) {
  Emitter &emit = node.emit;
  Shape shape{count};
  RankedTensorType type = emit.type(shape, node.element(0));
  if (emit.hasFault())
    return failure();
  auto scaled =
      emit.multiply(emit.iota(type, 0),
                    emit.broadcastTo(emit.reshape(node.operand(2), {}), shape));
  return node.result(emit.add(
      scaled, emit.broadcastTo(emit.reshape(node.operand(0), {}), shape)));
}

/// The number of elements follows from start, limit and delta, so these must be
/// known, or sizes that calls choose and a known delta.
static LogicalResult importRange(NodeImporter &node) {
  Emitter &emit = node.emit;
  node.ignoreAttribute("stash_type");
  if (isComputed(node, 0) || isComputed(node, 1) || isComputed(node, 2))
    return rangeOfComputed(node);
  std::optional<Shape> first = emit.sizesIn(node.operand(0));
  std::optional<Shape> behind = emit.sizesIn(node.operand(1));
  if (first && behind && !(first->areKnown() && behind->areKnown())) {
    std::optional<double> delta = node.number(2, "the step");
    if (!delta)
      return failure();
    if (first->size() != 1 || behind->size() != 1 || *delta == 0 ||
        std::fabs(*delta) > 0x1p40 || std::trunc(*delta) != *delta)
      return node.invalid("start, limit and step give no range");
    Extent span = *delta > 0 ? behind->front() - first->front()
                             : first->front() - behind->front();
    Extent count = span.ceilDiv(int64_t(std::fabs(*delta)));
    return countedRange(node, Extent::maximum(count, 0));
  }
  std::optional<double> start = node.number(0, "the start");
  std::optional<double> limit = node.number(1, "the limit");
  std::optional<double> delta = node.number(2, "the step");
  if (!start || !limit || !delta)
    return failure();
  if (*delta == 0 || !std::isfinite(*delta) || !std::isfinite(*start) ||
      !std::isfinite(*limit))
    return node.invalid("start, limit and step give no range");
  double count = std::max(std::ceil((*limit - *start) / *delta), 0.0);
  if (count > 0x1p40)
    return node.invalid("the range has too many elements");
  return countedRange(node, int64_t(count));
}

static LogicalResult importEyeLike(NodeImporter &node) {
  Emitter &emit = node.emit;
  int64_t k = node.integerAttribute("k", 0);
  Type element = node.typeAttribute("dtype", node.element(0));
  if (!element || node.rank(0) != 2)
    return node.invalid("the input is no matrix");
  RankedTensorType type = emit.type(node.shape(0), node.builder().getI64Type());
  Value row = emit.iota(type, 0), column = emit.iota(type, 1);
  Value diagonal = emit.compare(emit.add(row, emit.splatInteger(type, k)),
                                column, stablehlo::ComparisonDirection::EQ);
  return node.result(emit.convert(diagonal, element));
}

/// Keeps the upper or lower triangle of each matrix.
static LogicalResult importTrilu(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool upper = node.integerAttribute("upper", 1) != 0;
  int64_t k = 0, rank = node.rank(0);
  if (node.has(1)) {
    std::optional<int64_t> given = node.integer(1, "the diagonal");
    if (!given)
      return failure();
    k = *given;
  }
  if (rank < 2)
    return node.invalid("the input is no matrix");
  RankedTensorType type =
      emit.type(node.shape(0).trailing(2), node.builder().getI64Type());
  Value row = emit.iota(type, 0), column = emit.iota(type, 1);
  Value diagonal = emit.add(row, emit.splatInteger(type, k));
  using Direction = stablehlo::ComparisonDirection;
  Value keep =
      emit.compare(column, diagonal, upper ? Direction::GE : Direction::LE);
  Value x = node.operand(0);
  return node.result(emit.select(emit.broadcastTo(keep, node.shape(0)), x,
                                 emit.splatLike(x, 0)));
}

/// Window functions a + b cos(2 pi n / N) + c cos(4 pi n / N), with N one less
/// unless periodic.
template <int kind> static LogicalResult importWindow(NodeImporter &node) {
  Emitter &emit = node.emit;
  std::optional<int64_t> size = node.integer(0, "the size");
  bool periodic = node.integerAttribute("periodic", 1) != 0;
  Type element =
      node.typeAttribute("output_datatype", node.builder().getF32Type());
  if (!size || !element)
    return failure();
  static constexpr double kCoefficients[3][3] = {
      {0.5, -0.5, 0}, {25.0 / 46, -21.0 / 46, 0}, {0.42, -0.5, 0.08}};
  const double *c = kCoefficients[kind];
  constexpr double kPi = 3.14159265358979323846;
  Type f32 = node.builder().getF32Type();
  if (*size > (1 << 24))
    return node.unsupported("windows of more than 2^24 points");
  RankedTensorType type = emit.type({*size}, f32);
  if (emit.hasFault())
    return failure();
  double span = std::max<int64_t>(periodic ? *size : *size - 1, 1);
  Value n = emit.iota(type, 0);
  Value once = emit.unary<stablehlo::CosineOp>(
      emit.multiply(n, emit.splatLike(n, 2 * kPi / span)));
  Value twice = emit.unary<stablehlo::CosineOp>(
      emit.multiply(n, emit.splatLike(n, 4 * kPi / span)));
  Value result = emit.add(emit.splatLike(n, c[0]),
                          emit.multiply(once, emit.splatLike(n, c[1])));
  if (c[2] != 0)
    result = emit.add(result, emit.multiply(twice, emit.splatLike(n, c[2])));
  return node.result(emit.convert(result, element));
}

void heddle::onnx::addGenerators(OperatorTable &table) {
  table.add("Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, 0, 0,
            importConstant);
  table.add("ConstantOfShape", {9, 20, 21, 23, 24, 25}, 1, 1,
            importConstantOfShape);
  table.add("Range", {11, 27}, 3, 3, importRange);
  table.add("EyeLike", {9, 22}, 1, 1, importEyeLike);
  table.add("Trilu", {14}, 1, 2, importTrilu);
  table.add("HannWindow", {17}, 1, 1, importWindow<0>);
  table.add("HammingWindow", {17}, 1, 1, importWindow<1>);
  table.add("BlackmanWindow", {17}, 1, 1, importWindow<2>);
}
