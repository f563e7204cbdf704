// Folds views into the maps of contractions and attention.

#include "passes/Lower/RootViews.h"

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/TrueLoops.h"
#include "dialects/Size/SizedTypes.h"
#include "passes/Lower/ViewFolding.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static SmallVector<AffineMap> mapsOf(Operation *root) {
  return llvm::map_to_vector(
      root->getAttrOfType<ArrayAttr>("indexing_maps"),
      [](Attribute map) { return cast<AffineMapAttr>(map).getValue(); });
}

/// The operands that have maps: not the limits.
static MutableArrayRef<OpOperand> mappedOperands(Operation *root) {
  MutableArrayRef<OpOperand> operands = root->getOpOperands();
  if (auto attention = dyn_cast<kernel::AttentionOp>(root))
    return operands.take_front(attention.getNumTensors());
  return isa<kernel::ContractOp>(root) ? operands.take_front(2) : operands;
}

/// The position of each of a collapsed group's dimensions, if every loop in
/// `position` moves in one of them alone: 8 * d0 + d1 with d1 < 8 is [d0, d1]
/// in a group of extents [4, 8]. Empty if not.
static SmallVector<AffineExpr> takeApart(AffineExpr position,
                                         ArrayRef<int64_t> extents,
                                         ArrayRef<int64_t> group) {
  Builder b(position.getContext());
  std::optional<kernel::LinearAccess> access =
      kernel::linearExpression(position, extents.size());
  if (!access || access->offset != 0)
    return {};
  SmallVector<AffineExpr> results(group.size(), b.getAffineConstantExpr(0));
  SmallVector<int64_t> reach(group.size(), 0);
  for (auto [loop, stride] : llvm::enumerate(access->strides)) {
    if (stride == 0 || extents[loop] == 1)
      continue;
    int64_t below = 1;
    unsigned place = group.size();
    while (place > 0 && stride >= below * group[place - 1])
      below *= group[--place];
    if (place == 0 || stride < 0 || stride % below)
      return {};
    unsigned dim = place - 1;
    reach[dim] += stride / below * (extents[loop] - 1);
    if (reach[dim] >= group[dim])
      return {};
    results[dim] = results[dim] + b.getAffineDimExpr(loop) * (stride / below);
  }
  return results;
}

/// What is behind a collapsed operand that `map` reads by loops over the parts.
static std::optional<Source> collapseSource(Value value, AffineMap map,
                                            ArrayRef<int64_t> extents) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  // A scalar has no groups to take apart.
  if (!collapse || collapse.getResultType().getRank() == 0 ||
      !viewSource(collapse.getSrc()))
    return std::nullopt;
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  SmallVector<AffineExpr> results;
  for (auto [position, dims] :
       llvm::zip_equal(map.getResults(), collapse.getReassociationIndices())) {
    // A loop over several dimensions takes steps that no call changes.
    for (int64_t dim : ArrayRef<int64_t>(dims).drop_front())
      if (!size::isKnown(collapse.getSrcType(), dim))
        return std::nullopt;
    SmallVector<int64_t> group =
        llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
    SmallVector<AffineExpr> parts = takeApart(position, extents, group);
    if (parts.empty())
      return std::nullopt;
    results.append(parts);
  }
  return Source{collapse.getSrc(),
                AffineMap::get(extents.size(), 0, results, map.getContext())};
}

/// Whether one of a contraction's operands is indexed by each loop: a repeated
/// operand may be the only one that a loop of the result walks.
static bool namesEveryLoop(ArrayRef<AffineMap> maps,
                           ArrayRef<int64_t> extents) {
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent != 1 && !maps[0].isFunctionOfDim(loop) &&
        !maps[1].isFunctionOfDim(loop))
      return false;
  return true;
}

