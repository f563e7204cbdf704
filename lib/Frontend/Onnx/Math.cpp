// Functions of one element.

#include "Functions.h"
#include "NodeImporter.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

using Direction = stablehlo::ComparisonDirection;

template <typename Op> static LogicalResult importUnary(NodeImporter &node) {
  return node.result(node.emit.unary<Op>(node.operand(0)));
}

/// Computes in f32 what half-width floats would lose, by the formula
/// `function`.
template <Value (*function)(Emitter &, Value)>
static LogicalResult importFunction(NodeImporter &node) {
  return node.result(inAtLeastFloat32(node.emit, node.operand(0), function));
}

static LogicalResult importAbs(NodeImporter &node) {
  if (node.element(0).isUnsignedInteger())
    return node.result(node.operand(0));
  return importUnary<stablehlo::AbsOp>(node);
}

static LogicalResult importSign(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  if (!node.element(0).isUnsignedInteger())
    return importUnary<stablehlo::SignOp>(node);
  return node.result(emit.minimum(x, emit.splatLike(x, 1)));
}

/// Only floats have fractions.
template <typename Op> static LogicalResult importRounding(NodeImporter &node) {
  if (!isa<FloatType>(node.element(0)))
    return node.result(node.operand(0));
  return importUnary<Op>(node);
}

static Value reciprocal(Emitter &emit, Value x) {
  return emit.divide(emit.splatLike(x, 1), x);
}

static LogicalResult importReciprocal(NodeImporter &node) {
  return node.result(reciprocal(node.emit, node.operand(0)));
}

static LogicalResult importErf(NodeImporter &node) {
  return node.result(erf(node.emit, node.operand(0)));
}

//===--- Inverse and hyperbolic functions, precise near 0 -----------------===//

static Value asin(Emitter &emit, Value x) {
  Value one = emit.splatLike(x, 1);
  Value root = emit.unary<stablehlo::SqrtOp>(
      emit.multiply(emit.subtract(one, x), emit.add(one, x)));
  return emit.binary<stablehlo::Atan2Op>(x, root);
}

static Value acos(Emitter &emit, Value x) {
  Value one = emit.splatLike(x, 1);
  Value root = emit.unary<stablehlo::SqrtOp>(
      emit.multiply(emit.subtract(one, x), emit.add(one, x)));
  return emit.binary<stablehlo::Atan2Op>(root, x);
}

static Value atan(Emitter &emit, Value x) {
  return emit.binary<stablehlo::Atan2Op>(x, emit.splatLike(x, 1));
}

/// sinh |x| = (e + e / (e + 1)) / 2 with e = exp |x| - 1; odd.
static Value sinh(Emitter &emit, Value x) {
  Value e = emit.unary<stablehlo::Expm1Op>(emit.unary<stablehlo::AbsOp>(x));
  Value one = emit.splatLike(x, 1);
  // e / (e + 1) is nan once e is infinite, where it is 1.
  Value ratio = emit.subtract(one, emit.divide(one, emit.add(e, one)));
  Value half = emit.multiply(emit.add(e, ratio), emit.splatLike(x, 0.5));
  return emit.select(emit.compare(x, emit.splatLike(x, 0), Direction::LT),
                     emit.unary<stablehlo::NegOp>(half), half);
}

static Value cosh(Emitter &emit, Value x) {
  Value half = emit.splatLike(x, 0.5);
  Value up = emit.unary<stablehlo::ExpOp>(x);
  Value down = emit.unary<stablehlo::ExpOp>(emit.unary<stablehlo::NegOp>(x));
  return emit.add(emit.multiply(half, up), emit.multiply(half, down));
}

/// asinh |x| = log1p(|x| + x² / (1 + sqrt(1 + x²))); odd.
static Value asinh(Emitter &emit, Value x) {
  Value a = emit.unary<stablehlo::AbsOp>(x), one = emit.splatLike(x, 1);
  Value square = emit.multiply(a, a);
  Value root = emit.unary<stablehlo::SqrtOp>(emit.add(one, square));
  Value argument = emit.add(a, emit.divide(square, emit.add(one, root)));
  Value result = emit.unary<stablehlo::Log1pOp>(argument);
  return emit.select(emit.compare(x, emit.splatLike(x, 0), Direction::LT),
                     emit.unary<stablehlo::NegOp>(result), result);
}

