// Folds views into the maps of what reads them.

#include "passes/Lower/ViewFolding.h"

#include "passes/Lower/ControlFlow.h"
#include "passes/Lower/Pointwise.h"
#include "passes/Lower/RootViews.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/TrueLoops.h"
#include "dialects/Size/SizedTypes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

/// Whether dimensions that follow each other in memory are known steps apart:
/// all but the outermost of those that are not 1 are of one size for all calls.
static bool hasKnownSteps(RankedTensorType type,
                          const ReassociationIndices &group) {
  bool isOutermost = true;
  for (int64_t dim : group) {
    if (!isOutermost && !size::isKnown(type, dim))
      return false;
    isOutermost &= type.getDimSize(dim) == 1;
  }
  return true;
}

static ReassociationIndices allDimensions(RankedTensorType type) {
  return llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
}

/// Whether a position in the flattened tensor is a sum of multiples.
static bool mayFlatten(RankedTensorType type) {
  return hasKnownSteps(type, allDimensions(type));
}

bool heddle::isView(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  Block *body = op.getBody();
  return llvm::hasSingleElement(*body) &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

/// The point of `source` behind a point of its expanded shape, if that is a
/// sum of multiples: within a group only the outermost size is of a call.
static std::optional<AffineMap> expansionMap(tensor::ExpandShapeOp op) {
  Builder b(op.getContext());
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<AffineExpr> results;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    if (!hasKnownSteps(op.getResultType(), group))
      return std::nullopt;
    AffineExpr position = b.getAffineConstantExpr(0);
    int64_t stride = 1;
    for (int64_t dim : llvm::reverse(group)) {
      // A dimension of one point adds nothing.
      if (shape[dim] != 1)
        position = position + b.getAffineDimExpr(dim) * stride;
      stride *= shape[dim];
    }
    results.push_back(position);
  }
  return AffineMap::get(shape.size(), 0, results, op.getContext());
}

/// The point of `source` behind a point of its collapsed shape, if at most one
/// dimension of each group has more than one point.
static std::optional<AffineMap> collapseMap(tensor::CollapseShapeOp op) {
  Builder b(op.getContext());
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  SmallVector<AffineExpr> results(shape.size(), b.getAffineConstantExpr(0));
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    bool taken = false;
    for (int64_t dim : group) {
      if (shape[dim] == 1)
        continue;
      if (taken)
        return std::nullopt;
      taken = true;
      results[dim] = b.getAffineDimExpr(i);
    }
  }
  return AffineMap::get(op.getResultType().getRank(), 0, results,
                        op.getContext());
}

/// The vector whose first elements `op` fetches as `firstElements` builds it,
/// null for other operations.
static Value vectorOfFirst(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 1 || op.getNumParallelLoops() != 1)
    return {};
  auto element = op.getBody()
                     ->getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<tensor::ExtractOp>();
  if (!element || element.getIndices().size() != 1 ||
      !element.getIndices()[0].getDefiningOp<linalg::IndexOp>())
    return {};
  return element.getTensor();
}

std::optional<Source> heddle::viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (Value vector = vectorOfFirst(generic))
      return Source{vector,
                    AffineMap::getMultiDimIdentityMap(1, value.getContext())};
    if (!isView(generic))
      return std::nullopt;
    return Source{generic.getInputs()[0], generic.getIndexingMapsArray()[0]};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    if (std::optional<AffineMap> map = expansionMap(expand))
      return Source{expand.getSrc(), *map};
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    if (std::optional<AffineMap> map = collapseMap(collapse))
      return Source{collapse.getSrc(), *map};
  return std::nullopt;
}

static AffineMap composed(AffineMap outer, AffineMap inner) {
  return simplifyAffineMap(outer.compose(inner));
}