/// How far the loops of a root with these maps truly run.
static std::optional<SmallVector<size::Expression>>
trueLoops(Operation *root, ArrayRef<AffineMap> maps) {
  SmallVector<kernel::WalkedTensor> walked;
  for (OpOperand &operand : mappedOperands(root))
    walked.push_back({maps[operand.getOperandNumber()],
                      cast<RankedTensorType>(operand.get().getType())});
  walked.push_back(
      {maps.back(), cast<RankedTensorType>(root->getResult(0).getType())});
  if (auto attention = dyn_cast<kernel::AttentionOp>(root))
    if (auto keys = kernel::walkedKeys(attention))
      walked.push_back(*keys);
  return kernel::trueLoops(
      root->getContext(),
      root->getAttrOfType<DenseI64ArrayAttr>("extents").asArrayRef(), walked);
}

/// Makes the attention say itself how many keys there truly are, by its loops;
/// whether it did not already.
static bool sayKeys(Operation *root, ArrayRef<size::Expression> loops) {
  auto attention = dyn_cast<kernel::AttentionOp>(root);
  if (!attention || attention.getKeysAttr())
    return false;
  size::Expression keys = loops[attention.getNumBatchDims() + 1];
  if (keys.isConstant())
    return false;
  attention.setKeysAttr(keys.attribute());
  return true;
}

static void readThroughViews(Operation *root) {
  SmallVector<AffineMap> maps = mapsOf(root);
  ArrayRef<int64_t> extents =
      root->getAttrOfType<DenseI64ArrayAttr>("extents").asArrayRef();
  std::optional<SmallVector<size::Expression>> loops = trueLoops(root, maps);
  for (OpOperand &operand : mappedOperands(root)) {
    AffineMap &map = maps[operand.getOperandNumber()];
    for (;;) {
      AffineMap former = map;
      Value read = operand.get();
      if (auto behind = collapseSource(operand.get(), map, extents)) {
        map = behind->map;
        operand.set(behind->value);
      }
      std::optional<Source> source = viewSource(operand.get());
      if (!source)
        break;
      AffineMap narrow =
          std::exchange(map, simplifyAffineMap(source->map.compose(map)));
      if (isa<kernel::ContractOp>(root) && !namesEveryLoop(maps, extents)) {
        map = narrow;
        break;
      }
      operand.set(source->value);
      if (trueLoops(root, maps) == loops)
        continue;
      bool saysKeys = loops && sayKeys(root, *loops);
      if (saysKeys && trueLoops(root, maps) == loops)
        continue;
      if (saysKeys)
        cast<kernel::AttentionOp>(root).removeKeysAttr();
      map = former;
      operand.set(read);
      break;
    }
  }
  root->setAttr("indexing_maps",
                Builder(root->getContext()).getAffineMapArrayAttr(maps));
}

namespace {
/// A loop of a root that walks a dimension which was collapsed from several.
struct CollapsedLoop {
  unsigned operand;
  unsigned loop;
  tensor::CollapseShapeOp collapse;
  unsigned group;
};
} // namespace

/// An attention's batch can be of any dimensions, and so can its queries if
/// their order does not matter.
static bool maySplit(Operation *root, unsigned loop) {
  auto attention = dyn_cast<kernel::AttentionOp>(root);
  if (!attention)
    return true;
  unsigned m = attention.getNumBatchDims();
  bool isOrdered = attention.getCausal() || attention.getWindow();
  return root->getNumResults() == 1 && (loop < m || (loop == m && !isOrdered));
}

