// Operators of the domain com.microsoft that onnxruntime's quantizer writes:
// quantized forms of operators that ONNX has for floats only, and products of
// integers in the units of their scales.

#include "Functions.h"
#include "Quantization.h"
#include "Windows.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// The operand `at` as f32, by the scale and zero point that follow it.
static Value real(NodeImporter &node, size_t at, int64_t axis = -1) {
  std::optional<Scaling> scaling =
      readScaling(node, at + 1, at + 2, node.shape(at), axis);
  if (!scaling)
    return {};
  return dequantize(node.emit, node.operand(at), *scaling,
                    node.builder().getF32Type());
}

/// The result in units of the scale at `scale`, its zero point behind it; of
/// the type of the zero point, or of `otherwise` where none is given.
static LogicalResult quantized(NodeImporter &node, Value value, size_t scale,
                               Type otherwise) {
  if (node.emit.hasFault())
    return failure();
  std::optional<Scaling> scaling = readScaling(
      node, scale, scale + 1, node.emit.shapeOf(value), /*axis=*/-1);
  if (!scaling)
    return failure();
  Type storage = node.has(scale + 1) ? node.element(scale + 1) : otherwise;
  return node.result(quantize(node.emit, value, *scaling, storage));
}

/// A, its scale and zero point, B, its scale and zero point, the result's.
static LogicalResult importBinary(NodeImporter &node) {
  Value lhs = real(node, 0), rhs = real(node, 3);
  if (!lhs || !rhs)
    return failure();
  Value result = node.op() == "QLinearAdd" ? node.emit.add(lhs, rhs)
                                           : node.emit.multiply(lhs, rhs);
  return quantized(node, result, 6, node.element(0));
}

static Value leakyRelu(Emitter &emit, Value x, double alpha) {
  return emit.select(
      emit.compare(x, emit.splatLike(x, 0), stablehlo::ComparisonDirection::LT),
      emit.multiply(x, emit.splatLike(x, alpha)), x);
}

/// X, its scale and zero point, the result's.
static LogicalResult importUnary(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = real(node, 0);
  if (!x)
    return failure();
  if (node.op() == "QLinearSigmoid")
    x = sigmoid(emit, x);
  else if (node.op() == "QLinearLeakyRelu")
    x = leakyRelu(emit, x, node.floatAttribute("alpha", 0.01));
  return quantized(node, x, 3, node.element(0));
}

static LogicalResult importSoftmax(NodeImporter &node) {
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", -1), node.rank(0));
  // Before opset 13 all dimensions from the axis on are one.
  bool isFlat = node.integerAttribute("opset", 13) < 13;
  Value x = real(node, 0);
  if (!x || node.emit.hasFault())
    return failure();
  if (isFlat && axis + 1 != node.rank(0))
    return node.unsupported("a softmax over several dimensions");
  return quantized(node, softmax(node.emit, x, axis), 3, node.element(0));
}

/// The mean over all spatial dimensions, or of the windows. NHWC if
/// `channels_last` is set.
static LogicalResult importAveragePool(NodeImporter &node) {
  Emitter &emit = node.emit;
  bool isGlobal = node.op() == "QLinearGlobalAveragePool";
  bool channelsLast = node.integerAttribute("channels_last", 0) != 0;
  Value x = real(node, 0);
  if (!x)
    return failure();
  if (node.rank(0) < 3)
    return node.invalid("the input has no spatial dimensions");
  if (isGlobal) {
    OwnedExtents dims;
    for (int64_t i = 0; i < node.rank(0) - 2; ++i)
      dims.push_back(i + (channelsLast ? 1 : 2));
    return quantized(node, emit.mean(x, dims), 3, node.element(0));
  }
  if (channelsLast || node.integerAttribute("ceil_mode", 0) != 0)
    return node.unsupported("windows of channels_last or ceil_mode");
  bool counts = node.integerAttribute("count_include_pad", 0) != 0;
  std::optional<OwnedExtents> kernel = node.integersAttribute("kernel_shape");
  if (!kernel)
    return node.invalid("attribute 'kernel_shape' is missing");
  std::optional<Window> window = readWindow(node, *kernel);
  if (!window)
    return failure();
  Value sum = emit.reduceWindow(x, *window, Combine::Add);
  Value one = emit.splatLike(x, 1), divisor;
  if (counts) {
    int64_t size = 1;
    for (int64_t extent : *kernel)
      size *= extent;
    divisor = emit.splatLike(sum, double(size));
  } else {
    divisor = emit.reduceWindow(one, *window, Combine::Add);
  }
  return quantized(node, emit.divide(sum, divisor), 3, node.element(0));
}

