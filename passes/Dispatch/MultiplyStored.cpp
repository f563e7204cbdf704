// A product of quantized tensors is one of the integers that are stored, where
// the target multiplies these faster than floats: its sums are exact. With zero
// points l and r,
//
//   sum (a - l) * (b - r) = sum a * b - l * sum b - r * sum a + count * l * r
//
// and a scale is a factor of the sums if these do not run over its axis. So are
// products that a model sums up in i32, whose scales are ones of i32; those of
// them that no kernel has are summed up in f32 as long as that is exact.

#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/Expression.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dispatch/StepTerms.h"
#include "passes/Dispatch/StoredEpilogue.h"
#include "passes/Dispatch/StoredOperands.h"
#include "passes/Dispatch/StoredSigns.h"
#include "passes/Dispatch/StoredSums.h"
#include "passes/Dispatch/StoredWindows.h"
#include "passes/Dispatch/SumsInFloats.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/TypeSwitch.h"

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

/// Makes `product`, a copy of a root, one of what both sides store; what its
/// sums stand for.
template <typename Root>
static Value multiplySides(OpBuilder &b, Root product, const StoredSide &lhs,
                           const StoredSide &rhs, int64_t count) {
  Type number = product.getSumElement();
  product->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  product->setOperand(0, lhs.stored.integers);
  product->setOperand(1, rhs.stored.integers);
  product.setLhsTypeAttr(modelType(lhs.stored.type));
  product.setRhsTypeAttr(modelType(rhs.stored.type));
  product.removePrecisionAttr();
  product.getResult().setType(
      typeOf(product.getResult()).clone(b.getI32Type()));
  return inUnits(b, product.getLoc(), product, lhs, rhs, count, number);
}

/// How many products a sum has.
static int64_t productsOf(kernel::ContractOp op) {
  int64_t count = 1;
  for (unsigned dim : op.getDims().k)
    count *= op.getExtents()[dim];
  return count;
}

static int64_t productsOf(kernel::ConvolutionOp op) {
  int64_t count = 1;
  for (int64_t extent : typeOf(op.getWeights()).getShape().drop_back())
    count *= extent;
  return count;
}

/// The product as one of stored integers; null if it is none.
static Value multiplyStored(kernel::ContractOp op, StoredOperands &operands,
                            WeightPrograms &weights,
                            const DispatchFacts &facts) {
  SmallVector<unsigned> reductions = op.getDims().k;
  int64_t count = productsOf(op);
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
  return multiplySides(b, cast<kernel::ContractOp>(b.clone(*op)), *lhs, *rhs,
                       count);
}

namespace {
/// The iteration dimensions of a convolution: the result's, then those of a
/// window.
struct WindowDims {
  SmallVector<int64_t> extents;
  SmallVector<unsigned> window;
  AffineMap weights, out;

  explicit WindowDims(kernel::ConvolutionOp op)
      : extents(typeOf(op.getResult()).getShape()) {
    MLIRContext *context = op.getContext();
    unsigned rank = extents.size();
    SmallVector<AffineExpr> position;
    for (int64_t extent : typeOf(op.getWeights()).getShape().drop_back()) {
      position.push_back(getAffineDimExpr(extents.size(), context));
      window.push_back(extents.size());
      extents.push_back(extent);
    }
    position.push_back(getAffineDimExpr(rank - 1, context));
    weights = AffineMap::get(extents.size(), 0, position, context);
    out = AffineMap::getMultiDimIdentityMap(extents.size(), context)
              .getMajorSubMap(rank);
  }
};
} // namespace

/// Whether zeros stand between points of the input.
static bool isSpread(kernel::ConvolutionOp op) {
  return llvm::any_of(op.getLhsDilation(),
                      [](int64_t step) { return step != 1; });
}

static bool isPadded(kernel::ConvolutionOp op) {
  return llvm::any_of(op.getPadding(),
                      [](int64_t points) { return points != 0; });
}

/// Sums of both sides of a convolution where the other's zero point wants them.
/// Padding is zero, which is what a stored zero stands for only where the
/// input's zero point is zero: another is put around the input first. False
/// where that cannot be done, before anything is.
static bool addSums(OpBuilder &b, WeightPrograms &weights,
                    kernel::ConvolutionOp product, const WindowDims &dims,
                    StoredSide &lhs, StoredSide &rhs) {
  bool isMoved = !lhs.stored.zeroPoint.isZero(),
       isFilterMoved = !rhs.stored.zeroPoint.isZero();
  bool isOpen = size::hasExtents(product.getInput().getType());
  if (isMoved && (isSpread(product) || (isPadded(product) && isOpen)))
    return false;
  if (isFilterMoved && (product.getGroups() != 1 || isOpen))
    return false;
  Location loc = product.getLoc();
  if (isMoved) {
    if (isPadded(product))
      padStored(b, product, lhs.stored);
    std::tie(rhs.sums, rhs.sumsMap) =
        sumOver(b, loc, weights, rhs.stored, lhs.stored.type, dims.weights,
                dims.extents, dims.window, dims.out, /*isRhs=*/true);
  }
  if (isFilterMoved) {
    lhs.sums =
        sumWindows(b, loc, weights, product, lhs.stored, rhs.stored.type);
    unsigned rank = dims.out.getNumResults();
    lhs.sumsMap = b.getMultiDimIdentityMap(rank).getMajorSubMap(rank - 1);
  }
  return true;
}

/// The same of a convolution.
static Value multiplyStored(kernel::ConvolutionOp op, StoredOperands &operands,
                            WeightPrograms &weights,
                            const DispatchFacts &facts) {
  if (!isPlain(op, op.getWeights()) || op.getWeightsPacking())
    return {};
  WindowDims dims(op);
  int64_t count = productsOf(op);
  OpBuilder b(op);
  std::optional<Stored> input = operands.find(b, op.getInput());
  if (!fits(count, op.getSumElement()) || !input || !input->isPerTensor())
    return {};
  auto lhs = sideOf(input, dims.out, dims.out);
  auto rhs = sideOf(operands.find(b, op.getWeights()), dims.weights, dims.out);
  bool isRead = facts.packing.filterQuads.empty() ||
                (rhs && weights.referredTo(rhs->stored.integers) &&
                 readsQuads(op, facts.packing));
  if (!rhs || !isRead ||
      !fitSigns(b, op.getLoc(), weights, KernelFamily::Convolution, *lhs, *rhs,
                facts))
    return {};
  // Nobody reads a copy that is not made a product of.
  auto product = cast<kernel::ConvolutionOp>(b.clone(*op));
  if (!addSums(b, weights, product, dims, *lhs, *rhs))
    return {};
  return multiplySides(b, product, *lhs, *rhs, count);
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
    auto multiply = [&](auto op) {
      blocks.insert(op->getBlock());
      Value product = multiplyStored(op, operands, weights, facts);
      if (!product) {
        OpBuilder b(op);
        product = sumInFloats(b, op, operands, weights, productsOf(op));
      }
      if (product)
        op->getResult(0).replaceAllUsesWith(product);
    };
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<kernel::ContractOp, kernel::ConvolutionOp>(multiply);
    });
    // What nobody reads any more, the real numbers of both sides among it.
    for (Block *block : blocks)
      eraseDead(*block);
    weights.eraseUnused();
  }
};
} // namespace
} // namespace heddle
