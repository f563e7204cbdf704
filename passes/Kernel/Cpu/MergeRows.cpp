// Finds rows of products that can be walked as one dimension, and rewrites the
// kernel's tensors, maps and loops.

#include "passes/Kernel/Cpu/MergeRows.h"

#include "dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Kernel/Cpu/Extent.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace heddle {

namespace {

/// Two loops of an operation, which become one in the place of `outer`.
struct LoopPair {
  unsigned outer, inner;

  bool operator!=(LoopPair other) const {
    return outer != other.outer || inner != other.inner;
  }
  unsigned after(unsigned loop) const { return loop - (loop > inner); }
};

/// One pair of dimensions of a product's rows, and all that has it.
class RowMerge {
public:
  explicit RowMerge(kernel::ContractOp root) : root(root) {}

  /// Whether the loops of the root can become one.
  bool find(LoopPair loops);
  void apply(func::FuncOp kernel);

private:
  bool add(Value tensor, AffineMap map, LoopPair loops);
  bool addGeneric(linalg::GenericOp generic, LoopPair loops);
  bool addUsers(Value tensor);
  AffineMap merged(AffineMap map, Value tensor, LoopPair loops) const;
  void rewrite(linalg::GenericOp generic, LoopPair loops) const;

  kernel::ContractOp root;
  LoopPair rootLoops = {0, 0};
  /// The first of the two dimensions of each tensor that has them.
  llvm::MapVector<Value, unsigned> dims;
  llvm::MapVector<Operation *, LoopPair> generics;
  Extent outer, inner;
};

} // namespace

/// Where in `map` both loops are, one after the other and nowhere else.
static std::optional<unsigned> placeOf(AffineMap map, LoopPair loops) {
  MLIRContext *context = map.getContext();
  std::optional<unsigned> place =
      map.getResultPosition(getAffineDimExpr(loops.outer, context));
  if (!place || *place + 1 >= map.getNumResults() ||
      map.getResult(*place + 1) != getAffineDimExpr(loops.inner, context))
    return std::nullopt;
  for (auto [number, expr] : llvm::enumerate(map.getResults()))
    if (number != *place && number != *place + 1 &&
        (expr.isFunctionOfDim(loops.outer) ||
         expr.isFunctionOfDim(loops.inner)))
      return std::nullopt;
  return place;
}

bool RowMerge::add(Value tensor, AffineMap map, LoopPair loops) {
  auto found = dims.find(tensor);
  if (!map.isFunctionOfDim(loops.outer) && !map.isFunctionOfDim(loops.inner))
    return found == dims.end();
  std::optional<unsigned> place = placeOf(map, loops);
  if (!place)
    return false;
  if (found != dims.end())
    return found->second == *place;
  SmallVector<Extent> extents =
      trueExtents(cast<RankedTensorType>(tensor.getType()));
  if (extents[*place] != outer || extents[*place + 1] != inner)
    return false;
  dims[tensor] = *place;
  Operation *made = tensor.getDefiningOp();
  return (!made || made == root ||
          isa<linalg::GenericOp, tensor::EmptyOp>(made)) &&
         addUsers(tensor);
}

bool RowMerge::addGeneric(linalg::GenericOp generic, LoopPair loops) {
  auto [entry, isNew] = generics.insert({generic, loops});
  if (!isNew)
    return !(entry->second != loops);
  SmallVector<utils::IteratorType> kinds = generic.getIteratorTypesArray();
  if (kinds[loops.outer] != utils::IteratorType::parallel ||
      kinds[loops.inner] != utils::IteratorType::parallel)
    return false;
  bool asks = false;
  generic->getRegion(0).walk([&](linalg::IndexOp index) {
    asks |= index.getDim() == loops.outer || index.getDim() == loops.inner;
  });
  if (asks)
    return false;
  for (OpOperand &operand : generic->getOpOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    if (!add(operand.get(), map, loops))
      return false;
    if (generic.isDpsInit(&operand) &&
        !add(generic.getTiedOpResult(&operand), map, loops))
      return false;
  }
  return true;
}

bool RowMerge::addUsers(Value tensor) {
  unsigned place = dims.lookup(tensor);
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (isa<func::ReturnOp>(user) ||
        (user == root && use.getOperandNumber() == 0))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (!generic)
      return false;
    AffineMap map = generic.getMatchingIndexingMap(&use);
    auto outerLoop = dyn_cast<AffineDimExpr>(map.getResult(place));
    auto innerLoop = dyn_cast<AffineDimExpr>(map.getResult(place + 1));
    if (!outerLoop || !innerLoop ||
        !addGeneric(generic,
                    {outerLoop.getPosition(), innerLoop.getPosition()}))
      return false;
  }
  return true;
}

