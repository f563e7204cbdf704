// What sums of products of stored integers stand for: with zero points l and r
//
//   sum (a - l) * (b - r) = sum a * b - l * sum b - r * sum a + count * l * r
//
// in units of both scales.

#include "passes/Dispatch/StoredEpilogue.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/Scalar/ScalarConversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <functional>

using namespace mlir;
using namespace heddle;

namespace {
/// The loop behind integer sums, put together from what it reads.
class Epilogue {
public:
  Epilogue(OpBuilder &b, Location loc, Value sums) : b(b), loc(loc) {
    inputs.push_back(sums);
    maps.push_back(identity());
  }

  /// A number of the payload: what it is at a point.
  using Number = std::function<Value(OpBuilder &, Location, ValueRange)>;

  Number read(Value tensor, AffineMap map) {
    if (auto constant = cast_or_null<TypedAttr>(constantOf(tensor)))
      return [=](OpBuilder &inner, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(inner, at, constant);
      };
    inputs.push_back(tensor);
    maps.push_back(map);
    return [position = inputs.size() - 1](OpBuilder &, Location, ValueRange x) {
      return x[position];
    };
  }

  /// The same of stored integers, as i32.
  Number readInteger(Value tensor, AffineMap map, IntegerType type) {
    // A number that layers differ in is an argument of their kernel
    // (ScalarSlots.h), and then what computes with it has to read it itself.
    if (auto constant = dyn_cast_or_null<IntegerAttr>(constantOf(tensor))) {
      APInt value = constant.getValue();
      int64_t number =
          type.isUnsigned() ? value.getZExtValue() : value.getSExtValue();
      return [number](OpBuilder &inner, Location at, ValueRange) -> Value {
        return arith::ConstantOp::create(
            inner, at, inner.getI32IntegerAttr(static_cast<int32_t>(number)));
      };
    }
    return [=, number = read(tensor, map)](OpBuilder &inner, Location at,
                                           ValueRange x) -> Value {
      return convertScalar(inner, at, number(inner, at, x), type,
                           inner.getI32Type());
    };
  }

  Value build(Type result, Number payload) {
    return createPointwise(b, loc, typeOf(inputs.front()).clone(result), inputs,
                           maps, payload);
  }

  AffineMap identity() const {
    return b.getMultiDimIdentityMap(typeOf(inputs.front()).getRank());
  }

private:
  OpBuilder &b;
  Location loc;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

/// Zero points of both sides, and what they are multiplied by.
struct Corrections {
  Epilogue::Number left, right, leftSums, rightSums;

  Corrections(Epilogue &epilogue, const StoredSide &lhs,
              const StoredSide &rhs) {
    auto zeroPoint = [&](const StoredSide &side) {
      return epilogue.readInteger(side.stored.zeroPoint.tensor, side.zeroPoint,
                                  side.stored.type);
    };
    if (rhs.sums) {
      left = zeroPoint(lhs);
      rightSums = epilogue.read(rhs.sums, rhs.sumsMap);
    }
    if (lhs.sums) {
      right = zeroPoint(rhs);
      leftSums = epilogue.read(lhs.sums, lhs.sumsMap);
    }
  }

  bool changeNothing() const { return !left && !right; }

  /// The sum of products of differences for x[0], of `count` stored integers.
  Value apply(OpBuilder &b, Location at, ValueRange x, int64_t count) const {
    auto times = [&](Value one, Value other) -> Value {
      return arith::MulIOp::create(b, at, one, other);
    };
    Value sum = x[0];
    if (left)
      sum = arith::SubIOp::create(b, at, sum,
                                  times(left(b, at, x), rightSums(b, at, x)));
    if (right)
      sum = arith::SubIOp::create(b, at, sum,
                                  times(right(b, at, x), leftSums(b, at, x)));
    if (left && right) {
      Value number = arith::ConstantOp::create(
          b, at, b.getI32IntegerAttr(static_cast<int32_t>(count)));
      Value both = times(left(b, at, x), right(b, at, x));
      sum = arith::AddIOp::create(b, at, sum, times(both, number));
    }
    return sum;
  }
};
} // namespace

/// In integers a scale of one is not written.
static Value inIntegers(Epilogue &epilogue, const Corrections &corrections,
                        const StoredSide &lhs, const StoredSide &rhs,
                        int64_t count, Type number, Value sums) {
  SmallVector<Epilogue::Number> scales;
  for (const StoredSide *side : {&lhs, &rhs})
    if (!side->stored.scale.isOne())
      scales.push_back(epilogue.read(side->stored.scale.tensor, side->scale));
  if (scales.empty() && corrections.changeNothing())
    return sums;
  return epilogue.build(
      number, [&](OpBuilder &b, Location at, ValueRange x) -> Value {
        Value sum = corrections.apply(b, at, x, count);
        for (const Epilogue::Number &scale : scales)
          sum = arith::MulIOp::create(b, at, sum, scale(b, at, x));
        return sum;
      });
}

Value heddle::inUnits(OpBuilder &b, Location loc, Value sums,
                      const StoredSide &lhs, const StoredSide &rhs,
                      int64_t count, Type number) {
  Epilogue epilogue(b, loc, sums);
  Corrections corrections(epilogue, lhs, rhs);
  if (number.isInteger())
    return inIntegers(epilogue, corrections, lhs, rhs, count, number, sums);
  Epilogue::Number leftScale =
      epilogue.read(lhs.stored.scale.tensor, lhs.scale);
  Epilogue::Number rightScale =
      epilogue.read(rhs.stored.scale.tensor, rhs.scale);
  return epilogue.build(
      number, [&](OpBuilder &inner, Location at, ValueRange x) -> Value {
        Value sum = corrections.apply(inner, at, x, count);
        Value real = arith::SIToFPOp::create(inner, at, number, sum);
        Value scale = arith::MulFOp::create(inner, at, leftScale(inner, at, x),
                                            rightScale(inner, at, x));
        return arith::MulFOp::create(inner, at, real, scale);
      });
}
