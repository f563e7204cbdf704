// One math library for all targets: what has no instruction everywhere becomes
// arithmetic here. 16-bit floats come first, so that functions of them are
// functions of f32; then the functions; then fused operations that a machine
// lacks, if they may be rounded twice.

#include "passes/Kernel/Math/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Kernel/Math/Functions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_EXPANDMATH
#include "passes/Kernel/Math/Passes.h.inc"

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static Type widened(Type type) {
  if (!isNarrow(type))
    return type;
  Type f32 = Float32Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(f32);
  return f32;
}

/// Ops that compute with the value of a float, not with its bits or its place.
static bool computesWithFloats(Operation *op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
          arith::SelectOp>(op))
    return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) ||
         isa<vector::ReductionOp>(op);
}

/// op(bf16) => truncf(op(extf)).
static void widen(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (isNarrow(operand.get().getType()))
      operand.set(arith::ExtFOp::create(builder, op->getLoc(),
                                        widened(operand.get().getType()),
                                        operand.get()));
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type narrow = result.getType();
    if (!isNarrow(narrow))
      continue;
    result.setType(widened(narrow));
    auto rounded =
        arith::TruncFOp::create(builder, op->getLoc(), narrow, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

/// f32 to bf16: to nearest even, by integers; NaN becomes quiet.
static Value roundToBFloat16(OpBuilder &builder, arith::TruncFOp op) {
  FloatBuilder b(builder, op.getLoc(), op.getIn().getType(), /*hasFma=*/false);
  Value bits = b.bits(op.getIn());
  Value odd = b.iand(b.sar(bits, 16), b.i(1));
  Value rounded = b.sar(b.iadd(b.iadd(bits, b.i(0x7fff)), odd), 16);
  Value quiet =
      arith::OrIOp::create(builder, op.getLoc(), b.sar(bits, 16), b.i(0x40));
  Value value = b.select(b.isNan(op.getIn()), quiet, rounded);
  Type int16 = builder.getI16Type();
  if (auto vector = dyn_cast<VectorType>(op.getType()))
    int16 = vector.clone(int16);
  value = arith::TruncIOp::create(builder, op.getLoc(), int16, value);
  return arith::BitcastOp::create(builder, op.getLoc(), op.getType(), value);
}

namespace {
/// Computes an f32 function in f64 and rounds.
class ThroughDouble {
public:
  ThroughDouble(FloatBuilder &single) : single(single), b(single.inDouble()) {}
  Value widen(Value x) {
    return arith::ExtFOp::create(b.builder, b.loc, b.type(), x);
  }
  Value round(Value x) {
    return arith::TruncFOp::create(b.builder, b.loc, single.type(), x);
  }
  FloatBuilder &single;
  FloatBuilder b;
};
} // namespace

using Unary = Value (*)(FloatBuilder &, Value);
using Binary = Value (*)(FloatBuilder &, Value, Value);

/// The function of `op` for f32 (null: there is none of its own) and for f64.
static std::pair<Unary, Unary> unaryFunction(Operation *op) {
  using Pair = std::pair<Unary, Unary>;
  return TypeSwitch<Operation *, Pair>(op)
      .Case([](math::ExpOp) { return Pair(float32::exp, float64::exp); })
      .Case([](math::Exp2Op) { return Pair(float32::exp2, float64::exp2); })
      .Case([](math::ExpM1Op) { return Pair(float32::expm1, float64::expm1); })
      .Case([](math::LogOp) { return Pair(float32::log, float64::log); })
      .Case([](math::TanhOp) { return Pair(float32::tanh, float64::tanh); })
      .Case([](math::ErfOp) { return Pair(float32::erf, float64::erf); })
      .Case([](math::ErfcOp) { return Pair(nullptr, float64::erfc); })
      .Case([](math::Log2Op) { return Pair(nullptr, float64::log2); })
      .Case([](math::Log10Op) { return Pair(nullptr, float64::log10); })
      .Case([](math::Log1pOp) { return Pair(nullptr, float64::log1p); })
      .Case([](math::SinOp) { return Pair(float32::sin, float64::sin); })
      .Case([](math::CosOp) { return Pair(float32::cos, float64::cos); })
      .Case([](math::TanOp) { return Pair(float32::tan, float64::tan); })
      .Case([](math::AsinOp) { return Pair(nullptr, float64::asin); })
      .Case([](math::AcosOp) { return Pair(nullptr, float64::acos); })
      .Case([](math::AtanOp) { return Pair(nullptr, float64::atan); })
      .Case([](math::SinhOp) { return Pair(nullptr, float64::sinh); })
      .Case([](math::CoshOp) { return Pair(nullptr, float64::cosh); })
      .Case([](math::AsinhOp) { return Pair(nullptr, float64::asinh); })
      .Case([](math::AcoshOp) { return Pair(nullptr, float64::acosh); })
      .Case([](math::AtanhOp) { return Pair(nullptr, float64::atanh); })
      .Case([](math::CbrtOp) { return Pair(nullptr, float64::cbrt); })
      .Default([](Operation *) { return Pair(nullptr, nullptr); });
}

/// The function of `op` on f64, for results of f32 or of f64.
static Binary binaryFunction(Operation *op, bool single) {
  return TypeSwitch<Operation *, Binary>(op)
      .Case([&](math::PowFOp) {
        return single ? float64::powOfSingle : float64::pow;
      })
      .Case([](math::Atan2Op) { return float64::atan2; })
      .Default([](Operation *) { return nullptr; });
}

/// The larger (smaller) of two, NaN if either is; -0 is smaller than 0.
/// Comparisons and selections are one instruction each.
static Value extremum(FloatBuilder &b, Value x, Value y, bool larger) {
  auto pick = [&](Value x, Value y) {
    return b.select(larger ? b.greater(x, y) : b.less(x, y), x, y);
  };
  // `pick` gives y if either is NaN or both are equal: enough when x is a
  // number, and no zero that would win.
  auto constantOf = [](Value value) -> std::optional<APFloat> {
    FloatAttr scalar;
    DenseFPElementsAttr splat;
    if (matchPattern(value, m_Constant(&scalar)))
      return scalar.getValue();
    if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
      return splat.getSplatValue<APFloat>();
    return std::nullopt;
  };
  auto withNumber = [&](const APFloat &number, Value constant, Value other) {
    if (number.isZero() && number.isNegative() != larger)
      return b.select(larger ? b.notGreater(other, constant)
                             : b.notLess(other, constant),
                      constant, other);
    return pick(constant, other);
  };
  if (std::optional<APFloat> number = constantOf(y); number && !number->isNaN())
    return withNumber(*number, y, x);
  if (std::optional<APFloat> number = constantOf(x); number && !number->isNaN())
    return withNumber(*number, x, y);
  // Accumulators go right, where the chain from step to step is shorter.
  if (isa<BlockArgument>(x))
    std::swap(x, y);
  // Both choices differ only between zeros: the one sign bit wins where either
  // has it (minimum), or only where both have it (maximum).
  Value first = b.bits(pick(x, y)), second = b.bits(pick(y, x));
  Value value =
      b.fromBits(larger ? b.iand(first, second) : b.ior(first, second));
  return b.select(b.isUnordered(x, y), b.add(x, y), value);
}

/// 1 / sqrt(x), of whose two roundings a step of Newton's leaves one.
static Value reciprocalRoot(FloatBuilder &b, Value x) {
  Value y = b.div(b.c(1), b.sqrt(x));
  auto [high, low] = b.exactProduct(x, y);
  Value missing = b.sub(b.fma(b.neg(high), y, b.c(1)), b.mul(low, y));
  Value better = b.fma(b.mul(y, b.c(0.5)), missing, y);
  // Of 0 and infinity the product is NaN.
  return b.select(b.isNan(missing), y, better);
}

/// x of (x < 0 ? e : 1) / (1 + e) with e = exp(-|x|), or null: the logistic
/// function, which the math dialect has no operation for.
static Value logisticArgument(arith::DivFOp op) {
  auto numerator = op.getLhs().getDefiningOp<arith::SelectOp>();
  auto denominator = op.getRhs().getDefiningOp<arith::AddFOp>();
  if (!numerator || !denominator)
    return {};
  Value power = numerator.getTrueValue();
  auto exponential = power.getDefiningOp<math::ExpOp>();
  auto negative = numerator.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!exponential || !negative ||
      negative.getPredicate() != arith::CmpFPredicate::OLT)
    return {};
  auto isOne = [](Value value) { return matchPattern(value, m_OneFloat()); };
  Value first = denominator.getLhs(), second = denominator.getRhs();
  bool sums =
      (first == power && isOne(second)) || (second == power && isOne(first));
  auto minus = exponential.getOperand().getDefiningOp<arith::NegFOp>();
  auto size =
      minus ? minus.getOperand().getDefiningOp<math::AbsFOp>() : math::AbsFOp();
  bool matches = sums && isOne(numerator.getFalseValue()) && size &&
                 size.getOperand() == negative.getLhs() &&
                 matchPattern(negative.getRhs(), m_AnyZeroFloat());
  return matches ? negative.getLhs() : Value();
}

/// `op` as arithmetic, or null if it is fine as it is.
static Value expand(Operation *op, bool hasFma) {
  Type type = op->getNumResults() == 1 ? op->getResult(0).getType() : Type();
  if (!type || !isa<FloatType>(getElementTypeOrSelf(type)))
    return {};
  Type element = getElementTypeOrSelf(type);
  OpBuilder builder(op);
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    if (element.isBF16() &&
        getElementTypeOrSelf(truncate.getIn().getType()).isF32())
      return roundToBFloat16(builder, truncate);
    return {};
  }
  if (!element.isF32() && !element.isF64())
    return {};
  FloatBuilder b(builder, op->getLoc(), type, hasFma);
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    // One that may be rounded twice is where there is no instruction.
    bool mayRoundTwice =
        bitEnumContainsAny(fma.getFastmath(), arith::FastMathFlags::contract);
    return mayRoundTwice && !hasFma ? b.fma(fma.getA(), fma.getB(), fma.getC())
                                    : Value();
  }
  if (auto maximum = dyn_cast<arith::MaximumFOp>(op))
    return extremum(b, maximum.getLhs(), maximum.getRhs(), /*larger=*/true);
  if (auto minimum = dyn_cast<arith::MinimumFOp>(op))
    return extremum(b, minimum.getLhs(), minimum.getRhs(), /*larger=*/false);
  if (auto quotient = dyn_cast<arith::DivFOp>(op); quotient && element.isF32())
    if (Value x = logisticArgument(quotient))
      return float32::logistic(b, x);
  if (auto rsqrt = dyn_cast<math::RsqrtOp>(op))
    return reciprocalRoot(b, rsqrt.getOperand());

  auto [single, wide] = unaryFunction(op);
  if (wide) {
    Value x = op->getOperand(0);
    if (element.isF64())
      return wide(b, x);
    if (single)
      return single(b, x);
    ThroughDouble through(b);
    return through.round(wide(through.b, through.widen(x)));
  }
  if (Binary function = binaryFunction(op, element.isF32())) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    if (element.isF64())
      return function(b, x, y);
    ThroughDouble through(b);
    return through.round(
        function(through.b, through.widen(x), through.widen(y)));
  }
  return {};
}

void expandMath(Operation *root, bool hasFma) {
  SmallVector<Operation *> narrow;
  root->walk([&](Operation *op) {
    if (computesWithFloats(op) &&
        (llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow)))
      narrow.push_back(op);
  });
  for (Operation *op : narrow)
    widen(op);

  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) { ops.push_back(op); });
  // Backwards, so that what an operation is made of is still there.
  for (Operation *op : llvm::reverse(ops)) {
    if (op->getNumRegions() == 0 && isOpTriviallyDead(op)) {
      op->erase();
      continue;
    }
    if (Value value = expand(op, hasFma)) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }
  // What is left is an instruction or a call, rounded once.
  root->walk(
      [](math::FmaOp fma) { fma.setFastmath(arith::FastMathFlags::none); });
}

namespace {
struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;
  void runOnOperation() override { expandMath(getOperation(), fma); }
};
} // namespace

} // namespace heddle
