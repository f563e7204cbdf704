// Elementwise ops that are more than one scalar op: map, series, conversions of
// bits that change the shape.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarBits.h"
#include "passes/Lower/Scalar/ScalarRegion.h"
#include "passes/Lower/Scalar/SpecialFunctions.h"

#include "dialects/Chlo/Chlo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static void lowerOp(GraphLowering &lowering, stablehlo::MapOp op) {
  RankedTensorType type = lowering.resultType(op);
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  SmallVector<AffineMap> maps(
      inputs.size(), lowering.builder.getMultiDimIdentityMap(type.getRank()));
  Operation *culprit = nullptr;
  Value result = lowering.generic(
      op.getLoc(), type, inputs, maps,
      [&](OpBuilder &b, Location, ValueRange x) -> Value {
        FailureOr<SmallVector<Value>> results =
            emitScalarRegion(b, op.getComputation(), x, culprit);
        return succeeded(results) ? results->front() : Value();
      });
  if (!result)
    return lowering.unsupported(
        op, "its region holds '" + culprit->getName().getStringRef() + "'");
  lowering.replace(op, result);
}

/// All loops but the innermost one, of which there are `count`; maybe none.
static AffineMap outerLoops(int64_t count, MLIRContext *context) {
  return AffineMap::getFilteredIdentityMap(
      context, count + 1,
      [&](AffineDimExpr loop) { return loop.getPosition() < count; });
}

/// The sum of the terms of zeta(s, q): a reduction over their number.
/// `isPolygamma`: s is one more than the first operand.
static Value sumZeta(GraphLowering &lowering, Location loc, Value first,
                     Value q, bool isPolygamma) {
  OpBuilder &b = lowering.builder;
  auto type = cast<RankedTensorType>(first.getType());
  int64_t rank = type.getRank();
  auto sumType = type.clone(b.getF64Type());
  AffineMap point = outerLoops(rank, b.getContext());
  // The number of terms is the extent of a tensor that is not read.
  AffineMap term =
      AffineMap::get(rank + 1, 0, b.getAffineDimExpr(rank), b.getContext());
  SmallVector<AffineMap> maps = {point, point, term, point};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  Value terms = tensor::EmptyOp::create(b, loc, {kZetaTerms}, b.getI8Type());
  Value zero = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(sumType.getElementType(), 0));
  Value empty = tensor::EmptyOp::create(b, loc, sumType.getShape(),
                                        sumType.getElementType());
  Value init = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
  auto body = [&](OpBuilder &inner, Location at, ValueRange x) {
    Value s = x[0];
    if (isPolygamma)
      s = arith::AddFOp::create(
          inner, at, s,
          arith::ConstantOp::create(inner, at,
                                    inner.getFloatAttr(s.getType(), 1)));
    Value number =
        arith::IndexCastOp::create(inner, at, inner.getI32Type(),
                                   linalg::IndexOp::create(inner, at, rank));
    Value power = emitZetaTerm(inner, at, s, x[1], number);
    linalg::YieldOp::create(
        inner, at, arith::AddFOp::create(inner, at, x[3], power).getResult());
  };
  return linalg::GenericOp::create(b, loc, TypeRange{sumType},
                                   ValueRange{first, q, terms},
                                   ValueRange{init}, maps, iterators, body)
      .getResult(0);
}

template <typename OpTy>
static void lowerSeries(GraphLowering &lowering, OpTy op) {
  constexpr bool isPolygamma = std::is_same_v<OpTy, chlo::PolygammaOp>;
  if (isNarrowFloat(getElementTypeOrSelf(op.getType())))
    return lowering.unsupported(op, "floats of a byte; convert them to f32");
  RankedTensorType type = lowering.resultType(op);
  Value first = lowering.lowered(op->getOperand(0));
  Value second = lowering.lowered(op->getOperand(1));
  Value sum = sumZeta(lowering, op.getLoc(), first, second, isPolygamma);
  AffineMap identity = lowering.builder.getMultiDimIdentityMap(type.getRank());
  lowering.replace(
      op, lowering.generic(op.getLoc(), type, {first, second, sum},
                           {identity, identity, identity},
                           [&](OpBuilder &b, Location loc, ValueRange x) {
                             return isPolygamma
                                        ? emitPolygamma(b, loc, x[0], x[1],
                                                        x[2])
                                        : emitZeta(b, loc, x[0], x[1], x[2]);
                           }));
}

