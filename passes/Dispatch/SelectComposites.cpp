// A composite says what a group of operations means. Where the target has a
// kernel for the whole, one root takes its place; elsewhere the operations do.
// A kind of targets with kernels that no root stands for takes these composites
// in a pass of its own before this one.

#include "dialects/Kernel/Composites.h"
#include "dialects/Kernel/EntryFunctions.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/Attention.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dispatch/AskedFactors.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace heddle {
using stablehlo::Attention;
using stablehlo::AttentionProducts;

#define GEN_PASS_DEF_SELECTCOMPOSITES
#include "passes/Dispatch/Passes.h.inc"

/// Whether the composite's products ask for sums that are wider than its
/// result and than f32, which kernels for a whole composite sum in at least.
static bool wantsWideSums(kernel::CompositeOp op) {
  unsigned enough =
      std::max<unsigned>(32, typeOf(op.getResult(0)).getElementTypeBitWidth());
  return op.getBody()
      .walk([&](kernel::ContractOp product) {
        return product.getSumElement().getIntOrFloatBitWidth() > enough
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What the composite's two products ask of their exactness. Nothing if they
/// ask for something and cannot be told from others.
static std::optional<AttentionProducts> askedProducts(kernel::CompositeOp op) {
  SmallVector<kernel::ContractOp> products;
  op.getBody().walk(
      [&](kernel::ContractOp product) { products.push_back(product); });
  if (llvm::none_of(products, [](kernel::ContractOp product) {
        return product.getPrecision() || product.getAlgorithm();
      }))
    return AttentionProducts();
  // What weighs the values is computed from scores.
  if (products.size() != 2)
    return std::nullopt;
  SetVector<Operation *> before;
  BackwardSliceOptions within;
  within.filter = [&](Operation *source) { return op->isAncestor(source); };
  if (failed(getBackwardSlice(products[1].getOperation(), &before, within)) ||
      !before.contains(products[0]))
    return std::nullopt;
  auto algorithm = [](kernel::ContractOp product) {
    return cast_or_null<stablehlo::DotAlgorithmAttr>(
        product.getAlgorithmAttr());
  };
  return AttentionProducts{products[0].getPrecisionAttr(),
                           products[1].getPrecisionAttr(),
                           algorithm(products[0]), algorithm(products[1])};
}

/// Whether a kernel takes these queries, keys and values, or, if it
/// `mayConvert` them, takes them after they were converted to what it sums in,
/// and has the options. Without `products`, no kernel may be less exact than
/// its operands.
static bool isLegal(const Attention &attention,
                    const std::optional<AttentionProducts> &products,
                    const DispatchFacts &facts, bool mayConvert) {
  Type query = typeOf(attention.query).getElementType(),
       value = typeOf(attention.value).getElementType(),
       sum = attention.accumulator;
  auto lacks = [&](bool wanted, AttentionOption option) {
    return wanted && !llvm::is_contained(facts.attentionOptions, option);
  };
  if (lacks(bool(attention.lengths), AttentionOption::Lengths) ||
      lacks(attention.window.has_value(), AttentionOption::Window) ||
      lacks(bool(attention.sink), AttentionOption::Sink) ||
      lacks(bool(attention.logSumExp), AttentionOption::LogSumExp))
    return false;
  auto takes = [&](Type query, Type value) {
    if (!products &&
        facts.roundsFactors(KernelFamily::Attention, query, value, sum))
      return false;
    std::string factors = products ? askedFactors(products->scoreAlgorithm,
                                                  products->valueAlgorithm)
                                   : "";
    return facts.isLegal(KernelFamily::Attention, query, value, sum) ||
           facts.isLegal(KernelFamily::Attention, query, value, sum, factors);
  };
  return takes(query, value) || (mayConvert && takes(sum, sum));
}

/// Attention that is computed in a float of 16 bits as one that is computed in
/// f32 of factors that are rounded to that: at least as exact, and what tensor
/// cores do.
static void widenSums(Attention &attention, AttentionProducts &products) {
  FloatType narrow = attention.accumulator;
  MLIRContext *context = narrow.getContext();
  Type sum = Float32Type::get(context);
  attention.accumulator = cast<FloatType>(sum);
  products.scoreAlgorithm = products.valueAlgorithm =
      stablehlo::DotAlgorithmAttr::get(
          context, narrow, narrow, sum, /*lhsComponentCount=*/1,
          /*rhsComponentCount=*/1, /*numPrimitiveOperations=*/1,
          /*allowImpreciseAccumulation=*/false);
}

/// How far dimension `dim` of the composite's result runs in a call; null if
/// always to its end.
static Value limitOf(OpBuilder &b, kernel::CompositeOp op, unsigned dim) {
  auto sizes = op->getAttrOfType<size::ExtentsAttr>(kSizesAttrName);
  if (!sizes || dim >= sizes.getExtents().size())
    return {};
  size::Expression size(sizes.getExtents()[dim]);
  if (size.isConstant())
    return {};
  return kernel::createSize(b, op.getLoc(), op->getParentOfType<func::FuncOp>(),
                            size, [](BlockArgument holder) { return holder; });
}

/// The results of the composite by the root. The leading dimensions of queries
/// and keys agree, or a number of key's heads divides that of query's (in the
/// last of them). Empty for other forms.
static SmallVector<Value> makeAttention(kernel::CompositeOp op,
                                        const Attention &attention,
                                        const AttentionProducts &products) {
  OpBuilder b(op);
  ArrayRef<int64_t> query = typeOf(attention.query).getShape(),
                    key = typeOf(attention.key).getShape();
  unsigned rank = query.size();
  if (attention.result.getNumElements() == 0 || attention.columns() == 0)
    return {};

  // Iteration: batch dimensions, those shared by several query heads split in
  // two (key head, query head of it), then m, n, d, e.
  unsigned batch = rank - 2;
  int64_t shared = attention.headsPerKey();
  SmallVector<int64_t> extents(key.take_front(batch));
  bool split = shared != 1;
  if (split)
    extents.push_back(shared);
  unsigned m = extents.size(), n = m + 1, d = m + 2, e = m + 3;
  extents.append({query[rank - 2], key[rank - 2], query[rank - 1],
                  typeOf(attention.value).getShape().back()});
  auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  auto batchAt = [&](unsigned position, bool queryHeads) {
    AffineExpr expr = dim(position);
    if (split && position + 1 == batch && queryHeads)
      expr = expr * shared + dim(position + 1);
    return expr;
  };
  auto mapOf = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(extents.size(), 0, results, b.getContext());
  };
  /// Of trailing dimensions of [batch.., row, column], with 1 for what is
  /// repeated.
  auto map = [&](Value operand, bool queryHeads, unsigned row,
                 unsigned column) {
    SmallVector<AffineExpr> results;
    ArrayRef<int64_t> shape = typeOf(operand).getShape();
    for (auto [i, extent] : llvm::enumerate(shape)) {
      unsigned position = i + rank - shape.size();
      AffineExpr expr = position < batch
                            ? batchAt(position, queryHeads)
                            : dim(position == batch ? row : column);
      results.push_back(extent == 1 ? b.getAffineConstantExpr(0) : expr);
    }
    return mapOf(results);
  };
  SmallVector<AffineMap> maps = {map(attention.query, true, m, d),
                                 map(attention.key, false, n, d),
                                 map(attention.value, false, n, e)};
  if (attention.mask)
    maps.push_back(map(attention.mask, true, m, n));
  if (attention.lengths) {
    SmallVector<AffineExpr> results;
    if (typeOf(attention.lengths).getRank() == 1)
      results.push_back(batchAt(0, true));
    maps.push_back(mapOf(results));
  }
  if (attention.sink) {
    SmallVector<AffineExpr> results;
    ArrayRef<int64_t> shape = typeOf(attention.sink).getShape();
    for (auto [i, extent] : llvm::enumerate(shape))
      results.push_back(extent == 1 ? b.getAffineConstantExpr(0)
                                    : batchAt(batch - shape.size() + i, true));
    maps.push_back(mapOf(results));
  }
  // The result's dimensions, one for each loop; unit ones are named too.
  SmallVector<AffineExpr> out;
  for (unsigned i = 0; i < n; ++i)
    out.push_back(dim(i));
  out.push_back(dim(e));
  maps.push_back(mapOf(out));

  size::SizedShape rows;
  rows.add(typeOf(attention.key), 0, batch);
  if (split)
    rows.add(shared);
  rows.add(typeOf(attention.query), rank - 2);
  size::SizedShape shape(rows);
  shape.add(typeOf(attention.value), rank - 1);
  RankedTensorType result = shape.of(attention.result.getElementType()),
                   logarithms;
  if (attention.logSumExp)
    logarithms = rows.of(attention.logSumExp.getElementType());
  auto accumulator = attention.accumulator == result.getElementType()
                         ? TypeAttr()
                         : TypeAttr::get(attention.accumulator);
  auto root = kernel::AttentionOp::create(
      b, op.getLoc(), result, logarithms, attention.query, attention.key,
      attention.value, attention.mask, attention.lengths, attention.sink,
      /*limits=*/ValueRange(), b.getDenseI64ArrayAttr(extents),
      b.getAffineMapArrayAttr(maps), b.getF32FloatAttr(attention.scale),
      attention.causal ? b.getUnitAttr() : UnitAttr(),
      attention.window ? b.getI64IntegerAttr(*attention.window) : IntegerAttr(),
      attention.zeroNanRows ? b.getUnitAttr() : UnitAttr(), accumulator,
      products.scorePrecision, products.scoreAlgorithm, products.valuePrecision,
      products.valueAlgorithm, /*keys=*/size::ExpressionAttr());
  // Heads that were split are two loops; other dimensions of the result have
  // the loops of their numbers.
  SmallVector<std::pair<unsigned, Value>> limits;
  b.setInsertionPoint(root);
  for (unsigned i = 0; i <= batch; ++i)
    if (Value limit = split && i + 1 == batch ? Value() : limitOf(b, op, i))
      limits.push_back({i == batch ? m : i, limit});
  root.setLimits(limits);
  b.setInsertionPointAfter(root);
  SmallVector<Value> results(root->getResults());
  if (split)
    for (auto [value, whole] : llvm::zip_equal(results, op.getOutputs())) {
      // Key heads and the query heads of each are the query's heads.
      SmallVector<ReassociationIndices> groups;
      for (int64_t i = 0; i < typeOf(value).getRank(); ++i) {
        if (i == static_cast<int64_t>(batch))
          groups.back().push_back(i);
        else
          groups.push_back({i});
      }
      value = tensor::CollapseShapeOp::create(b, op.getLoc(), typeOf(whole),
                                              value, groups);
    }
  return results;
}

/// The results of the composite by a root that the target has a kernel for;
/// empty if it has none.
static SmallVector<Value> selectKernel(kernel::CompositeOp op,
                                       const DispatchFacts &facts) {
  if (op.getKind() != kernel::kAttentionName ||
      !llvm::is_contained(facts.composites, op.getKind()))
    return {};
  std::optional<Attention> attention =
      Attention::read(op.getInputs(), op.getParameters(), op->getResultTypes());
  std::optional<AttentionProducts> products = askedProducts(op);
  if (!attention || wantsWideSums(op))
    return {};
  if (isLegal(*attention, products, facts, /*mayConvert=*/true))
    return makeAttention(op, *attention,
                         products.value_or(AttentionProducts()));
  if (!products || products->scoreAlgorithm || products->valueAlgorithm ||
      attention->accumulator.getWidth() != 16)
    return {};
  widenSums(*attention, *products);
  if (!isLegal(*attention, products, facts, /*mayConvert=*/false))
    return {};
  return makeAttention(op, *attention, *products);
}

/// Puts the operations of the region in the place of the composite.
static void inlineRegion(kernel::CompositeOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  op->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op.erase();
}

namespace {
struct SelectComposites : impl::SelectCompositesBase<SelectComposites> {
  void runOnOperation() override {
    std::shared_ptr<const Target> target = dispatchTarget(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<kernel::CompositeOp> composites;
    getOperation().walk(
        [&](kernel::CompositeOp op) { composites.push_back(op); });
    for (kernel::CompositeOp op : composites) {
      SmallVector<Value> results = selectKernel(op, target->dispatchFacts());
      if (results.empty()) {
        inlineRegion(op);
        continue;
      }
      op->replaceAllUsesWith(results);
      op.erase();
    }
  }
};
} // namespace
} // namespace heddle
