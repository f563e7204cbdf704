// Ops that say where elements are: constants, views, joining and padding.

#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/SliceParts.h"
#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarConversions.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static void lowerOp(GraphLowering &lowering, stablehlo::ConstantOp op) {
  // Everything larger is a weight by now.
  RankedTensorType type = lowering.resultType(op);
  Value result = lowering.generic(
      op.getLoc(), type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange) {
        return scalarConstant(b, loc, op.getValue(), type.getElementType());
      });
  if (!result)
    return lowering.unsupported(op, "a constant that is no weight");
  lowering.replace(op, result);
}

static void lowerOp(GraphLowering &lowering, stablehlo::IotaOp op) {
  RankedTensorType type = lowering.resultType(op);
  Type source = cast<RankedTensorType>(op.getType()).getElementType();
  int64_t dim = op.getIotaDimension();
  Value result = lowering.generic(
      op.getLoc(), type, {}, {}, [&](OpBuilder &b, Location loc, ValueRange) {
        Value index = linalg::IndexOp::create(b, loc, dim);
        if (isNarrowInteger(source)) {
          Value byte = arith::IndexCastOp::create(b, loc, b.getI8Type(), index);
          return wrapNarrowInteger(b, loc, byte, source);
        }
        Type element = type.getElementType();
        if (!isa<FloatType>(source))
          return arith::IndexCastOp::create(b, loc, element, index).getResult();
        Value integer =
            arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
        return convertScalar(b, loc, integer, b.getI32Type(), source);
      });
  lowering.replace(op, result);
}

static void lowerOp(GraphLowering &lowering, stablehlo::BroadcastInDimOp op) {
  OpBuilder &b = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  Value input = lowering.lowered(op.getOperand());
  ArrayRef<int64_t> shape = lowering.shapeOf(input);
  SmallVector<AffineExpr> results;
  for (auto [extent, dim] : llvm::zip_equal(shape, op.getBroadcastDimensions()))
    results.push_back(extent == 1 && type.getDimSize(dim) != 1
                          ? b.getAffineConstantExpr(0)
                          : b.getAffineDimExpr(dim));
  lowering.replace(op, lowering.view(op.getLoc(), type, input,
                                     AffineMap::get(type.getRank(), 0, results,
                                                    b.getContext())));
}

static void lowerOp(GraphLowering &lowering, stablehlo::TransposeOp op) {
  // Result dimension i is operand dimension permutation[i].
  OpBuilder &b = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  SmallVector<AffineExpr> results(type.getRank());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    results[dim] = b.getAffineDimExpr(i);
  lowering.replace(op, lowering.view(op.getLoc(), type,
                                     lowering.lowered(op.getOperand()),
                                     AffineMap::get(type.getRank(), 0, results,
                                                    b.getContext())));
}

static void lowerOp(GraphLowering &lowering, stablehlo::SliceOp op) {
  OpBuilder &b = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  Value operand = lowering.lowered(op.getOperand());
  auto from = cast<RankedTensorType>(operand.getType());
  SmallVector<AffineExpr> results;
  // Beside open sizes the first part of a known one is the first of several,
  // of which all are walked.
  size::SizedShape shape;
  SmallVector<ReassociationIndices> groups;
  bool hasParts = false;
  for (auto [i, pair] : llvm::enumerate(
           llvm::zip_equal(op.getStartIndices(), op.getStrides()))) {
    auto [start, stride] = pair;
    int64_t part = type.getDimSize(i);
    ReassociationIndices &group = groups.emplace_back();
    group.push_back(results.size());
    if (stablehlo::isFirstOfParts(op, i)) {
      hasParts = true;
      shape.add(from.getDimSize(i) / part).add(part);
      results.push_back(b.getAffineConstantExpr(0));
      group.push_back(results.size());
    } else {
      shape.add(from, i);
    }
    results.push_back(b.getAffineDimExpr(i) * stride + start);
  }
  if (hasParts)
    operand = tensor::ExpandShapeOp::create(
        b, op.getLoc(), shape.of(from.getElementType()), operand, groups);
  lowering.replace(op, lowering.view(op.getLoc(), type, operand,
                                     AffineMap::get(type.getRank(), 0, results,
                                                    b.getContext())));
}