/// A collapsed view cannot be read by a linear map: which head of a key that
/// several query heads share takes a division. Loops over what was collapsed
/// can.
static std::optional<CollapsedLoop> findCollapsedLoop(Operation *root) {
  SmallVector<AffineMap> maps = mapsOf(root);
  for (OpOperand &operand : mappedOperands(root)) {
    auto collapse = operand.get().getDefiningOp<tensor::CollapseShapeOp>();
    if (!collapse || !viewSource(collapse.getSrc()))
      continue;
    ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
    for (auto [i, group] :
         llvm::enumerate(collapse.getReassociationIndices())) {
      int64_t wide =
          llvm::count_if(group, [&](int64_t dim) { return shape[dim] != 1; });
      auto dim = dyn_cast<AffineDimExpr>(
          maps[operand.getOperandNumber()].getResult(i));
      if (wide < 2)
        continue;
      for (int64_t part : ArrayRef<int64_t>(group).drop_front())
        if (!size::isKnown(collapse.getSrcType(), part))
          return std::nullopt;
      // Only loops of the result can be split: those of a sum would ask for
      // other maps of the packed side.
      if (!dim || !maps.back().isFunctionOfDim(dim.getPosition()) ||
          !maySplit(root, dim.getPosition()))
        return std::nullopt;
      return CollapsedLoop{operand.getOperandNumber(), dim.getPosition(),
                           collapse, static_cast<unsigned>(i)};
    }
  }
  return std::nullopt;
}

/// Loops behind `loop`, which became several, have other numbers. None of the
/// several can have its limit: what lies beyond that may be computed as well.
template <typename Root>
static void renumberLimits(Root root, unsigned loop, unsigned added) {
  if (root.getLimits().empty())
    return;
  SmallVector<std::pair<unsigned, Value>> limits;
  for (auto [dim, limit] : llvm::zip_equal(root.getLimited(), root.getLimits()))
    if (dim != loop)
      limits.push_back({dim < loop ? dim : dim + added, limit});
  root.setLimits(limits);
}

/// Replaces the loop by one for each dimension that was collapsed.
static Operation *splitLoop(Operation *root, const CollapsedLoop &collapsed) {
  OpBuilder b(root);
  MLIRContext *context = b.getContext();
  tensor::CollapseShapeOp collapse = collapsed.collapse;
  ReassociationIndices group =
      collapse.getReassociationIndices()[collapsed.group];
  SmallVector<int64_t> parts;
  for (int64_t dim : group)
    parts.push_back(collapse.getSrcType().getDimSize(dim));
  unsigned added = parts.size() - 1;

  // The old loops in terms of the new.
  SmallVector<AffineMap> maps = mapsOf(root);
  unsigned loops = maps.front().getNumDims() + added;
  SmallVector<AffineExpr> inner, old;
  for (unsigned i = 0; i < maps.front().getNumDims(); ++i) {
    if (i != collapsed.loop) {
      old.push_back(b.getAffineDimExpr(i < collapsed.loop ? i : i + added));
      continue;
    }
    AffineExpr position = b.getAffineConstantExpr(0);
    for (auto [part, extent] : llvm::enumerate(parts)) {
      inner.push_back(b.getAffineDimExpr(i + part));
      position = position * extent + inner.back();
    }
    old.push_back(position);
  }
  /// `map` over the new loops, with the result that is the split loop in parts.
  auto split = [&](AffineMap map, std::optional<unsigned> result) {
    SmallVector<AffineExpr> results;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (result == i)
        results.append(inner);
      else
        results.push_back(simplifyAffineExpr(expr.replaceDims(old), loops, 0));
    }
    return AffineMap::get(loops, 0, results, context);
  };
  AffineMap out = maps.back();
  unsigned position =
      *out.getResultPosition(b.getAffineDimExpr(collapsed.loop));
  for (auto [i, map] : llvm::enumerate(MutableArrayRef(maps).drop_back()))
    map = split(map, std::nullopt);
  maps.back() = split(out, position);

  auto type = cast<RankedTensorType>(root->getResult(0).getType());
  size::SizedShape shape;
  int64_t rank = 0;
  SmallVector<ReassociationIndices> reassociation;
  for (unsigned i = 0; i < type.getRank(); ++i) {
    ReassociationIndices &dims = reassociation.emplace_back();
    if (i == position) {
      shape.add(collapse.getSrcType(), group);
      for (size_t part = 0; part < parts.size(); ++part)
        dims.push_back(rank++);
    } else {
      shape.add(type, i);
      dims.push_back(rank++);
    }
  }
  SmallVector<int64_t> extents = llvm::to_vector(
      root->getAttrOfType<DenseI64ArrayAttr>("extents").asArrayRef());
  extents.erase(extents.begin() + collapsed.loop);
  extents.insert(extents.begin() + collapsed.loop, parts.begin(), parts.end());

  Operation *wider = b.clone(*root);
  wider->getResult(0).setType(shape.of(type.getElementType()));
  wider->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
  wider->setAttr("extents", b.getDenseI64ArrayAttr(extents));
  if (auto iterators = root->getAttrOfType<ArrayAttr>("iterator_types")) {
    SmallVector<Attribute> kinds = llvm::to_vector(iterators);
    kinds.insert(kinds.begin() + collapsed.loop, added,
                 iterators[collapsed.loop]);
    wider->setAttr("iterator_types", b.getArrayAttr(kinds));
  }
  if (auto contract = dyn_cast<kernel::ContractOp>(wider))
    renumberLimits(contract, collapsed.loop, added);
  if (auto attention = dyn_cast<kernel::AttentionOp>(wider))
    renumberLimits(attention, collapsed.loop, added);
  // The operand is read before it was collapsed.
  SmallVector<AffineExpr> results;
  AffineMap map = mapsOf(root)[collapsed.operand];
  for (auto [i, dims] : llvm::enumerate(collapse.getReassociationIndices())) {
    if (i == collapsed.group) {
      results.append(inner);
      continue;
    }
    // The other groups have one dimension with points, or are walked whole.
    bool taken = false;
    for (int64_t dim : dims) {
      bool wide = collapse.getSrcType().getDimSize(dim) != 1 ||
                  (!taken && dim == dims.back());
      results.push_back(
          wide ? simplifyAffineExpr(map.getResult(i).replaceDims(old), loops, 0)
               : b.getAffineConstantExpr(0));
      taken |= wide;
    }
  }
  maps[collapsed.operand] = AffineMap::get(loops, 0, results, context);
  wider->setOperand(collapsed.operand, collapse.getSrc());
  wider->setAttr("indexing_maps", b.getAffineMapArrayAttr(maps));
  Value narrow = tensor::CollapseShapeOp::create(
      b, root->getLoc(), type, wider->getResult(0), reassociation);
  root->getResult(0).replaceAllUsesWith(narrow);
  root->erase();
  return wider;
}

