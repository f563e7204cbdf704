// prec.quantize and prec.dequantize as loops of arithmetic, for targets that
// have no instruction for them. Elementwise fusion joins them with what is
// around.
//
// Stored integers of up to 16 bits are exact in f32, and so are their
// differences to a zero point. Wider ones, f64, and products with scales that
// f32 would round before a narrower type does are computed in f64, factors of
// sums of integers in i32.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Prec/Prec.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_EXPANDQUANTIZATION
#include "passes/Dispatch/Passes.h.inc"

/// A scale or zero point, which the model says in `from`, in `type`, rounded as
/// a conversion rounds.
static FloatAttr number(Attribute constant, Type from, FloatType type) {
  auto nearest = llvm::APFloat::rmNearestTiesToEven;
  llvm::APFloat value(type.getFloatSemantics());
  if (auto integer = dyn_cast<IntegerType>(from)) {
    value.convertFromAPInt(cast<IntegerAttr>(constant).getValue(),
                           !integer.isUnsigned(), nearest);
    return FloatAttr::get(type, value);
  }
  bool losesInfo = false;
  value = cast<FloatAttr>(constant).getValue();
  value.convert(type.getFloatSemantics(), nearest, &losesInfo);
  return FloatAttr::get(type, value);
}

/// Where differences of stored integers are exact.
static FloatType exactElement(Type real, IntegerType storage) {
  Builder builder(real.getContext());
  return real.isF64() || storage.getWidth() > 16
             ? FloatType(builder.getF64Type())
             : FloatType(builder.getF32Type());
}

/// Where differences of stored integers times a scale are rounded once: to f32,
/// or nowhere if they are rounded on to a type of fewer digits.
static FloatType productElement(FloatType real, IntegerType storage,
                                FloatType scale) {
  FloatType exact = exactElement(real, storage);
  auto digits = [](FloatType type) {
    return llvm::APFloat::semanticsPrecision(type.getFloatSemantics());
  };
  bool isRoundedOn = digits(real) < digits(exact);
  // A difference has no more digits than what is stored.
  return isRoundedOn && storage.getWidth() + digits(scale) > digits(exact)
             ? FloatType(Float64Type::get(real.getContext()))
             : exact;
}

/// Where the points of a tensor of `rank` dimensions find their scale or zero
/// point.
static AffineMap parameterMap(Builder &b, unsigned rank,
                              std::optional<uint64_t> axis) {
  SmallVector<AffineExpr> position;
  if (axis)
    position.push_back(b.getAffineDimExpr(*axis));
  return AffineMap::get(rank, 0, position, b.getContext());
}

namespace {
/// Arithmetic of a payload on one float type.
struct Arithmetic {
  OpBuilder &b;
  Location loc;
  FloatType type;

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value choose(arith::CmpFPredicate predicate, Value left, Value right,
               Value ifSo, Value otherwise) {
    Value holds = arith::CmpFOp::create(b, loc, predicate, left, right);
    return arith::SelectOp::create(b, loc, holds, ifSo, otherwise);
  }
  /// Clamps to integers; NaN becomes 0, or what is nearest to that.
  Value clamp(Value value, int64_t least, int64_t largest) {
    int64_t ofNan = std::clamp<int64_t>(0, least, largest);
    Value zero = number(ofNan);
    if (ofNan == least) {
      // NaN is not above it: one instruction does both.
      value = choose(arith::CmpFPredicate::OGT, value, zero, value, zero);
      return arith::MinimumFOp::create(b, loc, value, number(largest));
    }
    value = arith::MaximumFOp::create(b, loc, number(least), value);
    value = arith::MinimumFOp::create(b, loc, value, number(largest));
    return choose(arith::CmpFPredicate::UNE, value, value, zero, value);
  }
  Value rounded(Value value, prec::Rounding rounding) {
    switch (rounding) {
    case prec::Rounding::NearestEven:
      return math::RoundEvenOp::create(b, loc, value);
    case prec::Rounding::NearestAway:
      return math::RoundOp::create(b, loc, value);
    case prec::Rounding::TowardZero:
      return math::CopySignOp::create(
          b, loc,
          math::FloorOp::create(b, loc, math::AbsFOp::create(b, loc, value)),
          value);
    }
    llvm_unreachable("three roundings");
  }
};

/// Builds the loops of one conversion in its place.
class Expander {
public:
  template <typename Op>
  explicit Expander(Op op)
      : builder(op), loc(op.getLoc()), axis(op.getAxis()),
        block(op.getBlock()) {}

