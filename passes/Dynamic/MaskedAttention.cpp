// An attention over open sizes stays one: it is told how many keys there are.

#include "passes/Dynamic/PaddingMasker.h"

#include "dialects/StableHlo/Attention.h"
#include "heddle/Support/EntrySizes.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// What the two products of a decomposition ask for. Nothing where they cannot
/// be told from others.
static std::optional<AttentionProducts> productsOf(func::FuncOp function) {
  SmallVector<DotGeneralOp> products(
      function.getBody().front().getOps<DotGeneralOp>());
  if (products.size() != 2)
    return std::nullopt;
  return AttentionProducts{products[0].getPrecisionConfigAttr(),
                           products[1].getPrecisionConfigAttr(),
                           products[0].getAlgorithmAttr(),
                           products[1].getAlgorithmAttr()};
}

/// How many keys count: all there are, or of these as many as the model says.
Value PaddingMasker::keysThatCount(OpBuilder &builder, Location loc,
                                   const Attention &attention) {
  size::Expression all =
      extent(attention.key, typeOf(attention.key).getRank() - 2);
  if (!attention.lengths)
    return values.scalar(all);
  RankedTensorType type = typeOf(attention.lengths);
  Value keys = values.scalar(all, type.getElementType());
  if (type.getRank())
    keys = spread(builder, loc, keys, type);
  return MinOp::create(builder, loc, type, attention.lengths, keys);
}

/// A private function of what `attention` computes; one for all that are equal.
func::FuncOp PaddingMasker::decompositionOf(const Attention &attention,
                                            const AttentionProducts &products,
                                            func::FuncOp former) {
  SmallVector<Value> inputs = attention.inputs();
  SmallVector<Type> results{attention.result};
  if (attention.logSumExp)
    results.push_back(attention.logSumExp);
  auto type = FunctionType::get(former.getContext(),
                                ValueRange(inputs).getTypes(), results);
  func::FuncOp &known = decompositions[{former, type}];
  if (known)
    return known;
  OpBuilder builder(former);
  known = func::FuncOp::create(builder, former.getLoc(),
                               former.getName().str() + "_of_lengths", type);
  known.setPrivate();
  Block *block = known.addEntryBlock();
  SymbolTable(former->getParentOfType<ModuleOp>()).insert(known);
  std::optional<Attention> own = Attention::read(
      block->getArguments(), attention.attributes(), TypeRange(results));
  assert(own && "what was an attention is one with lengths");
  builder.setInsertionPointToStart(block);
  func::ReturnOp::create(
      builder, former.getLoc(),
      decomposeAttention(builder, former.getLoc(), *own, products));
  return known;
}

bool PaddingMasker::keepAttention(CompositeOp op, func::FuncOp function) {
  std::optional<Attention> attention = Attention::read(
      op.getInputs(), op.getCompositeAttributes(), op->getResultTypes());
  std::optional<AttentionProducts> products = productsOf(function);
  if (!attention || !products)
    return false;
  int64_t rank = typeOf(attention->query).getRank();
  // Queries are placed beside the last keys by how many there are of both: the
  // kernel knows the number of queries at their bound alone. And without a key
  // a row is zero, where the kernel divides by the sum of nothing.
  bool isPlaced = attention->causal || attention->window;
  size::Expression keys = extent(attention->key, rank - 2);
  if (isBounded(attention->query, rank - 1) ||
      isBounded(attention->value, rank - 1) ||
      (isPlaced && isBounded(attention->query, rank - 2)) ||
      !sizes.ranges().isAlwaysPositive(keys))
    return false;
  for (int64_t i = 1; i + 2 < rank; ++i)
    if (isBounded(attention->query, i) || isBounded(attention->key, i))
      return false;
  // A launch is told what is known before the call.
  for (Value value : attention->inputs())
    for (size::Expression known : table.extents(value))
      if (sizes.isComputed(known))
        return false;
  OpBuilder builder(op);
  if (!keys.isConstant())
    attention->lengths = keysThatCount(builder, op.getLoc(), *attention);
  func::FuncOp decomposition = decompositionOf(*attention, *products, function);
  auto kept = CompositeOp::create(
      builder, op.getLoc(), op->getResultTypes(), attention->inputs(),
      op.getName(), attention->attributes(), decomposition.getSymName());
  // Rows beyond need not be computed.
  SmallVector<size::Expression> rows;
  for (int64_t i = 0; i < rank; ++i)
    rows.push_back(extent(op->getResult(0), i));
  if (llvm::any_of(rows, [](size::Expression e) { return !e.isConstant(); }))
    kept->setAttr(kSizesAttrName, size::extentsAttr(op.getContext(), rows));
  replace(op, kept->getResults());
  return true;
}

} // namespace heddle