void heddle::foldViewsIntoRoot(Operation *root) {
  readThroughViews(root);
  while (std::optional<CollapsedLoop> collapsed = findCollapsedLoop(root)) {
    // One group at a time, so the others must be readable.
    unsigned wideGroups = llvm::count_if(
        collapsed->collapse.getReassociationIndices(),
        [&](const ReassociationIndices &group) {
          return llvm::count_if(group, [&](int64_t dim) {
                   return collapsed->collapse.getSrcType().getDimSize(dim) != 1;
                 }) > 1;
        });
    if (wideGroups != 1)
      return;
    root = splitLoop(root, *collapsed);
    readThroughViews(root);
  }
}

bool heddle::foldTransposeOfRoot(linalg::GenericOp view) {
  if (!isView(view))
    return false;
  Operation *root = view.getInputs()[0].getDefiningOp();
  AffineMap map = view.getIndexingMapsArray()[0];
  if (!isa_and_nonnull<kernel::ContractOp, kernel::AttentionOp>(root) ||
      root->getResult(0) != view.getInputs()[0] ||
      !root->getResult(0).hasOneUse() || !map.isPermutation())
    return false;
  // The first part of a dimension has the same map as all of it.
  auto whole = cast<RankedTensorType>(root->getResult(0).getType());
  auto type = cast<RankedTensorType>(view.getResult(0).getType());
  if (whole.getNumElements() != type.getNumElements() ||
      !size::haveAsManyElements(whole, type))
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