  using Steps = llvm::function_ref<Value(Arithmetic, Value, Value)>;
  /// `steps` at each element of `input`, a scale or zero point `parameter`
  /// (which the model says in `said`) beside it if there is one, converted to
  /// `computed`; the result has elements `result`.
  Value loop(Value input, Value parameter, Type said, FloatType computed,
             Type result, Steps steps) {
    RankedTensorType type = typeOf(input);
    SmallVector<Value> inputs = {input};
    SmallVector<AffineMap> maps = {
        builder.getMultiDimIdentityMap(type.getRank())};
    // One that is constant becomes part of the payload at once, so that equal
    // layers are equal in all but numbers.
    Attribute constant = parameter ? constantOf(parameter) : Attribute();
    if (parameter && !constant) {
      inputs.push_back(block ? repeated(parameter) : parameter);
      maps.push_back(block ? blockMap(parameter, type.getRank())
                           : parameterMap(builder, type.getRank(), axis));
    }
    return createPointwise(
        builder, loc, type.clone(result), inputs, maps,
        [&](OpBuilder &b, Location at, ValueRange scalars) {
          Value beside;
          if (constant)
            beside = arith::ConstantOp::create(
                b, at, number(constant, said, computed));
          else if (parameter)
            beside = convertScalar(b, at, scalars[1], said, computed);
          return steps(Arithmetic{b, at, computed}, scalars[0], beside);
        });
  }

private:
  /// A parameter of blocks once for each element of them, also those that the
  /// last block lacks, in one row: an index divided by a constant is none that
  /// kernels read by.
  Value repeated(Value parameter) {
    RankedTensorType type = typeOf(parameter);
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + *axis + 1, *block);
    AffineMap map =
        builder.getMultiDimIdentityMap(shape.size()).dropResult(*axis + 1);
    Value wide = createPointwise(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        parameter, map,
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
    SmallVector<ReassociationIndices> row(1);
    llvm::append_range(row.front(), llvm::seq<int64_t>(shape.size()));
    return tensor::CollapseShapeOp::create(builder, loc, wide, row);
  }

  /// Where the points of a tensor of `rank` dimensions find theirs in it.
  AffineMap blockMap(Value parameter, unsigned rank) {
    AffineExpr position = builder.getAffineConstantExpr(0);
    for (auto [dim, extent] : llvm::enumerate(typeOf(parameter).getShape())) {
      int64_t elements = dim == *axis ? extent * *block : extent;
      position = position * elements + builder.getAffineDimExpr(dim);
    }
    return AffineMap::get(rank, 0, position);
  }

  OpBuilder builder;
  Location loc;
  std::optional<uint64_t> axis, block;
};

/// Factors of sums of integers, in one loop. What is constant and changes
/// nothing, a zero point of zero and a scale of one, is not written.
void expandFactor(prec::DequantizeOp op) {
  OpBuilder builder(op);
  IntegerType storage = op.getStorage();
  RankedTensorType type = typeOf(op.getInput());
  Type wide = builder.getI32Type();
  SmallVector<Value> inputs = {op.getInput()};
  SmallVector<AffineMap> maps = {
      builder.getMultiDimIdentityMap(type.getRank())};
  auto add = [&](Value parameter, auto changesNothing) {
    Attribute constant = constantOf(parameter);
    if (constant && matchPattern(constant, changesNothing))
      return false;
    inputs.push_back(parameter);
    maps.push_back(parameterMap(builder, type.getRank(), op.getAxis()));
    return true;
  };
  bool isMoved = add(op.getZeroPoint(), m_Zero());
  bool isScaled = add(op.getScale(), m_One());
  Value factor = createPointwise(
      builder, op.getLoc(), type.clone(wide), inputs, maps,
      [&](OpBuilder &b, Location at, ValueRange x) -> Value {
        Value value = convertScalar(b, at, x[0], storage, wide);
        if (isMoved)
          value = arith::SubIOp::create(
              b, at, value, convertScalar(b, at, x[1], storage, wide));
        if (isScaled)
          value = arith::MulIOp::create(b, at, value, x.back());
        return value;
      });
  op.replaceAllUsesWith(factor);
  op.erase();
}

/// Stored integers, and the same numbers as they were before they became
/// integers.
using ExactValues = DenseMap<Value, Value>;

/// Cheap steps, each by itself: where a reader repeats elements, fusion may
/// take in what costs less than reading wider ones.
void expand(prec::DequantizeOp op, const ExactValues &exactValues) {
  Type real = getElementTypeOrSelf(op.getType());
  if (real.isInteger())
    return expandFactor(op);
  Expander e(op);
  IntegerType storage = op.getStorage();
  FloatType exact =
      productElement(cast<FloatType>(real), storage,
                     cast<FloatType>(getElementTypeOrSelf(op.getScale())));
  // What has just been quantized is one of the range's integers, never -0: it
  // need not become an integer in between.
  Value value = exactValues.lookup(op.getInput());
  if (!value || getElementTypeOrSelf(value) != exact)
    value = e.loop(op.getInput(), {}, {}, exact, exact,
                   [&](Arithmetic a, Value x, Value) {
                     return convertScalar(a.b, a.loc, x, storage, exact);
                   });
  value = e.loop(value, op.getZeroPoint(), storage, exact, exact,
                 [](Arithmetic a, Value x, Value zeroPoint) {
                   return arith::SubFOp::create(a.b, a.loc, x, zeroPoint);
                 });
  value = e.loop(value, op.getScale(), getElementTypeOrSelf(op.getScale()),
                 exact, exact, [](Arithmetic a, Value x, Value scale) {
                   return arith::MulFOp::create(a.b, a.loc, x, scale);
                 });
  if (exact != real)
    value =
        e.loop(value, {}, {}, exact, real, [&](Arithmetic a, Value x, Value) {
          return convertScalar(a.b, a.loc, x, exact, real);
        });
  op.replaceAllUsesWith(value);
  op.erase();
}

/// Whether `value` is computed from a product that comes after `before`.
bool followsProduct(Value value, Operation *before) {
  // Chains between products are short; a longer one is taken for no such.
  constexpr unsigned mostOperations = 64;
  SetVector<Operation *> behind;
  auto visit = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == before->getBlock() &&
        before->isBeforeInBlock(op))
      behind.insert(op);
  };
  visit(value);
  for (unsigned i = 0; i < behind.size() && i < mostOperations; ++i) {
    if (isa<kernel::ContractOp, kernel::ConvolutionOp>(behind[i]))
      return true;
    llvm::for_each(behind[i]->getOperands(), visit);
  }
  return false;
}

