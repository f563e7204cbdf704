// Parts what is computed over the bound from what runs over true extents.

#include "passes/Dynamic/BoundedPart.h"

#include "dialects/Kernel/Composites.h"
#include "dialects/Size/SizedTypes.h"
#include "dialects/StableHlo/ResultExtents.h"
#include "heddle/Support/TensorTypes.h"
#include "passes/Dynamic/ExtentValues.h"
#include "passes/Dynamic/TrueExtents.h"
#include "passes/Graph/CalledFunction.h"
#include "passes/Graph/Constants.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

/// The operation of the entry's own block that `op` is, or stands within.
static Operation *inEntry(func::FuncOp entry, Operation *op) {
  return entry.front().findAncestorOpInBlock(*op);
}

/// Puts the operations of composites in their place, so that those with a
/// kernel keep it. An attention stays: processors have a kernel for it over the
/// bound, too, which is told what is known before a call.
void BoundedPart::openComposites() {
  SymbolTable symbols(entry->getParentOfType<ModuleOp>());
  auto isComputed = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && sizes.isComputed(tensor);
  };
  for (bool changed = true; std::exchange(changed, false);)
    for (Operation &op : llvm::make_early_inc_range(entry.front())) {
      auto composite = dyn_cast<CompositeOp>(op);
      if (!composite || runsOverTrueExtents(&op, sizes) ||
          (composite.getName() == kernel::kAttentionName &&
           llvm::none_of(op.getOperandTypes(), isComputed)))
        continue;
      func::FuncOp callee = calledFunction(composite, symbols);
      if (!callee)
        continue;
      inlineBody(composite, callee,
                 [loc = op.getLoc()](Operation *) { return loc; });
      changed = true;
    }
}

void BoundedPart::find() {
  for (Operation &op : entry.front().without_terminator())
    if (!runsOverTrueExtents(&op, sizes))
      found.insert(&op);
}

/// Whether an operation costs about what it takes to spread its result.
static bool isCheap(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<BroadcastInDimOp, ClampOp, SelectOp, TransposeOp>(op);
}

/// Whether an operation is written over the bound as easily as its result is
/// spread.
static bool isMadeAgain(Operation *op) {
  return isa<ConstantOp, IotaOp>(op) ||
         (isa<BroadcastInDimOp>(op) &&
          !size::hasExtents(op->getOperand(0).getType()));
}

void BoundedPart::takeWithNeighbours(Operation *op,
                                     llvm::DenseSet<Operation *> &seen) {
  SmallVector<Operation *> members, waiting{op};
  seen.insert(op);
  bool isBetween = true, isFed = false;
  auto meet = [&](Operation *other) {
    if (found.contains(other))
      return;
    // Whoever returns, and a kernel of its own, wants true extents.
    if (!isCheap(other)) {
      isBetween = false;
      return;
    }
    if (seen.insert(other).second)
      waiting.push_back(other);
  };
  while (!waiting.empty()) {
    Operation *member = waiting.pop_back_val();
    members.push_back(member);
    for (Value operand : member->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || !size::hasExtents(operand.getType()) ||
          isMadeAgain(source))
        continue;
      isFed |= found.contains(source);
      meet(source);
    }
    for (Operation *user : member->getUsers())
      meet(inEntry(entry, user));
  }
  if (isBetween && isFed)
    found.insert_range(members);
}

/// What is cheap and stands between operations of the part, as an activation
/// does between convolutions, belongs to it: two ways across the border cost
/// more than the bound.
void BoundedPart::takeBetween() {
  llvm::DenseSet<Operation *> seen;
  for (Operation &op : entry.front().without_terminator())
    if (isCheap(&op) && !isMadeAgain(&op) && size::isSized(&op) &&
        !found.contains(&op) && !seen.contains(&op))
      takeWithNeighbours(&op, seen);
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  found.insert_range(ordered);
}