/// The result's scale and zero point, then three inputs for each tensor.
static LogicalResult importConcat(NodeImporter &node) {
  Emitter &emit = node.emit;
  if ((node.numOperands() - 2) % 3 != 0)
    return node.invalid("it needs a scale and a zero point for each tensor");
  SmallVector<Value> values;
  for (size_t i = 2; i < node.numOperands(); i += 3) {
    Value value = real(node, i);
    if (!value)
      return failure();
    values.push_back(value);
  }
  int64_t axis =
      node.normalizeAxis(node.integerAttribute("axis", 0), node.rank(2));
  if (emit.hasFault())
    return failure();
  return quantized(node, emit.concatenate(values, axis), 0, node.element(2));
}

/// A, its scale and zero point, B, its scale and zero point, an i32 bias in
/// units of both scales, the result's scale and zero point; without these the
/// result is real.
static LogicalResult importGemm(NodeImporter &node) {
  Emitter &emit = node.emit;
  double alpha = node.floatAttribute("alpha", 1);
  if (node.rank(0) != 2 || node.rank(3) != 2)
    return node.invalid("A and B must be matrices");
  int64_t left = node.integerAttribute("transA", 0) ? 0 : 1;
  int64_t right = node.integerAttribute("transB", 0) ? 1 : 0;
  Value sums =
      emit.dotGeneral(centred(node, 0, 2, 1 - left),
                      centred(node, 3, 5, 1 - right), {}, {}, {left}, {right});
  if (emit.hasFault())
    return failure();
  if (node.has(6))
    sums =
        emit.add(sums, emit.broadcastTo(node.operand(6), emit.shapeOf(sums)));
  Value result = emit.convert(sums, node.builder().getF32Type());
  for (size_t scale : {1, 4})
    result = emit.multiply(result, node.shape(scale).product().is(1)
                                       ? emit.reshape(node.operand(scale), {})
                                       : node.operand(scale));
  if (alpha != 1)
    result = emit.multiply(result, emit.splatLike(result, alpha));
  if (node.has(7))
    return quantized(node, result, 7, node.element(0));
  return node.result(result);
}

/// A, B, their scales, their zero points, a bias; all but the products are
/// real.
static LogicalResult importMatMulIntegerToFloat(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value lhs = centred(node, 0, 4, std::max<int64_t>(node.rank(0) - 2, 0));
  Value rhs = centred(node, 1, 5, std::max<int64_t>(node.rank(1) - 1, 0));
  Value result =
      emit.convert(matmul(emit, lhs, rhs), node.builder().getF32Type());
  for (size_t scale : {2, 3})
    result = emit.multiply(result, node.shape(scale).product().is(1)
                                       ? emit.reshape(node.operand(scale), {})
                                       : node.operand(scale));
  if (node.has(6))
    result = emit.add(result, node.operand(6));
  return node.result(result);
}

void heddle::onnx::addQuantized(OperatorTable &table) {
  table.add("com.microsoft.QLinearAdd", {1}, 7, 8, importBinary);
  table.add("com.microsoft.QLinearMul", {1}, 7, 8, importBinary);
  table.add("com.microsoft.QLinearSigmoid", {1}, 4, 5, importUnary);
  table.add("com.microsoft.QLinearLeakyRelu", {1}, 4, 5, importUnary);
  table.add("com.microsoft.QLinearSoftmax", {1}, 5, 5, importSoftmax);
  table.add("com.microsoft.QLinearGlobalAveragePool", {1}, 5, 5,
            importAveragePool);
  table.add("com.microsoft.QLinearAveragePool", {1}, 4, 5, importAveragePool);
  table.add("com.microsoft.QLinearConcat", {1}, 5, kAnyNumber, importConcat);
  table.add("com.microsoft.QGemm", {1}, 6, 9, importGemm);
  table.add("com.microsoft.MatMulIntegerToFloat", {1}, 4, 7,
            importMatMulIntegerToFloat);
}
