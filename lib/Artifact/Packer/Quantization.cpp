// Quantization of constants, by its definition: in double, rounded once; to
// integers in integers.

#include "BoxEvaluator.h"

#include "heddle/Support/ElementKind.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Scales and zero points of a box, one after the other as its elements want
/// them.
class ParameterValues {
public:
  ParameterValues(std::vector<double> scales, std::vector<int64_t> zeroPoints,
                  prec::Parameters parameters)
      : scales(std::move(scales)), zeroPoints(std::move(zeroPoints)),
        parameters(std::move(parameters)) {}

  double scale() const { return scales[parameters.number()]; }
  int64_t zeroPoint() const { return zeroPoints[parameters.number()]; }
  void next() { parameters.next(); }

private:
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  prec::Parameters parameters;
};
} // namespace

static ElementKind kindOf(Value value) {
  return *elementKind(getElementTypeOrSelf(value.getType()));
}

/// Elements of `value`, as integers or as numbers.
template <typename T>
static std::vector<T> load(Value value, const std::vector<char> &bytes) {
  ElementKind kind = kindOf(value);
  std::vector<T> values(bytes.size() / storedBytes(kind));
  loadElements(kind, bytes.data(), values.size(), values.data());
  return values;
}

/// The boxes of the input, the scale and the zero point.
template <typename Op>
static SmallVector<std::pair<Value, Box>> operandBoxes(Op op, const Box &box) {
  prec::Parameters parameters = op.getParameters(box.offsets, box.sizes);
  Box read = {parameters.offsets, parameters.sizes};
  return {
      {op.getInput(), box}, {op.getScale(), read}, {op.getZeroPoint(), read}};
}

/// From the bytes of these boxes.
template <typename Op>
static ParameterValues parametersOf(Op op, const Box &box,
                                    ArrayRef<std::vector<char>> values) {
  return ParameterValues(load<double>(op.getScale(), values[1]),
                         load<int64_t>(op.getZeroPoint(), values[2]),
                         op.getParameters(box.offsets, box.sizes));
}

BoxEvaluator::Step BoxEvaluator::dequantize(prec::DequantizeOp op,
                                            const Box &box, char *out) {
  return afterAll(operandBoxes(op, box), [op, box,
                                          out](const Values &boxes) mutable {
    std::vector<int64_t> stored = load<int64_t>(op.getInput(), boxes[0]);
    ParameterValues parameters = parametersOf(op, box, boxes);
    if (getElementTypeOrSelf(op.getType()).isInteger()) {
      // 16 bits times 32 are exact in double, and what does not fit wraps.
      for (int64_t &integer : stored) {
        integer = (integer - parameters.zeroPoint()) *
                  static_cast<int64_t>(parameters.scale());
        parameters.next();
      }
      storeElements(kindOf(op.getResult()), stored.data(), stored.size(), out);
      return success();
    }
    std::vector<double> values(stored.size());
    for (auto [value, integer] : llvm::zip_equal(values, stored)) {
      value = static_cast<double>(integer - parameters.zeroPoint()) *
              parameters.scale();
      parameters.next();
    }
    storeElements(kindOf(op.getResult()), values.data(), values.size(), out);
    return success();
  });
}

BoxEvaluator::Step BoxEvaluator::quantize(prec::QuantizeOp op, const Box &box,
                                          char *out) {
  return afterAll(operandBoxes(op, box), [op, box,
                                          out](const Values &boxes) mutable {
    std::vector<double> values = load<double>(op.getInput(), boxes[0]);
    ParameterValues parameters = parametersOf(op, box, boxes);
    ElementKind real = kindOf(op.getInput());
    std::vector<int64_t> stored(values.size());
    for (auto [integer, value] : llvm::zip_equal(stored, values)) {
      double quotient = roundToKind(real, value / parameters.scale());
      integer = op.store(quotient, parameters.zeroPoint());
      parameters.next();
    }
    storeElements(kindOf(op.getResult()), stored.data(), stored.size(), out);
    return success();
  });
}
