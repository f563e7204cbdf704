// A composite says what a group of operations means. Where the target has a
// kernel for the whole, one root takes its place; elsewhere the operations do.

#include "dialects/Kernel/Kernel.h"
#include "passes/Dispatch/DispatchTarget.h"
#include "passes/Dispatch/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;

namespace heddle {
#define GEN_PASS_DEF_SELECTCOMPOSITES
#include "passes/Dispatch/Passes.h.inc"

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

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

/// Whether a kernel takes these queries, keys and values.
static bool isLegal(kernel::CompositeOp op, const DispatchFacts &facts) {
  if (wantsWideSums(op))
    return false;
  Type query = typeOf(op.getInputs()[0]).getElementType();
  return typeOf(op.getInputs()[1]).getElementType() == query &&
         facts.isLegal(KernelFamily::Attention, query,
                       typeOf(op.getInputs()[2]).getElementType(),
                       typeOf(op.getResult(0)).getElementType());
}

/// heddle.attention(query [.., M, D], key [.., N, D], value [.., N, E], mask?
/// broadcastable to [.., M, N]) {scale, causal, zero_nan_rows}; the leading
/// dimensions agree, or a number of key's heads divides that of query's (in the
/// last of them). Null for other forms.
static Value makeAttention(kernel::CompositeOp op) {
  OpBuilder b(op);
  ValueRange inputs = op.getInputs();
  RankedTensorType result = typeOf(op.getResult(0));
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value input : inputs)
    shapes.push_back(typeOf(input).getShape());
  unsigned rank = shapes[0].size();
  if (inputs.size() > 4 || rank < 2 || result.getNumElements() == 0 ||
      shapes[1].size() != rank || shapes[2].size() != rank)
    return {};

  // Iteration: batch dimensions, those shared by several query heads split in
  // two (key head, query head of it), then m, n, d, e.
  unsigned batch = rank - 2;
  int64_t shared = 1;
  SmallVector<int64_t> extents;
  for (unsigned i = 0; i < batch; ++i) {
    int64_t heads = shapes[0][i], keyHeads = shapes[1][i];
    if (heads != keyHeads) {
      if (i + 1 != batch || keyHeads == 0 || heads % keyHeads)
        return {};
      shared = heads / keyHeads;
    }
    extents.push_back(keyHeads);
  }
  bool split = shared != 1;
  if (split)
    extents.push_back(shared);
  unsigned m = extents.size(), n = m + 1, d = m + 2, e = m + 3;
  extents.append({shapes[0][rank - 2], shapes[1][rank - 2], shapes[0][rank - 1],
                  shapes[2][rank - 1]});
  auto dim = [&](unsigned i) { return b.getAffineDimExpr(i); };
  auto map = [&](ArrayRef<int64_t> shape, bool queryHeads, unsigned row,
                 unsigned column) {
    SmallVector<AffineExpr> results;
    unsigned missing = rank - shape.size();
    for (unsigned i = 0; i < shape.size(); ++i) {
      unsigned position = i + missing;
      AffineExpr expr;
      if (position < batch) {
        expr = dim(position);
        if (split && position + 1 == batch && queryHeads)
          expr = expr * shared + dim(position + 1);
      } else {
        expr = dim(position == batch ? row : column);
      }
      results.push_back(shape[i] == 1 ? b.getAffineConstantExpr(0) : expr);
    }
    return AffineMap::get(extents.size(), 0, results, b.getContext());
  };
  SmallVector<AffineMap> maps = {map(shapes[0], true, m, d),
                                 map(shapes[1], false, n, d),
                                 map(shapes[2], false, n, e)};
  if (inputs.size() == 4)
    maps.push_back(map(shapes[3], true, m, n));
  // The result's dimensions, one for each loop; unit ones are named too.
  SmallVector<AffineExpr> out;
  SmallVector<int64_t> shape(extents.begin(), extents.begin() + m);
  for (unsigned i = 0; i < m; ++i)
    out.push_back(dim(i));
  out.append({dim(m), dim(e)});
  shape.append({extents[m], extents[e]});
  maps.push_back(AffineMap::get(extents.size(), 0, out, b.getContext()));
  auto groups = getReassociationIndicesForCollapse(shape, result.getShape());
  if (split && !groups)
    return {};

  DictionaryAttr parameters = op.getParameters();
  auto scale = parameters.getAs<FloatAttr>("scale");
  auto flag = [&](StringRef name) {
    auto value = parameters.getAs<BoolAttr>(name);
    return parameters.contains(name) && (!value || value.getValue());
  };
  Value attention = kernel::AttentionOp::create(
      b, op.getLoc(), result.clone(shape), inputs[0], inputs[1], inputs[2],
      inputs.size() == 4 ? inputs[3] : Value(), extents,
      b.getAffineMapArrayAttr(maps),
      APFloat(scale ? static_cast<float>(scale.getValueAsDouble()) : 1.0f),
      flag("causal"), flag("zero_nan_rows"));
  return split ? tensor::CollapseShapeOp::create(b, op.getLoc(), result,
                                                 attention, *groups)
                     .getResult()
               : attention;
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
      Value root =
          isLegal(op, target->dispatchFacts()) ? makeAttention(op) : Value();
      if (!root) {
        inlineRegion(op);
        continue;
      }
      op.getResult(0).replaceAllUsesWith(root);
      op.erase();
    }
  }
};
} // namespace
} // namespace heddle