/// acosh x = log1p(t + sqrt(2 t + t²)) with t = x - 1.
static Value acosh(Emitter &emit, Value x) {
  Value t = emit.subtract(x, emit.splatLike(x, 1));
  Value root = emit.unary<stablehlo::SqrtOp>(
      emit.multiply(t, emit.add(t, emit.splatLike(x, 2))));
  return emit.unary<stablehlo::Log1pOp>(emit.add(t, root));
}

static Value atanh(Emitter &emit, Value x) {
  Value up = emit.unary<stablehlo::Log1pOp>(x);
  Value down = emit.unary<stablehlo::Log1pOp>(emit.unary<stablehlo::NegOp>(x));
  return emit.multiply(emit.subtract(up, down), emit.splatLike(x, 0.5));
}

//===--- Classification ---------------------------------------------------===//

static LogicalResult importIsNaN(NodeImporter &node) {
  return node.result(
      node.emit.compare(node.operand(0), node.operand(0), Direction::NE));
}

static LogicalResult importIsInf(NodeImporter &node) {
  Emitter &emit = node.emit;
  Value x = node.operand(0);
  const double infinity = std::numeric_limits<double>::infinity();
  bool negative = node.integerAttribute("detect_negative", 1) != 0;
  bool positive = node.integerAttribute("detect_positive", 1) != 0;
  if (!isa<FloatType>(node.element(0)))
    return node.invalid("the operand is not a float");
  Value isNegative =
      emit.compare(x, emit.splatLike(x, -infinity), Direction::EQ);
  Value isPositive =
      emit.compare(x, emit.splatLike(x, infinity), Direction::EQ);
  if (negative && positive)
    return node.result(emit.binary<stablehlo::OrOp>(isNegative, isPositive));
  if (negative)
    return node.result(isNegative);
  if (positive)
    return node.result(isPositive);
  return node.result(emit.splatLike(isPositive, 0));
}

void heddle::onnx::addMath(OperatorTable &table) {
  table.add("Abs", {6, 13}, 1, 1, importAbs);
  table.add("Neg", {6, 13}, 1, 1, importUnary<stablehlo::NegOp>);
  table.add("Sign", {9, 13}, 1, 1, importSign);
  table.add("Ceil", {6, 13}, 1, 1, importRounding<stablehlo::CeilOp>);
  table.add("Floor", {6, 13}, 1, 1, importRounding<stablehlo::FloorOp>);
  table.add("Round", {11, 22}, 1, 1,
            importRounding<stablehlo::RoundNearestEvenOp>);
  table.add("Sqrt", {6, 13}, 1, 1, importUnary<stablehlo::SqrtOp>);
  table.add("Reciprocal", {6, 13}, 1, 1, importReciprocal);
  table.add("Exp", {6, 13}, 1, 1, importUnary<stablehlo::ExpOp>);
  table.add("Log", {6, 13}, 1, 1, importUnary<stablehlo::LogOp>);
  table.add("Sin", {7, 22}, 1, 1, importUnary<stablehlo::SineOp>);
  table.add("Cos", {7, 22}, 1, 1, importUnary<stablehlo::CosineOp>);
  table.add("Tan", {7, 22}, 1, 1, importUnary<stablehlo::TanOp>);
  table.add("Tanh", {6, 13}, 1, 1, importUnary<stablehlo::TanhOp>);
  table.add("Asin", {7, 22}, 1, 1, importFunction<asin>);
  table.add("Acos", {7, 22}, 1, 1, importFunction<acos>);
  table.add("Atan", {7, 22}, 1, 1, importFunction<atan>);
  table.add("Sinh", {9, 22}, 1, 1, importFunction<sinh>);
  table.add("Cosh", {9, 22}, 1, 1, importFunction<cosh>);
  table.add("Asinh", {9, 22}, 1, 1, importFunction<asinh>);
  table.add("Acosh", {9, 22}, 1, 1, importFunction<acosh>);
  table.add("Atanh", {9, 22}, 1, 1, importFunction<atanh>);
  table.add("Erf", {9, 13}, 1, 1, importErf);
  table.add("IsNaN", {9, 13, 20}, 1, 1, importIsNaN);
  table.add("IsInf", {10, 20}, 1, 1, importIsInf);
}
