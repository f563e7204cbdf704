// Quantization of constants, by its definition: in double, rounded once.

#include "BoxEvaluator.h"

#include "heddle/Support/ElementKind.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Scales and zero points of a box, one after the other as its elements want
/// them.
class Parameters {
public:
  Parameters(std::vector<double> scales, std::vector<int64_t> zeroPoints,
             int64_t inner)
      : scales(std::move(scales)), zeroPoints(std::move(zeroPoints)),
        inner(inner), left(inner) {}

  double scale() const { return scales[at]; }
  int64_t zeroPoint() const { return zeroPoints[at]; }
  void next() {
    if (--left > 0)
      return;
    left = inner;
    at = at + 1 == scales.size() ? 0 : at + 1;
  }

private:
  std::vector<double> scales;
  std::vector<int64_t> zeroPoints;
  int64_t inner, left;
  size_t at = 0;
};
} // namespace

static ElementKind kindOf(Value value) {
  return *elementKind(getElementTypeOrSelf(value.getType()));
}

/// The elements of `box`, as integers or as numbers.
template <typename T>
static FailureOr<std::vector<T>> load(BoxEvaluator &evaluator, Value value,
                                      const Box &box) {
  ElementKind kind = kindOf(value);
  std::vector<char> bytes(box.elements() * storedBytes(kind));
  std::vector<T> values(box.elements());
  if (failed(evaluator.evaluate(value, box, bytes.data())))
    return failure();
  loadElements(kind, bytes.data(), values.size(), values.data());
  return values;
}

template <typename Op>
static FailureOr<Parameters> parametersOf(BoxEvaluator &evaluator, Op op,
                                          const Box &box) {
  Box line;
  if (std::optional<uint64_t> axis = op.getAxis())
    line = {{box.offsets[*axis]}, {box.sizes[*axis]}};
  auto scales = load<double>(evaluator, op.getScale(), line);
  auto zeroPoints = load<int64_t>(evaluator, op.getZeroPoint(), line);
  if (failed(scales) || failed(zeroPoints))
    return failure();
  return Parameters(std::move(*scales), std::move(*zeroPoints),
                    op.getInnerElements(box.sizes));
}

LogicalResult BoxEvaluator::dequantize(prec::DequantizeOp op, const Box &box,
                                       char *out) {
  auto stored = load<int64_t>(*this, op.getInput(), box);
  auto parameters = parametersOf(*this, op, box);
  if (failed(stored) || failed(parameters))
    return failure();
  std::vector<double> values(stored->size());
  for (auto [value, integer] : llvm::zip_equal(values, *stored)) {
    value = static_cast<double>(integer - parameters->zeroPoint()) *
            parameters->scale();
    parameters->next();
  }
  storeElements(kindOf(op.getResult()), values.data(), values.size(), out);
  return success();
}

LogicalResult BoxEvaluator::quantize(prec::QuantizeOp op, const Box &box,
                                     char *out) {
  auto values = load<double>(*this, op.getInput(), box);
  auto parameters = parametersOf(*this, op, box);
  if (failed(values) || failed(parameters))
    return failure();
  ElementKind real = kindOf(op.getInput());
  std::vector<int64_t> stored(values->size());
  for (auto [integer, value] : llvm::zip_equal(stored, *values)) {
    double quotient = roundToKind(real, value / parameters->scale());
    integer = op.store(quotient, parameters->zeroPoint());
    parameters->next();
  }
  storeElements(kindOf(op.getResult()), stored.data(), stored.size(), out);
  return success();
}