static void lowerOp(GraphLowering &lowering, stablehlo::ReverseOp op) {
  OpBuilder &b = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  SmallVector<AffineExpr> results;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    AffineExpr dim = b.getAffineDimExpr(i);
    results.push_back(llvm::is_contained(op.getDimensions(), (int64_t)i)
                          ? (extent - 1) - dim
                          : dim);
  }
  lowering.replace(op, lowering.view(op.getLoc(), type,
                                     lowering.lowered(op.getOperand()),
                                     AffineMap::get(type.getRank(), 0, results,
                                                    b.getContext())));
}

static void lowerOp(GraphLowering &lowering, stablehlo::ReshapeOp op) {
  lowering.replace(op, lowering.reshape(op.getLoc(),
                                        lowering.lowered(op.getOperand()),
                                        lowering.resultType(op)));
}

static void lowerOp(GraphLowering &lowering, stablehlo::ConcatenateOp op) {
  // An empty part adds nothing.
  SmallVector<Value> parts;
  for (Value input : lowering.lowered(op.getInputs()))
    if (cast<RankedTensorType>(input.getType()).getNumElements() != 0)
      parts.push_back(input);
  RankedTensorType type = lowering.resultType(op);
  if (parts.size() == 1)
    return lowering.replace(op, parts.front());
  // Some part has elements: results without any are made before.
  lowering.replace(op,
                   kernel::ConcatenateOp::create(
                       lowering.builder, op.getLoc(), type, parts,
                       lowering.builder.getI64IntegerAttr(op.getDimension()))
                       .getResult());
}

/// Padding by a value that is not known: each point chooses between it and an
/// element of the input.
static void padWithComputed(GraphLowering &lowering, stablehlo::PadOp op) {
  RankedTensorType type = lowering.resultType(op);
  Value input = lowering.lowered(op.getOperand());
  ArrayRef<int64_t> shape = lowering.shapeOf(input);
  AffineMap scalar =
      AffineMap::get(type.getRank(), 0, lowering.builder.getContext());
  auto payload = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    using Predicate = arith::CmpIPredicate;
    Value inside;
    SmallVector<Value> position;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      int64_t step = op.getInteriorPadding()[i] + 1;
      // Before the input this wraps around, and is past its end.
      Value offset =
          arith::SubIOp::create(b, loc, linalg::IndexOp::create(b, loc, i),
                                number(op.getEdgePaddingLow()[i]));
      Value element = arith::DivUIOp::create(b, loc, offset, number(step));
      Value in = arith::CmpIOp::create(b, loc, Predicate::ult, element,
                                       number(shape[i]));
      Value whole = arith::MulIOp::create(b, loc, element, number(step));
      Value onElement =
          arith::CmpIOp::create(b, loc, Predicate::eq, whole, offset);
      in = arith::AndIOp::create(b, loc, in, onElement);
      inside =
          inside ? arith::AndIOp::create(b, loc, inside, in).getResult() : in;
      position.push_back(
          arith::MinUIOp::create(b, loc, element, number(shape[i] - 1)));
    }
    if (!inside)
      return tensor::ExtractOp::create(b, loc, input, position);
    Value element = tensor::ExtractOp::create(b, loc, input, position);
    return arith::SelectOp::create(b, loc, inside, element, x[0]);
  };
  // Nothing can be read from an empty tensor.
  if (llvm::is_contained(shape, 0))
    return lowering.replace(
        op, lowering.view(op.getLoc(), type,
                          lowering.lowered(op.getPaddingValue()), scalar));
  lowering.replace(op, lowering.generic(op.getLoc(), type,
                                        lowering.lowered(op.getPaddingValue()),
                                        scalar, payload));
}

static void lowerOp(GraphLowering &lowering, stablehlo::PadOp op) {
  Value padding = lowering.scalarOf(op.getPaddingValue());
  if (!padding)
    return padWithComputed(lowering, op);
  lowering.replace(op, kernel::PadOp::create(lowering.builder, op.getLoc(),
                                             lowering.resultType(op),
                                             lowering.lowered(op.getOperand()),
                                             padding, op.getEdgePaddingLow(),
                                             op.getEdgePaddingHigh(),
                                             op.getInteriorPadding())
                           .getResult());
}

bool heddle::lowerShapeOp(GraphLowering &lowering, Operation *op) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ConstantOp, IotaOp, BroadcastInDimOp, TransposeOp, SliceOp,
            ReverseOp, ReshapeOp, ConcatenateOp, PadOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Case([&](OptimizationBarrierOp barrier) {
        lowering.replace(barrier, lowering.lowered(barrier.getOperands()));
        return true;
      })
      .Default([](Operation *) { return false; });
}