/// Whether every loop that indexes a dimension by itself covers it.
static bool coversPlainly(const Source &source, ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(source.value.getType());
  for (auto [result, extent] :
       llvm::zip_equal(source.map.getResults(), type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      if (extents[dim.getPosition()] != extent)
        return false;
  return true;
}

/// Flattens what does not cover its dimensions; false if that is no way out.
static bool flatten(OpBuilder &builder, Source &source,
                    ArrayRef<int64_t> extents) {
  auto type = cast<RankedTensorType>(source.value.getType());
  std::optional<kernel::LinearAccess> access =
      kernel::linearAccess(source.map, type);
  if (!access || type.getRank() < 2 || !mayFlatten(type))
    return false;
  AffineExpr position = builder.getAffineConstantExpr(access->offset);
  for (auto [dim, stride] : llvm::enumerate(access->strides))
    if (extents[dim] != 1)
      position = position + builder.getAffineDimExpr(dim) * stride;
  if (isa<AffineDimExpr>(position))
    return false;
  SmallVector<ReassociationIndices> all = {allDimensions(type)};
  source.value = tensor::CollapseShapeOp::create(
      builder, source.value.getLoc(), size::flattened(type), source.value, all);
  source.map = AffineMap::get(source.map.getNumDims(), 0, position,
                              builder.getContext());
  return true;
}

/// The true extents of the loops of `op` if it read by `maps` and, as operand
/// `number`, `value`.
static std::optional<SmallVector<size::Expression>>
loopsWith(linalg::GenericOp op, ArrayRef<int64_t> bounds,
          ArrayRef<AffineMap> maps, unsigned number, Value value) {
  SmallVector<kernel::WalkedTensor> walked;
  for (auto [i, map, operand] : llvm::enumerate(maps, op->getOperands()))
    walked.push_back({map, cast<RankedTensorType>(
                               (i == number ? value : operand).getType())});
  return kernel::trueLoops(op.getContext(), bounds, walked);
}

static bool isParallel(linalg::GenericOp op) {
  return op.getNumParallelLoops() == op.getNumLoops();
}

/// The extents of an all-parallel generic, also of one whose inputs are not
/// legal yet.
static SmallVector<int64_t> parallelExtents(linalg::GenericOp op) {
  AffineMap out = op.getIndexingMapsArray().back();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getResult(0).getType()).getShape();
  SmallVector<int64_t> extents(out.getNumDims(), 1);
  for (auto [i, extent] : llvm::enumerate(shape))
    extents[out.getDimPosition(i)] = extent;
  return extents;
}

/// A generic finds the extents of its loops in the shapes of its operands: each
/// loop must index some operand by itself.
static bool findsItsLoops(ArrayRef<AffineMap> maps) {
  llvm::SmallBitVector found(maps.front().getNumDims());
  for (AffineMap map : maps)
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        found.set(dim.getPosition());
  return found.all();
}

static void foldInto(linalg::GenericOp op) {
  OpBuilder builder(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // What reads only in parallel finds its loops in its result, so that its
  // reads may wait for legalizeReads; then more views fold.
  bool parallel =
      isParallel(op) && op.getNumDpsInits() == 1 && maps.back().isPermutation();
  SmallVector<int64_t> extents =
      parallel ? parallelExtents(op) : op.getStaticLoopRanges();
  std::optional<SmallVector<size::Expression>> loops =
      loopsWith(op, extents, maps, 0, op->getOperand(0));
  for (OpOperand *operand : op.getDpsInputOperands()) {
    unsigned i = operand->getOperandNumber();
    while (std::optional<Source> source = viewSource(operand->get())) {
      source->map = composed(source->map, maps[i]);
      AffineMap old = std::exchange(maps[i], source->map);
      bool covers = coversPlainly(*source, extents);
      bool mayWait =
          parallel &&
          mayFlatten(cast<RankedTensorType>(source->value.getType()));
      bool legal = mayWait || (covers && (parallel || findsItsLoops(maps)));
      // A flat position may be the only place that named one of the loops.
      if (!legal && flatten(builder, *source, extents)) {
        maps[i] = source->map;
        legal = findsItsLoops(maps);
      }
      if (!legal || loopsWith(op, extents, maps, i, source->value) != loops) {
        maps[i] = old;
        break;
      }
      maps[i] = source->map;
      operand->set(source->value);
    }
  }
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
}

/// The first elements of a vector, each fetched by its number: `extent` of
/// them, at most `bound`.
static Value firstElements(OpBuilder &builder, Value vector, int64_t bound,
                           size::Expression extent) {
  Location loc = vector.getLoc();
  RankedTensorType type = size::withExtents(
      RankedTensorType::get(
          {bound}, cast<RankedTensorType>(vector.getType()).getElementType()),
      extent);
  return createPointwise(builder, loc, type, {}, {},
                         [&](OpBuilder &b, Location at, ValueRange) -> Value {
                           Value index = linalg::IndexOp::create(b, at, 0);
                           return tensor::ExtractOp::create(b, at, vector,
                                                            index);
                         });
}

/// Loops of one point read point 0 of a dimension that has more.
static AffineMap withoutUnitLoops(AffineMap map, RankedTensorType type,
                                  ArrayRef<int64_t> extents) {
  SmallVector<AffineExpr> results = llvm::to_vector(map.getResults());
  for (auto [result, extent] : llvm::zip_equal(results, type.getShape()))
    if (auto dim = dyn_cast<AffineDimExpr>(result);
        dim && extents[dim.getPosition()] == 1 && extent != 1)
      result = getAffineConstantExpr(0, map.getContext());
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

static void legalizeReads(linalg::GenericOp op) {
  if (!isParallel(op) || op.getNumDpsInits() != 1)
    return;
  OpBuilder builder(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = parallelExtents(op);
  std::optional<SmallVector<size::Expression>> loops =
      loopsWith(op, extents, maps, 0, op->getOperand(0));
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap &map = maps[operand->getOperandNumber()];
    map = withoutUnitLoops(
        map, cast<RankedTensorType>(operand->get().getType()), extents);
    Source source{operand->get(), map};
    if (coversPlainly(source, extents))
      continue;
    if (flatten(builder, source, extents)) {
      operand->set(source.value);
      map = source.map;
      continue;
    }
    // What is left is one dimension, or several of which one has points.
    Value vector = source.value;
    auto type = cast<RankedTensorType>(vector.getType());
    if (type.getRank() != 1)
      vector = tensor::CollapseShapeOp::create(
          builder, vector.getLoc(), size::flattened(type), vector,
          SmallVector<ReassociationIndices>{allDimensions(type)});
    for (AffineExpr result : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(result);
          dim && extents[dim.getPosition()] != 1) {
        unsigned loop = dim.getPosition();
        assert(loops && "operands agree on how far loops run");
        operand->set(
            firstElements(builder, vector, extents[loop], (*loops)[loop]));
        map = AffineMap::get(map.getNumDims(), 0, dim, builder.getContext());
        break;
      }
  }
  op.setIndexingMapsAttr(builder.getAffineMapArrayAttr(maps));
}

void heddle::legalizeReads(func::FuncOp function) {
  for (Block *block : programBlocks(function))
    for (auto op :
         llvm::make_early_inc_range(block->getOps<linalg::GenericOp>()))
      ::legalizeReads(op);
}

void heddle::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void heddle::foldViews(func::FuncOp function) {
  forEachProgramBlock(function, [](Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        foldInto(generic);
        // A copy of a tensor as it is.
        if (isView(generic) && generic.getIndexingMapsArray()[0].isIdentity() &&
            generic.getInputs()[0].getType() == generic.getResultTypes()[0])
          generic.getResult(0).replaceAllUsesWith(generic.getInputs()[0]);
        else
          foldTransposeOfRoot(generic);
      } else if (isa<kernel::ContractOp, kernel::AttentionOp>(op)) {
        foldViewsIntoRoot(&op);
      }
    }
    eraseDead(block);
  });
}