bool RowMerge::find(LoopPair loops) {
  rootLoops = loops;
  std::optional<unsigned> place = placeOf(root.getLhsMap(), loops);
  if (!place || root.getRhsMap().isFunctionOfDim(loops.outer) ||
      root.getRhsMap().isFunctionOfDim(loops.inner))
    return false;
  SmallVector<Extent> extents =
      trueExtents(cast<RankedTensorType>(root.getLhs().getType()));
  outer = extents[*place];
  inner = extents[*place + 1];
  MLIRContext *context = root.getContext();
  return (outer.isSized() || inner.isSized()) &&
         (outer * inner).expression(context) &&
         add(root.getLhs(), root.getLhsMap(), loops) &&
         add(root.getResult(), root.getOutMap(), loops);
}

static RankedTensorType mergedType(RankedTensorType type, unsigned dim) {
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<size::Expression> extents = size::extentsOf(type);
  shape[dim] *= shape[dim + 1];
  extents[dim] = extents[dim] * extents[dim + 1];
  shape.erase(shape.begin() + dim + 1);
  extents.erase(extents.begin() + dim + 1);
  return size::withExtents(RankedTensorType::get(shape, type.getElementType()),
                           extents);
}

AffineMap RowMerge::merged(AffineMap map, Value tensor, LoopPair loops) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> results(map.getResults()), loopExprs;
  if (auto found = dims.find(tensor); found != dims.end())
    results.erase(results.begin() + found->second + 1);
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loopExprs.push_back(getAffineDimExpr(loops.after(loop), context));
  return AffineMap::get(map.getNumDims(), 0, results, context)
      .replaceDimsAndSymbols(loopExprs, {}, map.getNumDims() - 1, 0);
}

void RowMerge::rewrite(linalg::GenericOp generic, LoopPair loops) const {
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : generic->getOpOperands())
    maps.push_back(
        merged(generic.getMatchingIndexingMap(&operand), operand.get(), loops));
  Builder builder(generic.getContext());
  generic.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
  SmallVector<Attribute> kinds(generic.getIteratorTypes().getValue());
  kinds.erase(kinds.begin() + loops.inner);
  generic.setIteratorTypesAttr(builder.getArrayAttr(kinds));
  generic->getRegion(0).walk([&](linalg::IndexOp index) {
    index.setDim(loops.after(index.getDim()));
  });
}

void RowMerge::apply(func::FuncOp kernel) {
  for (auto &[generic, loops] : generics)
    rewrite(cast<linalg::GenericOp>(generic), loops);
  Builder builder(kernel.getContext());
  root.setIndexingMapsAttr(builder.getAffineMapArrayAttr(
      {merged(root.getLhsMap(), root.getLhs(), rootLoops),
       merged(root.getRhsMap(), root.getRhs(), rootLoops),
       merged(root.getOutMap(), root.getResult(), rootLoops)}));
  SmallVector<int64_t> extents(root.getExtents());
  extents[rootLoops.outer] *= extents[rootLoops.inner];
  extents.erase(extents.begin() + rootLoops.inner);
  root.setExtents(extents);
  SmallVector<Attribute> kinds(root.getIteratorTypes().getValue());
  kinds.erase(kinds.begin() + rootLoops.inner);
  root.setIteratorTypesAttr(builder.getArrayAttr(kinds));

  for (auto &[tensor, dim] : dims)
    tensor.setType(mergedType(cast<RankedTensorType>(tensor.getType()), dim));
  Block &body = kernel.getBody().front();
  kernel.setFunctionType(
      builder.getFunctionType(TypeRange(body.getArgumentTypes()),
                              body.getTerminator()->getOperandTypes()));
}

/// Merges one pair of the root's rows. False if there is none.
static bool mergeOnce(func::FuncOp kernel, kernel::ContractOp root) {
  AffineMap map = root.getOutMap();
  for (unsigned place = 0; place + 1 < map.getNumResults(); ++place) {
    auto outer = dyn_cast<AffineDimExpr>(map.getResult(place));
    auto inner = dyn_cast<AffineDimExpr>(map.getResult(place + 1));
    RowMerge merge(root);
    if (!outer || !inner ||
        !merge.find({outer.getPosition(), inner.getPosition()}))
      continue;
    merge.apply(kernel);
    return true;
  }
  return false;
}

void mergeRows(func::FuncOp kernel) {
  for (auto root : kernel.getOps<kernel::ContractOp>())
    while (root.getLimits().empty() && mergeOnce(kernel, root))
      ;
}

} // namespace heddle
