// A product of quantized tensors is one of the integers that are stored, where
// the target multiplies these faster than floats: its sums are exact. With zero
// points l and r,
//
//   sum (a - l) * (b - r) = sum a * b - l * sum b - r * sum a + count * l * r
//
// and a scale is a factor of the sums if these do not run over its axis. So are
// products that a model sums up in i32, whose scales are ones of i32.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/Quads.h"
#include "passes/Dispatch/StoredEpilogue.h"
#include "passes/Dispatch/StoredOperands.h"
#include "passes/Dispatch/StoredSigns.h"
#include "passes/Dispatch/StoredSums.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_MULTIPLYSTORED
#include "passes/Dispatch/Passes.h.inc"

/// Differences of stored integers are below 2^8: so many products have a sum in
/// 32 bits. Sums of integers wrap around as the model's own do.
static bool fits(int64_t count, Type sum) {
  return sum.isInteger() ||
         count <= std::numeric_limits<int32_t>::max() / (255 * 255);
}

/// How a point of the result reads a parameter of an operand that `map` reads;
/// nothing if the sums run over it.
static std::optional<AffineMap> mapOf(const QuantizationParameter &parameter,
                                      AffineMap map, AffineMap out) {
  SmallVector<AffineExpr> position;
  if (parameter.dim) {
    auto place = out.getResultPosition(map.getResult(*parameter.dim));
    if (!place)
      return std::nullopt;
    position.push_back(getAffineDimExpr(*place, out.getContext()));
  }
  return AffineMap::get(out.getNumResults(), 0, position, out.getContext());
}

/// One side of a product whose operand `map` reads; nothing if the sums run
/// over its parameters.
static std::optional<StoredSide> sideOf(std::optional<Stored> stored,
                                        AffineMap map, AffineMap out) {
  if (!stored)
    return std::nullopt;
  std::optional<AffineMap> scale = mapOf(stored->scale, map, out),
                           zeroPoint = mapOf(stored->zeroPoint, map, out);
  if (!scale || !zeroPoint)
    return std::nullopt;
  return StoredSide{std::move(*stored), *scale, *zeroPoint, {}, {}};
}

/// Gives both sides the signs that the target multiplies; false if it
/// multiplies no such bytes.
static bool fitSigns(OpBuilder &b, Location loc, WeightPrograms &weights,
                     KernelFamily family, StoredSide &lhs, StoredSide &rhs,
                     const DispatchFacts &facts) {
  auto [left, right] =
      multipliedTypes(family, lhs.stored.type, rhs.stored.type, facts);
  if (!left)
    return false;
  lhs.stored = withSign(b, loc, weights, lhs.stored, left);
  rhs.stored = withSign(b, loc, weights, rhs.stored, right);
  return true;
}

/// Whether a root multiplies f32 as the model has it, and may be more exact, or
/// integers that it sums up in i32.
template <typename Root> static bool isPlain(Root op, Value rhs) {
  Type sum = op.getSumElement();
  return (sum.isF32() || sum.isSignlessInteger(32)) &&
         llvm::all_equal({sum, elementOf(op.getResult()), op.getLhsElement(),
                          op.getRhsElement(), elementOf(rhs)});
}

/// The root on what both sides store, and what its sums stand for.
template <typename Root>
static Value multiplySides(OpBuilder &b, Root op, const StoredSide &lhs,
                           const StoredSide &rhs, int64_t count) {
  auto product = cast<Root>(b.clone(*op));
  product->setOperand(0, lhs.stored.integers);
  product->setOperand(1, rhs.stored.integers);
  product.setLhsTypeAttr(modelType(lhs.stored.type));
  product.setRhsTypeAttr(modelType(rhs.stored.type));
  product.removePrecisionAttr();
  product.getResult().setType(typeOf(op.getResult()).clone(b.getI32Type()));
  return inUnits(b, op.getLoc(), product, lhs, rhs, count, op.getSumElement());
}

