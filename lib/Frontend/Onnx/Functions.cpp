// Formulas that several operators share, written in StableHLO.

#include "Functions.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

Value heddle::onnx::inAtLeastFloat32(
    Emitter &emit, Value value,
    llvm::function_ref<Value(Emitter &, Value)> function) {
  Type element = Emitter::elementOf(value);
  if (!isa<FloatType>(element)) {
    emit.fault(ErrorCode::OnnxNode, "the operand is not a float");
    return value;
  }
  if (element.getIntOrFloatBitWidth() >= 32)
    return function(emit, value);
  Value wide = emit.convert(value, emit.builder.getF32Type());
  return emit.convert(function(emit, wide), element);
}

/// Horner's rule, from the highest coefficient down.
static Value polynomial(Emitter &emit, Value x, ArrayRef<double> coefficients) {
  Value result = emit.splatLike(x, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = emit.add(emit.multiply(result, x), emit.splatLike(x, coefficient));
  return result;
}

/// f32: x P(x²) / Q(x²) on [-4, 4], outside which erf rounds to ±1;
/// coefficients of Eigen's generic_fast_erf_float, error below 4 ulp.
static Value erfOfFloat32(Emitter &emit, Value x) {
  Value bound = emit.splatLike(x, 4);
  x = emit.maximum(emit.minimum(x, bound), emit.unary<stablehlo::NegOp>(bound));
  Value square = emit.multiply(x, x);
  Value numerator = polynomial(emit, square,
                               {-2.72614225801306e-10, 2.77068142495902e-08,
                                -2.10102402082508e-06, -5.69250639462346e-05,
                                -7.34990630326855e-04, -2.95459980854025e-03,
                                -1.60960333262415e-02});
  Value denominator = polynomial(emit, square,
                                 {-1.45660718464996e-05, -2.13374055278905e-04,
                                  -1.68282697438203e-03, -7.37332916720468e-03,
                                  -1.42647390514189e-02});
  return emit.divide(emit.multiply(x, numerator), denominator);
}

/// f64: erf x = 2 / sqrt(pi) exp(-x²) sum of 2^n x^(2n+1) / (2n+1)!!, all terms
/// of one sign; 160 of them give full precision up to |x| = 6, where erf rounds
/// to 1.
static Value erfOfFloat64(Emitter &emit, Value x) {
  Value bound = emit.splatLike(x, 6);
  x = emit.maximum(emit.minimum(x, bound), emit.unary<stablehlo::NegOp>(bound));
  Value square = emit.multiply(x, x);
  Value sum = emit.splatLike(x, 1);
  for (int n = 160; n >= 1; --n) {
    Value ratio = emit.multiply(square, emit.splatLike(x, 2.0 / (2 * n + 1)));
    sum = emit.add(emit.multiply(ratio, sum), emit.splatLike(x, 1));
  }
  Value decay =
      emit.unary<stablehlo::ExpOp>(emit.unary<stablehlo::NegOp>(square));
  Value scaled = emit.multiply(emit.multiply(x, decay), sum);
  return emit.multiply(scaled, emit.splatLike(x, 1.1283791670955125739));
}

Value heddle::onnx::erf(Emitter &emit, Value value) {
  if (!isa<FloatType>(Emitter::elementOf(value))) {
    emit.fault(ErrorCode::OnnxNode, "the operand is not a float");
    return value;
  }
  return emit
      .composite(
          "chlo.erf", value, emit.builder.getDictionaryAttr({}),
          [](Emitter &inside, ValueRange arguments) {
            bool isDouble = Emitter::elementOf(arguments[0]).isF64();
            return SmallVector<Value>{inAtLeastFloat32(
                inside, arguments[0], isDouble ? erfOfFloat64 : erfOfFloat32)};
          })
      .front();
}

Value heddle::onnx::sigmoid(Emitter &emit, Value value) {
  return emit.unary<stablehlo::LogisticOp>(value);
}

Value heddle::onnx::softplus(Emitter &emit, Value x) {
  // max(x, 0) + log1p(exp(-|x|))
  Value decay = emit.unary<stablehlo::ExpOp>(
      emit.unary<stablehlo::NegOp>(emit.unary<stablehlo::AbsOp>(x)));
  return emit.add(emit.maximum(x, emit.splatLike(x, 0)),
                  emit.unary<stablehlo::Log1pOp>(decay));
}

Value heddle::onnx::rsqrt(Emitter &emit, Value value) {
  return emit.unary<stablehlo::RsqrtOp>(value);
}

Value heddle::onnx::softmax(Emitter &emit, Value value, int64_t dimension) {
  Value top =
      emit.reduce(value, dimension, Combine::Maximum, /*keepDims=*/true);
  Value weights = emit.unary<stablehlo::ExpOp>(emit.subtract(value, top));
  Value sum = emit.reduce(weights, dimension, Combine::Add, /*keepDims=*/true);
  return emit.divide(weights, sum);
}

Value heddle::onnx::logSoftmax(Emitter &emit, Value value, int64_t dimension) {
  Value top =
      emit.reduce(value, dimension, Combine::Maximum, /*keepDims=*/true);
  Value shifted = emit.subtract(value, top);
  Value sum = emit.reduce(emit.unary<stablehlo::ExpOp>(shifted), dimension,
                          Combine::Add, /*keepDims=*/true);
  return emit.subtract(shifted, emit.unary<stablehlo::LogOp>(sum));
}

Value heddle::onnx::alongDimension(Emitter &emit, Value vector,
                                   const Shape &shape, int64_t dimension) {
  if (Emitter::typeOf(vector).getRank() != 1) {
    emit.fault(ErrorCode::OnnxNode,
               "an operand that should be a vector has the shape " +
                   spellShape(emit.shapeOf(vector)));
    return emit.splat(emit.type(shape, Emitter::elementOf(vector)), 0);
  }
  return emit.broadcastInDim(vector, shape, dimension, /*isData=*/true);
}
