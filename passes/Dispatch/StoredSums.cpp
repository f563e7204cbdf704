// Sums of stored integers, which zero points of the other side of a product
// want.

#include "passes/Dispatch/StoredSums.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/WeightMatrix.h"
#include "passes/Lower/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

TypeAttr heddle::modelType(IntegerType type) {
  return type.isUnsigned() ? TypeAttr::get(type) : TypeAttr();
}

/// The same as a contraction with ones.
static std::pair<Value, AffineMap>
sumByOnes(OpBuilder &b, Location loc, const Stored &stored,
          IntegerType onesType, AffineMap map, ArrayRef<int64_t> extents,
          ArrayRef<unsigned> reductions, AffineMap out, bool isRhs) {
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> renamed(extents.size()), outExprs, ones, positions;
  SmallVector<int64_t> newExtents, shape, onesShape;
  SmallVector<Attribute> kinds;
  auto add = [&](unsigned dim, StringRef kind) {
    renamed[dim] = b.getAffineDimExpr(newExtents.size());
    newExtents.push_back(extents[dim]);
    kinds.push_back(b.getStringAttr(kind));
    return renamed[dim];
  };
  for (auto [i, expr] : llvm::enumerate(out.getResults())) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (!map.isFunctionOfDim(dim))
      continue;
    outExprs.push_back(add(dim, "parallel"));
    shape.push_back(extents[dim]);
    positions.push_back(b.getAffineDimExpr(i));
  }
  for (unsigned dim : reductions) {
    ones.push_back(add(dim, "reduction"));
    onesShape.push_back(extents[dim]);
  }
  unsigned count = newExtents.size();
  AffineMap tensorMap = map.replaceDimsAndSymbols(renamed, {}, count, 0),
            onesMap = AffineMap::get(count, 0, ones, context);
  Type held = typeOf(stored.integers).getElementType();
  Value one =
      createPointwise(b, loc, RankedTensorType::get(onesShape, held), {}, {},
                      [&](OpBuilder &inner, Location at, ValueRange) -> Value {
                        return arith::ConstantOp::create(
                            inner, at, inner.getIntegerAttr(held, 1));
                      });
  TypeAttr tensorType = modelType(stored.type), oneType = modelType(onesType);
  Value sums = kernel::ContractOp::create(
      b, loc, RankedTensorType::get(shape, b.getI32Type()),
      isRhs ? one : stored.integers, isRhs ? stored.integers : one,
      /*limits=*/ValueRange(), newExtents,
      b.getAffineMapArrayAttr({isRhs ? onesMap : tensorMap,
                               isRhs ? tensorMap : onesMap,
                               AffineMap::get(count, 0, outExprs, context)}),
      b.getArrayAttr(kinds), /*rhs_packing=*/StringAttr(),
      isRhs ? oneType : tensorType, isRhs ? tensorType : oneType,
      /*accumulator=*/TypeAttr(), /*precision=*/ArrayAttr(),
      /*algorithm=*/Attribute());
  return {sums, AffineMap::get(out.getNumResults(), 0, positions, context)};
}

/// The sums of a weight over its dimensions `reductions`, as a weight: no call
/// computes them. The packer takes sums over one dimension.
static Value weightSums(OpBuilder &b, WeightPrograms &weights,
                        kernel::WeightOp weight,
                        ArrayRef<unsigned> reductions) {
  kernel::WeightOp sums = weights.derive(
      weight,
      [&](OpBuilder &inside, Value value) -> Value {
        MLIRContext *context = inside.getContext();
        Location loc = value.getLoc();
        SmallVector<int64_t> permutation, shape{1};
        for (unsigned dim : reductions) {
          permutation.push_back(dim);
          shape[0] *= typeOf(value).getDimSize(dim);
        }
        for (auto [dim, extent] : llvm::enumerate(typeOf(value).getShape()))
          if (!llvm::is_contained(reductions, dim)) {
            permutation.push_back(dim);
            shape.push_back(extent);
          }
        value = toMatrix(inside, value, permutation, shape);
        RankedTensorType wide = typeOf(value).clone(inside.getI32Type());
        value = stablehlo::ConvertOp::create(inside, loc, wide, value);
        auto vector = RankedTensorType::get(shape[0], inside.getI32Type());
        Value ones = stablehlo::ConstantOp::create(
            inside, loc, DenseElementsAttr::get(vector, APInt(32, 1)));
        return stablehlo::DotGeneralOp::create(
            inside, loc, wide.clone(ArrayRef(shape).drop_front()), ones, value,
            stablehlo::DotDimensionNumbersAttr::get(context, {}, {}, {0}, {0}),
            /*precision_config=*/ArrayAttr(), /*algorithm=*/{});
      },
      /*packing=*/"");
  return weights.reference(b, sums);
}

std::pair<Value, AffineMap>
heddle::sumOver(OpBuilder &b, Location loc, WeightPrograms &weights,
                const Stored &stored, IntegerType onesType, AffineMap map,
                ArrayRef<int64_t> extents, ArrayRef<unsigned> reductions,
                AffineMap out, bool isRhs) {
  kernel::WeightOp weight = weights.referredTo(stored.integers);
  if (!weight || !map.isProjectedPermutation())
    return sumByOnes(b, loc, stored, onesType, map, extents, reductions, out,
                     isRhs);
  SmallVector<unsigned> dims;
  SmallVector<AffineExpr> position;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (llvm::is_contained(reductions, cast<AffineDimExpr>(expr).getPosition()))
      dims.push_back(i);
    else
      position.push_back(b.getAffineDimExpr(*out.getResultPosition(expr)));
  }
  return {weightSums(b, weights, weight, dims),
          AffineMap::get(out.getNumResults(), 0, position, b.getContext())};
}
