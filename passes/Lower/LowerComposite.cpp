// Composites with a kernel of their own.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// heddle.attention(query [.., M, D], key [.., N, D], value [.., N, E], mask?
/// broadcastable to [.., M, N]) {scale, causal, zero_nan_rows}; the leading
/// dimensions agree, or a number of key's heads divides that of query's (in the
/// last of them).
static void lowerAttention(GraphLowering &lowering, stablehlo::CompositeOp op) {
  OpBuilder &b = lowering.builder;
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  RankedTensorType result = lowering.resultType(op);
  if (inputs.size() < 3 || inputs.size() > 4)
    return lowering.unsupported(op,
                                "it has " + Twine(inputs.size()) + " operands");
  SmallVector<ArrayRef<int64_t>> shapes = llvm::map_to_vector(
      inputs, [&](Value value) { return lowering.shapeOf(value); });
  unsigned rank = shapes[0].size();
  if (rank < 2 || shapes[1].size() != rank || shapes[2].size() != rank)
    return lowering.unsupported(op, "operands of different ranks");

  // Iteration: batch dimensions, those shared by several query heads split in
  // two (key head, query head of it), then m, n, d, e.
  unsigned batch = rank - 2;
  int64_t shared = 1;
  SmallVector<int64_t> extents;
  for (unsigned i = 0; i < batch; ++i) {
    int64_t heads = shapes[0][i], keyHeads = shapes[1][i];
    if (heads != keyHeads) {
      if (i + 1 != batch || keyHeads == 0 || heads % keyHeads)
        return lowering.unsupported(op, "heads that do not divide");
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

  DictionaryAttr attributes = op.getCompositeAttributes();
  auto scale = attributes.getAs<FloatAttr>("scale");
  auto flag = [&](StringRef name) {
    auto value = attributes.getAs<BoolAttr>(name);
    return attributes.contains(name) && (!value || value.getValue());
  };
  auto attention = kernel::AttentionOp::create(
      b, op.getLoc(), result.clone(shape), inputs[0], inputs[1], inputs[2],
      inputs.size() == 4 ? inputs[3] : Value(), extents,
      b.getAffineMapArrayAttr(maps),
      APFloat(scale ? static_cast<float>(scale.getValueAsDouble()) : 1.0f),
      flag("causal"), flag("zero_nan_rows"));
  lowering.replace(op, lowering.reshape(op.getLoc(), attention.getResult(),
                                        result.getShape()));
}

/// A formula over all points of tensors of one shape, with several results: one
/// generic, whose payload is the decomposition.
static void lowerPointwise(GraphLowering &lowering, stablehlo::CompositeOp op) {
  OpBuilder &b = lowering.builder;
  auto formula = op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      op.getDecomposition());
  SmallVector<Value> inputs = lowering.lowered(op.getInputs()), inits;
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    RankedTensorType type = lowering.resultType(op, i);
    types.push_back(type);
    inits.push_back(tensor::EmptyOp::create(b, op.getLoc(), type.getShape(),
                                            type.getElementType()));
  }
  int64_t rank = lowering.shapeOf(inputs.front()).size();
  SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Operation *culprit = nullptr;
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    FailureOr<SmallVector<Value>> results = emitScalarRegion(
        inner, formula.getBody(), scalars.take_front(inputs.size()), culprit);
    complete = succeeded(results);
    linalg::YieldOp::create(inner, at,
                            complete ? ValueRange(*results)
                                     : scalars.drop_front(inputs.size()));
  };
  auto generic = linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits,
                                           maps, iterators, body);
  if (!complete)
    return lowering.unsupported(
        op, "its formula holds '" + culprit->getName().getStringRef() + "'");
  lowering.replace(op, generic.getResults());
}

bool heddle::lowerComposite(GraphLowering &lowering, Operation *op) {
  auto composite = dyn_cast<stablehlo::CompositeOp>(op);
  if (composite && composite.getName().starts_with("heddle.complex_")) {
    lowerPointwise(lowering, composite);
    return true;
  }
  if (!composite || composite.getName() != "heddle.attention")
    return false;
  lowerAttention(lowering, composite);
  return true;
}