/// Between elements of different width: the wider one is a row of the narrower
/// ones, the lowest bits first.
static void lowerOp(GraphLowering &lowering, stablehlo::BitcastConvertOp op) {
  OpBuilder &b = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  Value input = lowering.lowered(op.getOperand());
  Type from = getElementTypeOrSelf(op.getOperand().getType()),
       to = getElementTypeOrSelf(op.getType());
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  auto number = [](OpBuilder &inner, Location loc, Type type, int64_t value) {
    return arith::ConstantOp::create(inner, loc,
                                     inner.getIntegerAttr(type, value));
  };
  if (toWidth < fromWidth) {
    // The last dimension of the result counts the parts.
    int64_t last = type.getRank() - 1;
    AffineMap map = outerLoops(last, b.getContext());
    return lowering.replace(
        op,
        lowering.generic(
            op.getLoc(), type, input, map,
            [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
              Value whole = emitToBits(inner, loc, x[0], from);
              Type bits = whole.getType();
              Value part = arith::IndexCastOp::create(
                  inner, loc, bits, linalg::IndexOp::create(inner, loc, last));
              Value by = arith::MulIOp::create(
                  inner, loc, part, number(inner, loc, bits, toWidth));
              return emitFromBits(inner, loc,
                                  arith::ShRUIOp::create(inner, loc, whole, by),
                                  to);
            }));
  }
  unsigned parts = toWidth / fromWidth;
  SmallVector<AffineMap> maps;
  for (unsigned part = 0; part < parts; ++part) {
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < type.getRank(); ++i)
      exprs.push_back(b.getAffineDimExpr(i));
    exprs.push_back(b.getAffineConstantExpr(part));
    maps.push_back(AffineMap::get(type.getRank(), 0, exprs, b.getContext()));
  }
  SmallVector<Value> inputs(parts, input);
  lowering.replace(
      op, lowering.generic(
              op.getLoc(), type, inputs, maps,
              [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
                Type bits = inner.getIntegerType(std::max(toWidth, 8u));
                Value whole;
                for (unsigned part = 0; part < parts; ++part) {
                  Value piece = emitToBits(inner, loc, x[part], from);
                  if (piece.getType() != bits)
                    piece = arith::ExtUIOp::create(inner, loc, bits, piece);
                  if (part)
                    piece = arith::ShLIOp::create(
                        inner, loc, piece,
                        number(inner, loc, bits, part * fromWidth));
                  whole = whole ? arith::OrIOp::create(inner, loc, whole, piece)
                                      .getResult()
                                : piece;
                }
                return emitFromBits(inner, loc, whole, to);
              }));
}

bool heddle::lowerFunction(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](stablehlo::MapOp map) {
        lowerOp(lowering, map);
        return true;
      })
      .Case<chlo::ZetaOp, chlo::PolygammaOp>([&](auto typed) {
        lowerSeries(lowering, typed);
        return true;
      })
      .Case([&](stablehlo::BitcastConvertOp bitcast) {
        auto from = cast<RankedTensorType>(bitcast.getOperand().getType());
        auto to = cast<RankedTensorType>(bitcast.getType());
        if (from.getElementTypeBitWidth() == to.getElementTypeBitWidth())
          return false; // an elementwise op
        lowerOp(lowering, bitcast);
        return true;
      })
      .Default([](Operation *) { return false; });
}