/// One remark for each kind of operation that decides for itself.
void BoundedPart::remark() const {
  llvm::StringMap<SmallVector<Operation *>> kinds;
  SmallVector<StringRef> order;
  for (Operation *op : found) {
    // What names a computed size is no work.
    if (isa<SetDimensionSizeOp>(op))
      continue;
    auto &same = kinds[op->getName().getStringRef()];
    if (same.empty())
      order.push_back(op->getName().getStringRef());
    same.push_back(op);
  }
  for (StringRef kind : order) {
    ArrayRef<Operation *> same = kinds[kind];
    InFlightDiagnostic message = emitRemark(same.front()->getLoc());
    message << "'" << kind << "' takes the time of the largest sizes at each "
            << "call: it has no kernel over true extents here";
    if (same.size() > 1)
      message << " (and " << same.size() - 1 << " more)";
  }
}

/// `source` over the bound, where it is made of nothing that has open sizes.
Operation *BoundedPart::madeAgain(Operation *source, Operation *reader) {
  if (!isMadeAgain(source))
    return nullptr;
  Operation *copy = OpBuilder(reader).clone(*source);
  table.takeFrom(copy);
  return copy;
}

Value BoundedPart::spread(Operation *reader, Value value) {
  Value &known = spreads[value];
  if (known)
    return known;
  auto type = cast<RankedTensorType>(value.getType());
  if (Operation *source = value.getDefiningOp())
    if (Operation *copy = madeAgain(source, reader))
      return known = copy->getResult(0);
  OpBuilder builder(reader);
  Location loc = value.getLoc();
  auto bound = RankedTensorType::get(type.getShape(), type.getElementType());
  Value zeros = createZero(builder, loc, bound);
  Value zero = numberEverywhere(
      builder, loc, RankedTensorType::get({}, builder.getI32Type()), 0);
  known =
      DynamicUpdateSliceOp::create(builder, loc, bound, zeros, value,
                                   SmallVector<Value>(type.getRank(), zero));
  table.setExtents(known, size::extentsOf(type));
  return known;
}

/// A function of what the decomposition of `op` computes, over the bound.
func::FuncOp BoundedPart::boundedDecomposition(CompositeOp op) {
  auto former = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDecompositionAttr());
  if (!former)
    return {};
  func::FuncOp &known = decompositions[former];
  if (known)
    return known;
  known = cast<func::FuncOp>(former->clone());
  known.setName((former.getName() + "_over_bound").str());
  SymbolTable(entry->getParentOfType<ModuleOp>()).insert(known);
  table.takeFrom(known);
  return known;
}

void BoundedPart::pack(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    SmallVector<size::Expression> extents(table.extents(result));
    if (extents.empty())
      continue;
    auto bound = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> zeros(bound.getRank(), 0), ones(bound.getRank(), 1);
    auto packed = SliceOp::create(builder, op->getLoc(),
                                  size::withExtents(bound, extents), result,
                                  zeros, bound.getShape(), ones);
    packed->setAttr(sizedAttributeName("limit_indices"),
                    size::extentsAttr(op->getContext(), extents));
    result.replaceAllUsesExcept(packed, packed);
    spreads[packed] = result;
  }
}

void BoundedPart::enter(Operation *op) {
  if (auto composite = dyn_cast<CompositeOp>(op))
    if (func::FuncOp own = boundedDecomposition(composite))
      composite.setDecompositionAttr(
          FlatSymbolRefAttr::get(own.getSymNameAttr()));
  // Regions read values from outside, too.
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Value value = operand.get();
      Operation *owner = value.getParentBlock()->getParentOp();
      if (size::hasExtents(value.getType()) && !op->isAncestor(owner))
        operand.set(spread(op, value));
    }
  });
  table.takeFrom(op);
  pack(op);
}

void BoundedPart::part() {
  openComposites();
  find();
  if (found.empty())
    return;
  remark();
  takeBetween();
  for (Operation *op : found)
    enter(op);
  for (auto [packed, bound] : spreads)
    if (Operation *slice = packed.getDefiningOp();
        slice && slice->use_empty() && isa<SliceOp>(slice) &&
        slice->getOperand(0) == bound)
      slice->erase();
}

} // namespace heddle
