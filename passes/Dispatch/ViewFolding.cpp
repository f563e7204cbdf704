#include "passes/Dispatch/ViewFolding.h"

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace heddle;

bool heddle::isView(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return false;
  Block *body = op.getBody();
  return llvm::hasSingleElement(*body) &&
         body->getTerminator()->getOperand(0) == body->getArgument(0);
}

/// The point of `source` behind a point of its expanded shape.
static AffineMap expansionMap(tensor::ExpandShapeOp op) {
  Builder b(op.getContext());
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  SmallVector<AffineExpr> results;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
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

std::optional<Source> heddle::viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    if (!isView(generic))
      return std::nullopt;
    return Source{generic.getInputs()[0], generic.getIndexingMapsArray()[0]};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return Source{expand.getSrc(), expansionMap(expand)};
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    if (std::optional<AffineMap> map = collapseMap(collapse))
      return Source{collapse.getSrc(), *map};
  return std::nullopt;
}

static AffineMap composed(AffineMap outer, AffineMap inner) {
  return simplifyAffineMap(outer.compose(inner));
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

bool heddle::legalizeRead(OpBuilder &builder, Source &source,
                          ArrayRef<int64_t> extents) {
  if (coversPlainly(source, extents))
    return true;
  auto type = cast<RankedTensorType>(source.value.getType());
  std::optional<kernel::LinearAccess> access =
      kernel::linearAccess(source.map, type);
  if (!access || type.getRank() < 2)
    return false;
  AffineExpr position = builder.getAffineConstantExpr(access->offset);
  for (auto [dim, stride] : llvm::enumerate(access->strides))
    if (extents[dim] != 1)
      position = position + builder.getAffineDimExpr(dim) * stride;
  if (isa<AffineDimExpr>(position))
    return false;
  SmallVector<ReassociationIndices> all = {
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
  source.value = tensor::CollapseShapeOp::create(
      builder, source.value.getLoc(), type.clone({type.getNumElements()}),
      source.value, all);
  source.map = AffineMap::get(source.map.getNumDims(), 0, position,
                              builder.getContext());
  return true;
}

static bool foldInto(linalg::GenericOp op) {
  bool changed = false;
  OpBuilder builder(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    unsigned i = operand->getOperandNumber();
    while (std::optional<Source> source = viewSource(operand->get())) {
      source->map = composed(source->map, maps[i]);
      AffineMap old = std::exchange(maps[i], source->map);
      if (!findsItsLoops(maps) || !legalizeRead(builder, *source, extents)) {
        maps[i] = old;
        break;
      }
      maps[i] = source->map;
      operand->set(source->value);
      changed = true;
    }
  }
  if (changed)
    op.setIndexingMapsAttr(
        Builder(op.getContext()).getAffineMapArrayAttr(maps));
  return changed;
}

/// For roots: operands with maps in the attribute `indexing_maps`.
static bool foldIntoRoot(Operation *op) {
  bool changed = false;
  Builder b(op->getContext());
  auto attribute = op->getAttrOfType<ArrayAttr>("indexing_maps");
  SmallVector<AffineMap> maps = llvm::map_to_vector(
      attribute, [](Attribute a) { return cast<AffineMapAttr>(a).getValue(); });
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap &map = maps[operand.getOperandNumber()];
    while (std::optional<Source> source = viewSource(operand.get())) {
      map = composed(source->map, map);
      operand.set(source->value);
      changed = true;
    }
  }
  if (changed)
    op->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
  return changed;
}

/// root -> transpose: the root writes transposed.
static bool foldTransposeOfRoot(linalg::GenericOp view) {
  if (!isView(view))
    return false;
  Operation *root = view.getInputs()[0].getDefiningOp();
  AffineMap map = view.getIndexingMapsArray()[0];
  if (!isa_and_nonnull<kernel::ContractOp, kernel::AttentionOp>(root) ||
      !root->hasOneUse() || !map.isPermutation())
    return false;
  SmallVector<Attribute> maps =
      llvm::to_vector(root->getAttrOfType<ArrayAttr>("indexing_maps"));
  AffineMap out = cast<AffineMapAttr>(maps.back()).getValue();
  maps.back() = AffineMapAttr::get(inversePermutation(map).compose(out));
  root->setAttr("indexing_maps", ArrayAttr::get(view.getContext(), maps));
  Value result = root->getResult(0);
  result.setType(view.getResult(0).getType());
  root->setLoc(
      FusedLoc::get(view.getContext(), {root->getLoc(), view.getLoc()}));
  view.getResult(0).replaceAllUsesWith(result);
  view.erase();
  return true;
}

void heddle::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void heddle::foldViews(func::FuncOp function) {
  for (Block &block : function.getBody()) {
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
        foldIntoRoot(&op);
      }
    }
    eraseDead(block);
  }
}