/// Whether integers are in memory: something reads them as they are, or adds
/// the numbers that they stand for to a later product, in the kernel of that.
bool isInMemory(prec::QuantizeOp op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    if (!isa<prec::DequantizeOp>(user))
      return true;
    return llvm::any_of(user->getUsers(), [&](Operation *reader) {
      return llvm::any_of(reader->getOperands(), [&](Value operand) {
        return operand != user->getResult(0) && followsProduct(operand, op);
      });
    });
  });
}

/// `x`, one of the integers that `storage` holds, as such.
Value toIntegerInRange(Arithmetic a, Value x, IntegerType storage) {
  // The greatest integer of 64 bits is no number of f64, so that a clamp does
  // not bring everything into range.
  if (storage.getWidth() > 32)
    return convertScalar(a.b, a.loc, x, a.type, storage);
  Type whole = byteType(storage);
  Type plain = a.b.getIntegerType(whole.getIntOrFloatBitWidth());
  Value integer =
      storage.isUnsigned()
          ? arith::FPToUIOp::create(a.b, a.loc, plain, x).getResult()
          : arith::FPToSIOp::create(a.b, a.loc, plain, x).getResult();
  return convertScalar(a.b, a.loc, integer, whole, storage);
}

void expand(prec::QuantizeOp op, ExactValues &exactValues) {
  Expander e(op);
  auto real = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  IntegerType storage = op.getStorage();
  FloatType exact = exactElement(real, storage);
  int64_t minimum = op.getMinimum(), maximum = op.getMaximum();
  // The quotient is rounded to the input's type before it becomes an integer.
  Value value =
      e.loop(op.getInput(), op.getScale(), getElementTypeOrSelf(op.getScale()),
             real, exact, [&](Arithmetic a, Value x, Value scale) {
               Value quotient = arith::DivFOp::create(a.b, a.loc, x, scale);
               a.type = exact;
               quotient = convertScalar(a.b, a.loc, quotient, real, exact);
               return a.rounded(quotient, op.getRounding());
             });
  value = e.loop(value, op.getZeroPoint(), storage, exact, exact,
                 [&](Arithmetic a, Value x, Value zeroPoint) {
                   // Where `exact` has no integers any more a sum is inexact,
                   // and far outside of the range with any zero point.
                   Value stored =
                       arith::AddFOp::create(a.b, a.loc, x, zeroPoint);
                   return a.clamp(stored, minimum, maximum);
                 });
  Value stored =
      e.loop(value, {}, {}, exact, getElementTypeOrSelf(op.getType()),
             [&](Arithmetic a, Value x, Value) {
               return toIntegerInRange(a, x, storage);
             });
  // Integers that are in memory anyway are a quarter as wide as what they were.
  if (!isInMemory(op))
    exactValues[stored] = value;
  op.replaceAllUsesWith(stored);
  op.erase();
}

struct ExpandQuantization : impl::ExpandQuantizationBase<ExpandQuantization> {
  void runOnOperation() override {
    ExactValues exactValues;
    getOperation().walk([&](func::FuncOp function) {
      function.walk([&](Operation *op) {
        if (auto quantize = dyn_cast<prec::QuantizeOp>(op))
          expand(quantize, exactValues);
        else if (auto dequantize = dyn_cast<prec::DequantizeOp>(op))
          expand(dequantize, exactValues);
      });
    });
  }
};
} // namespace
} // namespace heddle