/// The product as one of stored integers; null if it is none.
static Value multiplyStored(kernel::ContractOp op, StoredOperands &operands,
                            WeightPrograms &weights,
                            const DispatchFacts &facts) {
  SmallVector<unsigned> reductions = op.getDims().k;
  int64_t count = 1;
  for (unsigned dim : reductions)
    count *= op.getExtents()[dim];
  bool limitsSums = llvm::any_of(
      reductions, [&](unsigned dim) { return bool(op.getLimit(dim)); });
  if (!isPlain(op, op.getRhs()) || op.getAlgorithm() || limitsSums ||
      !fits(count, op.getSumElement()))
    return {};
  OpBuilder b(op);
  Location loc = op.getLoc();
  AffineMap out = op.getOutMap();
  auto lhs = sideOf(operands.find(b, op.getLhs()), op.getLhsMap(), out);
  auto rhs = sideOf(operands.find(b, op.getRhs()), op.getRhsMap(), out);
  // Kernels that read quads do it of weights alone.
  if (!lhs || !rhs ||
      (!facts.packing.quads.empty() &&
       !(weights.referredTo(rhs->stored.integers) &&
         readsQuads(op, facts.packing))) ||
      !fitSigns(b, loc, weights, KernelFamily::Contraction, *lhs, *rhs, facts))
    return {};
  // Sums of rows whose number a call says would be sized by it, too.
  if (!rhs->stored.zeroPoint.isZero() &&
      size::hasExtents(op.getLhs().getType()))
    return {};
  if (!lhs->stored.zeroPoint.isZero())
    std::tie(rhs->sums, rhs->sumsMap) =
        sumOver(b, loc, weights, rhs->stored, lhs->stored.type, op.getRhsMap(),
                op.getExtents(), reductions, out, /*isRhs=*/true);
  if (!rhs->stored.zeroPoint.isZero())
    std::tie(lhs->sums, lhs->sumsMap) =
        sumOver(b, loc, weights, lhs->stored, rhs->stored.type, op.getLhsMap(),
                op.getExtents(), reductions, out, /*isRhs=*/false);
  return multiplySides(b, op, *lhs, *rhs, count);
}

/// The same of a convolution. Padding is zero, which is what a stored zero
/// stands for only where the input's zero point is zero; and sums of the input,
/// which a zero point of the weights would want, differ from window to window.
static Value multiplyStored(kernel::ConvolutionOp op, StoredOperands &operands,
                            WeightPrograms &weights,
                            const DispatchFacts &facts) {
  if (!isPlain(op, op.getWeights()) || op.getWeightsPacking())
    return {};
  // Iteration dimensions: the result's, then those of a window.
  SmallVector<int64_t> extents(typeOf(op.getResult()).getShape());
  unsigned rank = extents.size();
  SmallVector<AffineExpr> position;
  SmallVector<unsigned> reductions;
  OpBuilder b(op);
  int64_t count = 1;
  for (int64_t extent : typeOf(op.getWeights()).getShape().drop_back()) {
    position.push_back(b.getAffineDimExpr(extents.size()));
    reductions.push_back(extents.size());
    extents.push_back(extent);
    count *= extent;
  }
  position.push_back(b.getAffineDimExpr(rank - 1));
  AffineMap weightsMap =
      AffineMap::get(extents.size(), 0, position, b.getContext());
  AffineMap out =
      AffineMap::getMultiDimIdentityMap(extents.size(), b.getContext())
          .getMajorSubMap(rank);
  std::optional<Stored> input = operands.find(b, op.getInput());
  if (!fits(count, op.getSumElement()) || !input || !input->isPerTensor())
    return {};
  auto lhs = sideOf(input, out, out);
  auto rhs = sideOf(operands.find(b, op.getWeights()), weightsMap, out);
  auto isZero = [](int64_t number) { return number == 0; };
  auto isOne = [](int64_t number) { return number == 1; };
  bool readsZeros = !llvm::all_of(op.getPadding(), isZero) ||
                    !llvm::all_of(op.getLhsDilation(), isOne);
  Location loc = op.getLoc();
  bool isRead = facts.packing.filterQuads.empty() ||
                (rhs && weights.referredTo(rhs->stored.integers) &&
                 readsQuads(op, facts.packing));
  if (!rhs || !isRead ||
      !fitSigns(b, loc, weights, KernelFamily::Convolution, *lhs, *rhs, facts))
    return {};
  bool isMoved = !lhs->stored.zeroPoint.isZero();
  if (!rhs->stored.zeroPoint.isZero() || (isMoved && readsZeros))
    return {};
  if (isMoved)
    std::tie(rhs->sums, rhs->sumsMap) =
        sumOver(b, loc, weights, rhs->stored, lhs->stored.type, weightsMap,
                extents, reductions, out, /*isRhs=*/true);
  return multiplySides(b, op, *lhs, *rhs, count);
}

namespace {
struct MultiplyStored : impl::MultiplyStoredBase<MultiplyStored> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    const DispatchFacts &facts = target->dispatchFacts();
    if (facts.quantizedProducts.empty())
      return;
    WeightPrograms weights(getOperation());
    StoredOperands operands(weights);
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      if (!isa<kernel::ContractOp, kernel::ConvolutionOp>(op))
        return;
      blocks.insert(op->getBlock());
      Value product;
      if (auto contract = dyn_cast<kernel::ContractOp>(op))
        product = multiplyStored(contract, operands, weights, facts);
      else
        product = multiplyStored(cast<kernel::ConvolutionOp>(op), operands,
                                 weights, facts);
      if (product)
        op->getResult(0).replaceAllUsesWith(product);
    });
    // What nobody reads any more, the real numbers of both sides among it.
    for (Block *block : blocks)
      eraseDead(*block);
    weights.eraseUnused();
  }
};
} // namespace
} // namespace heddle
